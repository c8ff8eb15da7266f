"""The gate: a task that ships passes, and each fault put into a copy is found where it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from icae_env.construction import Fault, check_gate
from icae_env.construction.gate import known
from icae_env.errors import ConfigError
from icae_env.tasks import find_task, task_ids


def faults(folder: Path) -> list[Fault]:
    return list(check_gate(folder, replay=False).faults)


def records(folder: Path, level: str, change: Callable[[dict[str, Any]], None]) -> None:
    file = folder.parent.parent / "user_agent_data" / folder.name / f"{level}.json"
    data = json.loads(file.read_text())
    change(data["oracle_data"])
    file.write_text(json.dumps(data))


def test_a_whole_task_passes(copied: Path) -> None:
    report = check_gate(copied, replay=False)
    assert report.ok
    assert report.faults == ()
    assert report.replayed == ()
    assert report.audit is not None
    assert report.audit.questions > 50


def test_a_literal_that_a_level_does_not_say_is_found_with_its_line(copied: Path) -> None:
    ground = copied / "prd" / "ground.md"
    lines = ground.read_text().count("\n")
    ground.write_text(ground.read_text() + "\nNever more than 4711 of `zork`.\n")
    found = faults(copied)
    assert len(found) == 6
    assert {(item.file, item.field) for item in found} == {
        ("tasks/copied/prd/ground.md", f"line {lines + 2}")
    }
    assert "4711 is said neither by the PRD of L1" in found[1].message + found[0].message
    assert all("say it in prd/L" in item.mend for item in found)


def test_what_a_record_says_counts(copied: Path) -> None:
    ground = copied / "prd" / "ground.md"
    ground.write_text(ground.read_text() + "\nNever more than 4711.\n")
    for level in ("L1", "L2", "L3"):

        def say(oracle: dict[str, Any]) -> None:
            oracle["hidden_constraints"][0]["oracle_response"] += " Never more than 4711."

        records(copied, level, say)
    assert not [item for item in faults(copied) if "4711" in item.message]


def test_a_ground_prd_without_examples_is_found(copied: Path) -> None:
    ground = copied / "prd" / "ground.md"
    ground.write_text(ground.read_text().replace("```case", "```json"))
    (found,) = faults(copied)
    assert "no example" in found.message
    assert "```case" in found.mend


def test_levels_leaks_and_witnesses_are_judged_with_mends(copied: Path) -> None:
    def spoil(oracle: dict[str, Any]) -> None:
        first, second = oracle["hidden_constraints"][:2]
        first["constraint_id"] = "elsewhere"
        second["oracle_response"] += " As bracex does."
        second["witnesses"] = [{"case": "no-such-01", "naive_output": "x"}]

    records(copied, "L3", spoil)
    found = {item.field or "": item for item in faults(copied)}
    place = "oracle_data.hidden_constraints"
    assert "not at L2" in found[f"{place}.0.constraint_id"].message
    assert "vaguer level" in found[f"{place}.0.constraint_id"].mend
    assert f"{place}.1.oracle_response" in found
    assert "no-such-01" in found[f"{place}.1.witnesses.0"].message
    assert "naive_output" in found[f"{place}.1.witnesses.0"].mend


def one_witness_each(oracle: dict[str, Any]) -> None:
    for item in oracle["hidden_constraints"]:
        item["witnesses"] = item["witnesses"][:1]


def test_too_few_witnessed_cases_and_questions_are_found(copied: Path) -> None:
    for level in ("L1", "L2", "L3"):
        records(copied, level, one_witness_each)
    file = copied.parent.parent / "user_agent_data" / "copied" / "audit.json"
    audit = json.loads(file.read_text())
    audit["distractors"] = audit["distractors"][:9]
    file.write_text(json.dumps(audit))
    found = {item.field: item.message for item in faults(copied)}
    assert "asking is worth little" in found["oracle_data.hidden_constraints.witnesses"]
    assert found["distractors"] == "There are 9 questions, not at least 10."


def test_with_examples_counts_and_figures_are_judged(copied: Path) -> None:
    file = copied.parent.parent / "user_agent_data" / "copied" / "audit.json"
    asked = json.loads(file.read_text())["records"]

    def spoil(oracle: dict[str, Any]) -> None:
        # Every record claims the words of another: questions go astray, and examples repeat the audit.
        items = oracle["hidden_constraints"]
        taken = [asked[item["constraint_id"]] for item in items]
        for item, words in zip(items, [*taken[1:], taken[0]], strict=True):
            item["examples"] = {"precise": [entry["question"] for entry in words]}

    records(copied, "L1", spoil)
    messages = [item.message for item in faults(copied)]
    assert any("is too like" in text for text in messages)
    assert any("not at least 8" in text for text in messages)
    assert any(text.startswith("recall@3 of targeted questions is") for text in messages)
    assert any(text.startswith("recall@3 of precise questions is") for text in messages)


def test_an_example_may_not_be_an_audit_question_in_other_words(copied: Path) -> None:
    file = copied.parent.parent / "user_agent_data" / "copied" / "audit.json"
    audit = json.loads(file.read_text())
    asked = "With how many digits does a descending series of hexadecimal offsets print its first member?"
    next(iter(audit["records"].values()))[0]["question"] = asked
    file.write_text(json.dumps(audit))
    paraphrase = asked.replace("print", "show")
    other = "How wide is the first number of a hexadecimal series that goes downwards?"

    def say(oracle: dict[str, Any]) -> None:
        oracle["hidden_constraints"][0]["examples"]["precise"] += [paraphrase, other]

    records(copied, "L1", say)
    messages = [item.message for item in faults(copied) if item.field and "examples" in item.field]
    assert messages == [f"'{paraphrase}' is too like '{asked}' of audit.json."]


def test_an_unreadable_file_is_a_fault_and_not_the_end(copied: Path) -> None:
    (copied.parent.parent / "user_agent_data" / "copied" / "L2.json").write_text("{")
    found = faults(copied)
    assert found
    assert any("not JSON" in item.message and item.mend == "correct it there." for item in found)


def test_a_task_file_that_is_not_valid_is_the_one_fault(copied: Path) -> None:
    spec = copied / "task.toml"
    spec.write_text(spec.read_text().replace('protocol = "rcb"', 'protocol = "http"'))
    report = check_gate("copied")
    assert not report.ok
    (found,) = report.faults
    assert (report.task, found.file, found.field) == ("copied", str(spec), "protocol")


def test_a_task_outside_the_roots_is_known_while_it_is_checked(
    copied: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ICAE_TASKS_PATH")
    found = find_task(copied)
    assert "copied" not in task_ids(include_drafts=True)
    with known(found):
        assert "copied" in task_ids(include_drafts=True)
    assert "copied" not in task_ids(include_drafts=True)
    moved = copied.rename(tmp_path / "copied")
    with pytest.raises(ConfigError, match="folder named 'tasks'"), known(find_task(moved)):
        pass
