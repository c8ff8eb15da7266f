"""Text of agents and programs, made harmless to look at."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    # C0 without tab and newline, DEL and C1; marks that turn the direction of text; lone surrogates; noncharacters
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    """Return text in which what cannot be seen can be seen, and nothing can move or hide other text.

    Control characters become their pictures (ESC: U+241B), marks that turn the direction of text become their code in
    brackets, and what is no character becomes U+FFFD. Line feeds and tabs stay; of CR LF the CR is dropped.
    """
    return _HIDDEN.sub(_shown, text.replace("\r\n", "\n"))


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF or code >= 0xFFFE or 0x80 <= code < 0xA0:
        return "\ufffd"
    return f"[U+{code:04X}]"
