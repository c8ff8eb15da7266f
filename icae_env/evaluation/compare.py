"""Whether a program's output is the expected one. Pure functions of the two texts."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from icae_env.tasks.models import Comparison


class Verdict(BaseModel):
    """The result of one comparison."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    equal: bool
    detail: str = ""
    """Where the first difference is; empty when equal."""


def compare(comparison: Comparison, expected: str, actual: bytes) -> Verdict:
    """Compare an output with its expectation.

    ``text``: both as UTF-8 text, CRLF counts as LF, and one newline at the end is ignored on either side; an
    output that is not UTF-8 is never equal. ``exact``: the same bytes. ``compat``: the raw stdout as upstream
    compares it, which is the same bytes too (``compat`` differs from ``exact`` in how outputs are found).

    Args:
        comparison: The rule.
        expected: The golden's recorded output.
        actual: Standard output of the program under test.
    """
    return compare_text(expected, actual) if comparison == "text" else compare_bytes(expected, actual)


def compare_text(expected: str, actual: bytes) -> Verdict:
    """Compare as text (rule ``text``)."""
    try:
        text = actual.decode("utf-8")
    except UnicodeDecodeError as error:
        return Verdict(equal=False, detail=f"not UTF-8: byte {error.start} is {actual[error.start]:#04x}")
    return _verdict(_normal(expected), _normal(text))


def compare_bytes(expected: str, actual: bytes) -> Verdict:
    """Compare byte for byte (rules ``exact`` and ``compat``)."""
    wanted = expected.encode("utf-8", "surrogatepass")
    if wanted == actual:
        return Verdict(equal=True)
    # latin-1 gives each byte one character, so that the position is that of the byte
    return _verdict(wanted.decode("latin-1"), actual.decode("latin-1"))


def readable(data: bytes) -> str:
    """Return bytes as text for a report: UTF-8, with what is not valid replaced."""
    return data.decode("utf-8", "replace")


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")


def _verdict(expected: str, actual: str) -> Verdict:
    if expected == actual:
        return Verdict(equal=True)
    shared = min(len(expected), len(actual))
    at = next((spot for spot in range(shared) if expected[spot] != actual[spot]), shared)
    line = expected.count("\n", 0, at) + 1
    column = at - (expected.rfind("\n", 0, at) + 1) + 1
    if at == len(actual):
        return Verdict(equal=False, detail=f"ends too early, at line {line}, column {column}")
    if at == len(expected):
        return Verdict(equal=False, detail=f"goes on after the expected end, at line {line}, column {column}")
    return Verdict(equal=False, detail=f"first difference at line {line}, column {column}")
