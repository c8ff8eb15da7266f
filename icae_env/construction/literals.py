"""The exact things a PRD says: what it quotes, and its numbers; and whether another text says them too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

FENCED = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE
)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_QUOTED = re.compile(r'"([^"\n]+)"|“([^”]+)”')
_ITEM = re.compile(r"^[ \t]*\d+[.)](?=\s)", re.MULTILINE)
"""The number of a list item counts items and requires nothing."""
_REFERENCE = re.compile(
    r"\b(?:rule|section|point|item|paragraph)s? \d+(?:(?:, | and | or | to |-)\d+)*(?!\w)", re.IGNORECASE
)
"""A reference to a place of the same text requires nothing either."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,]\d+)*(?!\w)")


class PrdLiteral(BaseModel):
    """One exact thing that a text says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["code", "quoted", "number"]
    text: str
    """With every run of white space as one blank."""
    line: int
    """Line of its first occurrence, from 1."""

    def __str__(self) -> str:
        return {"code": f"`{self.text}`", "quoted": f'"{self.text}"', "number": self.text}[self.kind]


def literals(markdown: str) -> tuple[PrdLiteral, ...]:
    """Return the literals of a text in order, each once; fenced blocks are left out (examples are executed instead)."""
    found: dict[tuple[str, str], PrdLiteral] = {}
    rest = FENCED.sub(_blank, markdown)
    for literal in (*_all(_CODE, "code", rest), *_all(_QUOTED, "quoted", _CODE.sub(_blank, rest))):
        found.setdefault((literal.kind, literal.text), literal)
    prose = _REFERENCE.sub(_blank, _ITEM.sub(_blank, _QUOTED.sub(_blank, _CODE.sub(_blank, rest))))
    for literal in _all(_NUMBER, "number", prose):
        found.setdefault((literal.kind, literal.text), literal)
    return tuple(sorted(found.values(), key=lambda literal: literal.line))


def unsaid(wanted: Iterable[PrdLiteral], texts: Iterable[str]) -> tuple[PrdLiteral, ...]:
    """Return the literals that occur in none of the texts; a number must stand there as a whole number."""
    joined = "\n".join(part for text in texts for part in (text, *_strings_of_examples(text)))
    said = _one_line(joined)
    numbers = frozenset(_NUMBER.findall(said))
    return tuple(
        item for item in wanted if not (item.text in numbers if item.kind == "number" else item.text in said)
    )


def _all(
    pattern: re.Pattern[str], kind: Literal["code", "quoted", "number"], text: str
) -> Iterator[PrdLiteral]:
    for match in pattern.finditer(text):
        said = next((group for group in reversed(match.groups()) if group is not None), match.group())
        if _one_line(said):
            yield PrdLiteral(kind=kind, text=_one_line(said), line=text.count("\n", 0, match.start()) + 1)


def _strings_of_examples(text: str) -> Iterator[str]:
    """Yield what the JSON examples of a text say once their escapes are read."""
    for match in FENCED.finditer(text):
        try:
            yield from _leaves(json.loads(match["body"]))
        except ValueError:
            continue  # not every block holds JSON


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value


def _blank(match: re.Match[str]) -> str:
    # Line ends stay, so that the lines of what follows stay right.
    return "".join(sign if sign == "\n" else " " for sign in match.group())


def _one_line(text: str) -> str:
    return " ".join(text.split())
