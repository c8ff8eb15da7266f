from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_task import case_file

from icae_env.errors import ConfigError
from icae_env.tasks import load_hidden

MakeTask = Callable[[str], Path]


def test_cases_come_in_file_order_with_stem_and_index(make_task: MakeTask) -> None:
    folder = make_task("sums")
    (folder / "cases" / "native" / "carry.json").write_text(case_file("carry-01", public=True))
    hidden = load_hidden("sums")
    assert [(case.id, case.suite, case.stem, case.index) for case in hidden.cases] == [
        ("carry-01", "native", "carry", 0),
        ("sum-01", "native", "sum", 0),
        ("sum-02", "native", "sum", 1),
        ("big-01", "enhanced", "big", 0),
    ]
    assert [case.id for case in hidden.public_cases] == ["carry-01"]
    assert hidden.cases[2].output_name == "sum@001.txt"
    assert hidden.cases[0].input_text == "[1, 2]\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3\r\n", "3\r\n"),
        (3, "3"),
        (None, "null"),
        ({"é": [1.0, True]}, '{"\\u00e9": [1.0, true]}'),
        ([], "[]"),
    ],
)
def test_an_expectation_that_is_no_text_is_serialised_as_json_dumps_does(
    make_task: MakeTask, value: Any, text: str
) -> None:
    file = make_task("sums") / "cases" / "native" / "sum.json"
    file.write_text(case_file("sum-01", expected_output=value))
    assert load_hidden("sums").cases[0].expected_output == text


@pytest.mark.parametrize(
    ("content", "field", "words"),
    [
        ("", None, "not JSON.*line 1"),
        ("[1]", None, "array, not an object"),
        ('"text"', None, "string, not an object"),
        ('{"description": "d", "cases": []}', "cases", "at least 1"),
        ('{"cases": [{"id": "a", "input": 1, "expected_output": ""}]}', "description", "missing"),
        ('{"description": "d", "cases": [{"id": "a", "expected_output": ""}]}', "cases.0.input", "missing"),
        ('{"description": "d", "cases": [{"id": "a", "input": 1}]}', "cases.0.expected_output", "missing"),
        (case_file("a-01", expected="3"), "cases.0.expected", "unknown"),
        (case_file("a-01", public="yes"), "cases.0.public", "boolean"),
        (case_file("a-01", id="A 1"), "cases.0.id", "pattern"),
        (case_file("a-01", id=7), "cases.0.id", "string"),
        (case_file("a-01", "b-01", "a-01"), "cases.2.id", "occurs already in this file"),
        (case_file("a-01", "big-01"), "cases.0.id", "occurs already in .*native"),
        (case_file("a-01", input="\ud800"), "cases.0.input", "surrogate"),
        (case_file("a-01", expected_output="\udfff"), "cases.0.expected_output", "surrogate"),
        ('{"description": "d", "description": "e", "cases": []}', "description", "twice"),
        (case_file("a-01").replace("[1, 2]", "NaN"), None, "NaN is not a JSON value"),
        (case_file("a-01").replace("[1, 2]", "9" * 5000), None, "not JSON"),
        (case_file("a-01").replace("[1, 2]", "[" * 100_000), None, "not JSON"),
    ],
)
def test_a_bad_case_file_names_file_field_and_mend(
    make_task: MakeTask, content: str, field: str | None, words: str
) -> None:
    file = make_task("sums") / "cases" / "native" / "sum.json"
    file.write_text(content)
    with pytest.raises(ConfigError, match=words) as error:
        load_hidden("sums")
    blamed = file if "native" not in words else file.parent.parent / "enhanced" / "big.json"
    assert (error.value.file, error.value.field) == (blamed, field)
    assert error.value.mend


@pytest.mark.parametrize("name", ["notes.txt", "sum@2.json", ".hidden.json", "two words.json", "SUM.JSON"])
def test_a_file_that_would_be_overlooked_is_an_error(make_task: MakeTask, name: str) -> None:
    file = make_task("sums") / "cases" / "native" / name
    file.write_text(case_file("x-01"))
    with pytest.raises(ConfigError, match="no name for a case file") as error:
        load_hidden("sums")
    assert error.value.file == file


def test_only_native_cases_can_be_public(make_task: MakeTask) -> None:
    file = make_task("sums") / "cases" / "enhanced" / "big.json"
    file.write_text(case_file("big-01", public=True))
    with pytest.raises(ConfigError, match="Only native") as error:
        load_hidden("sums")
    assert error.value.field == "cases.0.public"


def test_a_missing_or_empty_suite_is_named(make_task: MakeTask) -> None:
    suite = make_task("sums") / "cases" / "enhanced"
    (suite / "big.json").unlink()
    with pytest.raises(ConfigError, match="'enhanced' has no case file"):
        load_hidden("sums")
    suite.rmdir()
    with pytest.raises(ConfigError, match="'enhanced' is missing"):
        load_hidden("sums")


def test_links_out_of_the_folder_and_bad_bytes_are_refused(make_task: MakeTask, tmp_path: Path) -> None:
    file = make_task("sums") / "cases" / "native" / "sum.json"
    outside = tmp_path / "outside.json"
    outside.write_text(case_file("sum-01"))
    file.unlink()
    file.symlink_to(outside)
    with pytest.raises(ConfigError, match="leads out"):
        load_hidden("sums")
    file.unlink()
    file.write_bytes(b'{"description": "\xff"}')
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_hidden("sums")


def test_a_suite_linked_from_elsewhere_is_refused(make_task: MakeTask, tmp_path: Path) -> None:
    suite = make_task("sums") / "cases" / "native"
    suite.rename(tmp_path / "moved")
    suite.symlink_to(tmp_path / "moved")
    with pytest.raises(ConfigError, match="leads out"):
        load_hidden("sums")


def test_every_field_of_a_case_survives_json(make_task: MakeTask) -> None:
    make_task("sums")
    hidden = load_hidden("sums")
    assert json.loads(hidden.model_dump_json())["cases"][0]["expected_output"] == "3\n"
