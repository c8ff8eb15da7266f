"""Requirement files as logical lines: continuations joined, comments dropped, variables put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_COMMENT = re.compile(r"(^|\s+)#.*$")
_VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)\}")
_WITH_VALUE = {
    "-r": "requirement", "-c": "constraint", "-e": "editable", "-i": "index", "-f": "links",
    "--requirement": "requirement", "--constraint": "constraint", "--editable": "editable",
    "--index-url": "index", "--pypi-url": "index", "--extra-index-url": "index", "--find-links": "links",
    "--no-binary": "option", "--only-binary": "option", "--trusted-host": "option", "--use-feature": "option",
}  # fmt: skip
_PLAIN = ("--no-index", "--prefer-binary", "--require-hashes", "--pre", "--process-dependency-links", "-Z")
_OF_REQUIREMENT = re.compile(r"(?:^|\s+)--(?:hash|config-settings?|global-option|install-option)(?=[\s=]).*$")


class Line(NamedTuple):
    """One logical line of a requirement file."""

    number: int
    """Where it begins, from 1."""
    kind: str
    """``package``, ``requirement``, ``constraint``, ``editable``, ``index``, ``links``, ``option``, or ``unknown``."""
    value: str


def logical_lines(text: str, environ: Mapping[str, str]) -> Iterator[Line]:
    """Yield the lines of a requirement file that say something, as pip reads them."""
    for number, joined in _joined(text):
        plain = _COMMENT.sub("", joined).strip()
        if plain:
            plain = _VARIABLE.sub(lambda found: environ.get(found[1]) or found[0], plain)
            yield _line(number, plain)


def _joined(text: str) -> Iterator[tuple[int, str]]:
    begin, parts = 0, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        begin = begin if parts else number
        comment = line.lstrip().startswith("#")
        if line.endswith("\\") and not comment:
            parts.append(line[:-1])
            continue
        # A comment ends a continued line; the blank keeps it apart from what stands before it.
        parts.append(f" {line}" if comment else line)
        yield begin, "".join(parts)
        parts = []
    if parts:
        yield begin, "".join(parts)


def _line(number: int, text: str) -> Line:
    if not text.startswith("-"):
        return Line(number, "package", _OF_REQUIREMENT.sub("", text).strip())
    found = re.match(r"(--[\w-]+|-\w)\s*(?:=\s*|\s+|)(.*)$", text)
    option, value = (found[1], found[2].strip()) if found else (text, "")
    if option in _PLAIN:
        return Line(number, "option", value)
    kind = _WITH_VALUE.get(option, "unknown")
    if kind == "editable":
        value = _OF_REQUIREMENT.sub("", value).strip()
    return Line(number, kind if value else "unknown", value.strip("\"'") if kind != "unknown" else text)
