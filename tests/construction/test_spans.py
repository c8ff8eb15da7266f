"""Values of a JSON text are found and replaced; the rest stays."""

from __future__ import annotations

import json

import pytest

from icae_env.construction.spans import replaced, spans

TEXT = """{ "a" : [1, {"b": "x\\"}", "c":[] } ,null],
\t"é": { } , "d":"end" }
"""


def test_every_value_is_found_where_it_stands() -> None:
    found = spans(TEXT)
    data = json.loads(TEXT)
    assert len(found) == 9
    for place, (begin, end) in found.items():
        value = data
        for key in place:
            value = value[key]
        assert json.loads(TEXT[begin:end]) == value


def test_only_the_named_values_change() -> None:
    new = replaced(TEXT, {("a", 1, "b"): "ü\n", ("d",): 7, ("a", 2): [True]})
    assert new == TEXT.replace('"x\\"}"', '"ü\\n"').replace('"end"', "7").replace("null", "[true]")
    assert replaced(TEXT, {}) == TEXT


def test_an_ascii_text_stays_ascii() -> None:
    assert replaced('["a"]', {(0,): "ü"}) == '["\\u00fc"]'


def test_wrong_texts_and_places_are_refused() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        spans('{"a": }')
    with pytest.raises(KeyError):
        replaced("[1]", {(1,): 2})
