"""Where values stand in a JSON text, so that one can be replaced and all the rest stays byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

Place = tuple[str | int, ...]
"""Keys and indices that lead to a value."""
_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def spans(text: str) -> dict[Place, tuple[int, int]]:
    """Return where every value of a JSON text begins and ends, in characters.

    Raises:
        ValueError: The text is not JSON.
    """
    found: dict[Place, tuple[int, int]] = {}
    _value(text, _skip(text, 0), (), found)
    return found


def replaced(text: str, values: Mapping[Place, object]) -> str:
    """Return a JSON text with some values replaced.

    Args:
        text: The JSON text.
        values: New values by place; they are written in ASCII where all of the text is.

    Raises:
        ValueError: The text is not JSON.
        KeyError: There is no value at a place.
    """
    known = spans(text)
    parts, at = [], 0
    for (begin, end), value in sorted((known[place], value) for place, value in values.items()):
        parts += [text[at:begin], json.dumps(value, ensure_ascii=text.isascii())]
        at = end
    return "".join([*parts, text[at:]])


def _value(text: str, at: int, place: Place, found: dict[Place, tuple[int, int]]) -> int:
    """Note a value and all within it, and return where it ends."""
    _, end = _DECODER.raw_decode(text, at)
    found[place] = (at, end)
    for key, begin in _members(text, at, place, found) if text[at] in "{[" else ():
        _value(text, begin, (*place, key), found)
    return end


def _members(
    text: str, at: int, place: Place, found: dict[Place, tuple[int, int]]
) -> Iterator[tuple[str | int, int]]:
    """Yield key or index and begin of each member of the array or object at ``at``."""
    position, index = _skip(text, at + 1), 0
    while text[position] not in "}]":
        key: str | int = index
        if text[at] == "{":
            key, position = _DECODER.raw_decode(text, position)
            position = _skip(text, _skip(text, position) + 1)  # past the colon
        yield key, position
        position = _skip(text, found[(*place, key)][1])
        position = _skip(text, position + 1) if text[position] == "," else position
        index += 1


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    assert match is not None  # it may be empty
    return match.end()
