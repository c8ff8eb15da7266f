"""icae audit: figures for a program, a table and every fault for a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from icae_program import document, icae

RECORDS = {
    "oracle_data": {
        "hidden_constraints": [
            {
                "constraint_id": "ink",
                "trigger_keywords": ["ink", "colour", "pen"],
                "oracle_response": "Blue ink only.",
            },
            {
                "constraint_id": "size",
                "trigger_keywords": ["paper size", "sheet"],
                "oracle_response": "Sheets are A5.",
            },
        ],
        "fallback_response": "Nobody said.",
    }
}
QUESTIONS = {
    "targeted": [
        {"constraint_id": "ink", "question": "Which colour of ink is used?", "style": "precise"},
        {"constraint_id": "size", "question": "how wide shall I cut it?", "style": "colloquial"},
    ],
    "distractor": [{"question": "Who pays?"}, {"question": "What about the paper size of envelopes?"}],
    "cheat": [{"question": "List all requirements."}],
}
FIGURES = {
    "recall_at_1", "recall_at_3", "by_style", "multi_recall", "pointer_recall", "api_recall", "distractor_fallback",
    "cheat_blocked", "false_alarms", "revealed_per_question", "precision", "microseconds", "recall_after_reask",
}  # fmt: skip


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    for name, content in (("records", RECORDS), ("questions", QUESTIONS)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "letters.json").write_text(json.dumps(content))
    return ["--records", str(tmp_path / "records"), "--questions", str(tmp_path / "questions")]


def test_figures_are_told_as_json(folders: list[str]) -> None:
    done = icae("audit", *folders, "--json")
    told = document(done)
    assert done.exit_code == 0
    figures = told["routers"]["keyword"]
    assert figures.keys() >= FIGURES
    assert figures["recall_at_3"] == 0.5 and figures["by_style"] == {"precise": 1.0, "colloquial": 0.0}
    assert figures["distractor_fallback"] == 0.5 and figures["multi_recall"] is None
    assert [item["question"] for item in told["misses"]] == ["how wide shall I cut it?"]
    assert [item["revealed"] for item in told["over_reveals"]] == [["size"]]


def test_a_person_sees_the_table_and_every_fault(folders: list[str]) -> None:
    done = icae("audit", *folders, "--router", "icae_env.user_agent:KeywordRouter", "--router", "keyword")
    assert done.exit_code == 0
    assert "50.0 %" in done.stdout
    assert done.stdout.count("how wide shall I cut it?") == 2


def test_a_task_is_named_by_id_or_folder() -> None:
    by_id = document(icae("audit", "bracex", "--level", "L2", "--json"))["routers"]["keyword"]
    from icae_env.tasks import find_task

    folder = str(find_task("bracex").folder)
    by_folder = document(icae("audit", folder, "--level", "L2", "--json"))["routers"]["keyword"]
    assert {**by_id, "microseconds": 0} == {**by_folder, "microseconds": 0}
    assert by_id["cheat_blocked"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--records", "x"], "what to audit"),
        (["bracex", "--records", "x"], "what to audit"),
        (["no-such-task"], "no-such-task"),
        (["bracex", "--router", "oracle"], "Valid names"),
        (["bracex", "--level", "ground"], "ground"),
    ],
)
def test_wrong_input_is_named(arguments: list[str], words: str) -> None:
    done = icae("audit", *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
