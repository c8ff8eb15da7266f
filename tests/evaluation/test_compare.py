from __future__ import annotations

import pytest

from icae_env.evaluation.compare import compare


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("a\nb\n", b"a\nb\n"),
        ("a\nb\n", b"a\nb"),
        ("a\nb", b"a\r\nb\r\n"),
        ("a\r\nb\n", b"a\nb\n"),
        ("", b"\n"),
        ("é", "é\n".encode()),
    ],
)
def test_text_ignores_line_ends_and_one_final_newline(expected: str, actual: bytes) -> None:
    assert compare("text", expected, actual).equal


@pytest.mark.parametrize(
    ("expected", "actual", "detail"),
    [
        ("a\n", b"a\n\n", "goes on after the expected end"),
        ("a\n", b" a\n", "line 1, column 1"),
        ("a\nbc\n", b"a\nbd\n", "line 2, column 2"),
        ("ab", b"a", "ends too early"),
        ("a b", b"a b ", "goes on"),
        ("a\rb", b"a\nb", "line 1, column 2"),
        ("\ufffd", b"\xff", "not UTF-8: byte 0 is 0xff"),
    ],
)
def test_text_mismatch_says_where(expected: str, actual: bytes, detail: str) -> None:
    verdict = compare("text", expected, actual)
    assert not verdict.equal
    assert detail in verdict.detail


@pytest.mark.parametrize("rule", ["exact", "compat"])
def test_raw_rules_compare_bytes(rule: str) -> None:
    assert compare(rule, "é\n", "é\n".encode()).equal  # type: ignore[arg-type]
    for actual in ("é".encode(), "é\r\n".encode(), b"\xff"):
        assert not compare(rule, "é\n", actual).equal  # type: ignore[arg-type]
