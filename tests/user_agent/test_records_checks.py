"""Each check is tried on a copy of a shipped task in which one thing was spoilt."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.tasks import find_task, load_hidden, task_ids
from icae_env.user_agent.checks import check_task, load_audit

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of a task that has no finding; its data lie beside it."""
    clean = [name for name in task_ids() if not check_task(name)]
    if not clean:
        pytest.skip("no shipped task is without findings")
    task = find_task(clean[0])
    shutil.copytree(task.folder, tmp_path / "tasks" / task.id)
    shutil.copytree(task.user_agent, tmp_path / "user_agent_data" / task.id)
    return tmp_path / "tasks" / task.id


def data_file(copy: Path, name: str) -> Path:
    return copy.parent.parent / "user_agent_data" / copy.name / name


def spoil(file: Path, change: Change) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    change(data.get("oracle_data", data))
    file.write_text(json.dumps(data), encoding="utf-8")


def found(copy: Path) -> list[str]:
    return [str(finding) for finding in check_task(copy)]


def constraint(index: int, **fields: Any) -> Change:
    return lambda oracle: oracle["hidden_constraints"][index].update(fields)


@pytest.mark.parametrize("name", task_ids())
def test_shipped_tasks_have_no_finding(name: str) -> None:
    assert [str(finding) for finding in check_task(name)] == []


@pytest.mark.parametrize(
    ("name", "change", "place", "words"),
    [
        (
            "L1.json",
            constraint(0, trigger_keywords=["a", "A ", "b", "c", "d"]),
            "0.trigger_keywords",
            "4 different triggers",
        ),
        ("L1.json", constraint(0, witnesses=[]), "0.witnesses", "no witness with a naive_output"),
        (
            "L1.json",
            constraint(1, witnesses=[{"case": "no-99", "naive_output": ""}]),
            "1.witnesses.0",
            "no case 'no-99'",
        ),
        (
            "L2.json",
            constraint(0, constraint_id="elsewhere"),
            "0.constraint_id",
            "hidden at L2 but not at L1",
        ),
        ("L2.json", constraint(0, oracle_response="Else."), "0.oracle_response", "says something else at L1"),
        ("L1.json", lambda oracle: oracle.update(extra=1), "oracle_data.extra", "no effect"),
        (
            "L1.json",
            lambda oracle: oracle.update(golden_api_signature=""),
            "golden_api_signature",
            "interface is missing",
        ),
        (
            "L1.json",
            lambda oracle: oracle["hidden_constraints"].clear(),
            "hidden_constraints",
            "hides 0 constraints",
        ),
        (
            "L3.json",
            lambda oracle: oracle.pop("fallback_response") and oracle.update(hidden_constraints=3),
            "",
            "list",
        ),
        (
            "audit.json",
            lambda audit: audit["records"].update(nobody=[]),
            "records.nobody",
            "no record 'nobody'",
        ),
        ("audit.json", lambda audit: audit["records"].popitem(), "records", "has no question"),
        (
            "audit.json",
            lambda audit: audit.update(pointers=[{"question": "?", "reference": "x"}]),
            "pointers.0",
            "'x'",
        ),
    ],
)
def test_a_spoilt_record_file_is_found(copy: Path, name: str, change: Change, place: str, words: str) -> None:
    spoil(data_file(copy, name), change)
    messages = found(copy)
    assert any(name in text and place in text and words in text for text in messages), messages


def test_a_naive_output_that_is_right_is_found(copy: Path) -> None:
    case = load_hidden(copy).cases[0]
    same = case.expected_output.removesuffix("\n") + "\r\n"
    spoil(data_file(copy, "L1.json"), constraint(0, witnesses=[{"case": case.id, "naive_output": same}]))
    assert any("is the expected one" in text for text in found(copy))


def test_the_name_of_the_source_is_found_everywhere(copy: Path) -> None:
    name = find_task(copy).spec.source.package
    spoil(data_file(copy, "L1.json"), constraint(0, oracle_response=f"As {name.upper()} does it."))
    for file in ((copy / "prd" / "L1.md"), (copy / "prd" / "ground.md")):
        file.write_text(file.read_text() + f"\nLike `{name}`.\n")
    case_file = sorted((copy / "cases" / "native").iterdir())[0]
    spoil(case_file, lambda data: data["cases"][0].update(input={"text": name}))
    leaking = [text for text in found(copy) if f"The source's name '{name}' may not occur here" in text]
    assert len(leaking) == 4
    assert any("cases.0.input" in text for text in leaking)
    assert any("0.oracle_response" in text for text in leaking)


def test_words_that_only_contain_the_name_are_no_leak(copy: Path) -> None:
    name = find_task(copy).spec.source.package
    file = copy / "prd" / "ground.md"
    file.write_text(file.read_text() + f"\nx{name}y\n")
    assert found(copy) == []


def test_lengths_counts_and_missing_files_are_found(copy: Path) -> None:
    (copy / "prd" / "L1.md").write_text("Too short.")
    (copy / "prd" / "L3.md").unlink()
    for file in sorted((copy / "cases" / "enhanced").iterdir())[1:]:
        file.unlink()
    for file in (copy / "cases" / "native").iterdir():
        spoil(file, lambda data: [case.pop("public", None) for case in data["cases"]] and None)
    (copy / "golden" / "install.sh").unlink()
    (copy / "README.md").unlink()
    data_file(copy, "audit.json").unlink()
    messages = "\n".join(found(copy))
    for words in (
        "The L1 PRD has 2 words, not 150 to 250",
        "L3.md: This file is missing",
        "The suite 'enhanced' has",
        "No case is public",
        "install.sh: The golden needs this file",
        "README.md: Source, licence",
        "audit.json: This file is missing",
    ):
        assert words in messages, words


def test_an_unreadable_case_file_is_a_finding_and_not_the_end(copy: Path) -> None:
    sorted((copy / "cases" / "native").iterdir())[0].write_text("{")
    data_file(copy, "L2.json").write_text("[]")
    messages = found(copy)
    assert any("not JSON" in text for text in messages) and any("L2.json" in text for text in messages)


def test_the_audit_file_is_validated(copy: Path) -> None:
    spoil(
        data_file(copy, "audit.json"),
        lambda audit: next(iter(audit["records"].values()))[0].update(style="verbose"),
    )
    with pytest.raises(ConfigError, match="wordy"):
        load_audit(copy)
    with pytest.raises(UnknownNameError):
        check_task("nobody")
