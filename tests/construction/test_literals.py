"""What a PRD says exactly, and whether other texts say it."""

from __future__ import annotations

from icae_env.construction.literals import literals, unsaid

TEXT = """# Title with 12

1. Print `a  b` and "two words", then ``a `tick` b``.
2. At most 1000 rows, -5 or 2.50; never v3 or x2.

```case
{"input": 77, "output": "seventy"}
```

“Curly” and `a
b` again.
"""


def said(text: str) -> list[str]:
    return [str(literal) for literal in literals(text)]


def test_code_quotes_and_numbers_are_literals_in_order_of_lines() -> None:
    assert said(TEXT) == [
        "12",
        "`a b`",
        "`a `tick` b`",
        '"two words"',
        "1000",
        "-5",
        "2.50",
        '"Curly"',
    ]


def test_lines_are_those_of_the_text() -> None:
    assert {str(literal): literal.line for literal in literals(TEXT)} | {"1000": 4, '"Curly"': 10} == {
        str(literal): literal.line for literal in literals(TEXT)
    }


def test_what_stands_in_code_or_fences_is_no_number() -> None:
    assert said("`7` and\n\n~~~\n8\n~~~\n") == ["`7`"]


def test_references_to_the_text_itself_are_no_numbers() -> None:
    assert said("By rule 5, Sections 2 and 3 or points 4-6; a rule of 7.") == ["7"]


def test_a_number_must_stand_alone_to_be_said() -> None:
    wanted = literals("At most 10.")
    assert unsaid(wanted, ["limit 100, 10.5 or x10"]) == wanted
    assert unsaid(wanted, ["at most 10."]) == ()


def test_white_space_does_not_matter_and_examples_count_unescaped() -> None:
    wanted = literals('Print `say "hi"` or `one two`.')
    example = '```case\n{"input": {"text": "say \\"hi\\""}, "output": ""}\n```\n'
    assert unsaid(wanted, ["one\n  two", example]) == ()
    assert [item.text for item in unsaid(wanted, ["one\n  two"])] == ['say "hi"']
