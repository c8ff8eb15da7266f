from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sample_records import CONSTRAINTS, FALLBACK, write_records

from icae_env.errors import ConfigError
from icae_env.tasks import find_task, load_public, records_file, task_ids
from icae_env.user_agent import RecordSet, load_records, with_records


def test_records_are_read_with_our_own_fields(records: RecordSet) -> None:
    assert records.ids == ("R1", "R2", "R3", "R4", "R5", "R6")
    first = records.records[0]
    assert first.witnesses[0].case == "clash-01" and first.witnesses[0].naive_output == "both"
    assert len(first.examples.all) == 1 and not first.artefact
    assert records.fallback == FALLBACK and records.ignored == ()


def test_unknown_keys_are_kept_and_reported(tmp_path: Path) -> None:
    constraints = [CONSTRAINTS[0] | {"severity": "high"}, CONSTRAINTS[1]]
    file = write_records(tmp_path / "L1.json", hidden_constraints=constraints, persona={"mood": "calm"})
    data = json.loads(file.read_text()) | {"public_test_cases": [1], "fuzzy_prd": "Book rooms."}
    file.write_text(json.dumps(data))
    records = load_records(file)
    assert {item.field: item.value for item in records.ignored} == {
        "public_test_cases": [1],
        "oracle_data.persona": {"mood": "calm"},
        "oracle_data.hidden_constraints.0.severity": "high",
    }
    assert records.fuzzy_prd == "Book rooms." and records.ids == ("R1", "R2")


def test_what_upstream_leaves_out_may_be_missing(tmp_path: Path) -> None:
    file = tmp_path / "L1.json"
    file.write_text(
        '{"oracle_data": {"hidden_constraints": [{"constraint_id": "A", "oracle_response": "Yes."}]}}'
    )
    records = load_records(file)
    assert records.ids == ("A",) and records.pointers == () and records.signature == "" and records.fallback


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"hidden_constraints": {}}, "oracle_data.hidden_constraints", "list"),
        ({"hidden_constraints": ["R1"]}, "oracle_data.hidden_constraints.0", "object"),
        (
            {"hidden_constraints": [{"constraint_id": "A"}]},
            "oracle_data.hidden_constraints.0.oracle_response",
            "missing",
        ),
        (
            {"hidden_constraints": [CONSTRAINTS[0]] * 2},
            "oracle_data.hidden_constraints.1.constraint_id",
            "twice",
        ),
        (
            {"hidden_constraints": [CONSTRAINTS[0] | {"trigger_keywords": "overlap"}]},
            "oracle_data.hidden_constraints.0.trigger_keywords",
            "array",
        ),
        (
            {"hidden_constraints": [CONSTRAINTS[0] | {"witnesses": [{"id": "x"}]}]},
            "oracle_data.hidden_constraints.0.witnesses.0.case",
            "missing",
        ),
        (
            {"hidden_constraints": [CONSTRAINTS[0] | {"examples": {"verbose": []}}]},
            "oracle_data.hidden_constraints.0.examples.verbose",
            "unknown",
        ),
        (
            {"context_pointers": [{"vague_reference": "x"}]},
            "oracle_data.context_pointers.0.actual_meaning",
            "missing",
        ),
        ({"golden_api_signature": 3}, "oracle_data.golden_api_signature", "text"),
        ({"fallback_response": " "}, "oracle_data.fallback_response", "empty"),
    ],
)
def test_a_bad_record_file_names_file_field_and_mend(
    tmp_path: Path, changes: dict[str, Any], field: str, words: str
) -> None:
    file = write_records(tmp_path / "L2.json", **changes)
    with pytest.raises(ConfigError, match=words) as error:
        load_records(file)
    assert (error.value.file, error.value.field) == (file, field)
    assert error.value.mend


def test_a_missing_file_or_missing_records_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="missing"):
        load_records(tmp_path / "L1.json")
    (tmp_path / "L1.json").write_text("{}")
    with pytest.raises(ConfigError, match="oracle_data"):
        load_records(tmp_path / "L1.json")


def test_the_recovered_prd_says_all_that_is_hidden() -> None:
    task = find_task(task_ids()[0])
    file = records_file(task, "recovered")
    assert file is not None
    records = load_records(file)
    plain = load_public(task, "recovered")
    full = with_records(plain, records)
    assert full.prd.startswith(plain.prd.rstrip("\n")) and full.level == "recovered"
    said = [
        *(item.oracle_response for item in records.records),
        *(item.actual_meaning for item in records.pointers),
    ]
    assert all(text.strip().replace("\n", "\n  ") in full.prd for text in said)
    assert records.signature in full.prd


def test_the_recovered_prd_names_no_id_or_trigger(records: RecordSet) -> None:
    prd = with_records(load_public(task_ids()[0], "recovered"), records).prd
    assert not any(name in prd for name in records.ids) and "daylight saving" not in prd
