"""A corpus in upstream's layout becomes task folders that play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from real_sandboxes import open_or_skip
from small_corpus import ALIAS, FOLDERS, KEY, SUBMISSION, case, record, write, write_corpus

import icae_env
from icae_env.construction.icae_bench import import_corpus
from icae_env.errors import ConfigError
from icae_env.evaluation import evaluate, load_submission
from icae_env.sandbox.base import Backend
from icae_env.tasks import find_task, load_hidden, load_public, records_file
from icae_env.user_agent import load_records


@pytest.fixture
def backend() -> Iterator[Backend]:
    with closing(open_or_skip("bubblewrap")) as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data root that a corpus was imported into."""
    place = tmp_path / "imported"
    report = import_corpus(write_corpus(tmp_path / "corpus"), place)
    assert [item.task for item in report.imported] == [ALIAS]
    assert report.skipped == ()
    monkeypatch.setenv("ICAE_TASKS_PATH", str(place))
    return place


def test_it_loads_at_every_level(root: Path) -> None:
    for level in FOLDERS:
        assert f"as {level} has it" in load_public(ALIAS, level).prd
        file = records_file(ALIAS, level)
        assert file is not None
        records = load_records(file)
        assert records.ids == ("empty_word",)
        assert records.ignored == ()
        assert records.fallback == "The document does not say."
    spec = find_task(ALIAS).spec
    assert (spec.language, spec.image, spec.protocol, spec.comparison) == ("python", "python", "rcb", "exact")
    assert spec.source.package == "shouter"
    assert spec.source.identifiers == (KEY, "some-user")


def test_cases_get_ids_and_public_ones_are_marked_or_added(root: Path) -> None:
    cases = {item.id: item for item in load_hidden(ALIAS).cases}
    assert list(cases) == [
        *("words-plain-001", "words-plain-002", "words-plain-003"),
        *("lists-001", "shown-001", "lists-002"),
    ]
    assert {name for name, item in cases.items() if item.public} == {
        "words-plain-001",
        "lists-001",
        "shown-001",
    }
    assert cases["lists-001"].expected_output == '["1"]'
    assert cases["lists-002"].suite == "enhanced"
    assert cases["shown-001"].input == {"text": "zz"}
    assert cases["words-plain-003"].stem == "Words-Plain"


def test_what_has_no_effect_is_told_and_kept(root: Path) -> None:
    side = json.loads((root / "tasks" / ALIAS / "imported.json").read_text())
    assert side["alias"]["total_code_files"] == 3
    notes = {(note["file"], note["field"]): note["value"] for note in side["notes"]}
    assert notes["prd_json/realcode@001.json", "model"] == "writer-9"
    assert notes["prd_json_easy/realcode@001.json", "oracle_data.hidden_constraints.0.difficulty"] == 3
    plain = f"rcb_tests_repos/{KEY}/rcb_tests/test_cases/Words Plain.json"
    assert notes[plain, "cases.1.weight"] == 2
    assert (plain, None) in notes  # it was renamed
    assert ("public_test_cases", None) in notes  # one was added


def test_it_plays_with_its_user_agent(root: Path, backend: Backend) -> None:
    env = icae_env.make_env(ALIAS, "L1", backend, "host")
    with closing(env):
        observation, _ = env.reset(seed=0)
        assert "as L1 has it" in observation["text"]
        answers = [
            env.step({"type": "ask_user", "question": question})[0]["text"]
            for question in (
                "What is printed for an empty word?",
                "What is the house mark?",
                "Which colour has the moon over Lisbon?",
            )
        ]
        assert "For an empty word print NOTHING." in answers[0]
        assert "exclamation mark" in answers[1]
        assert "The document does not say." in answers[2]
        env.step({"type": "edit", "op": "create", "path": "rcb_tests/test.sh", "text": SUBMISSION})
        _, reward, terminated, _, _ = env.step({"type": "submit"})
    assert terminated
    assert reward == pytest.approx(4 / 6)


def test_a_submission_is_evaluated(root: Path, backend: Backend, tmp_path: Path) -> None:
    write(tmp_path / "work" / "unused.json", {})
    script = tmp_path / "work" / "rcb_tests" / "test.sh"
    script.parent.mkdir()
    script.write_text(SUBMISSION)
    report = evaluate(load_hidden(ALIAS), load_submission(tmp_path / "work"), backend, image="host")
    failed = [item.id for item in report.cases if item.outcome != "pass"]
    assert failed == ["words-plain-003", "lists-001"]
    assert report.reward == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    "tests", [f"rcb_tests/{ALIAS}", f"{ALIAS}/rcb_tests", f"rcb_tests/{KEY}/rcb_tests", "rcb_tests"]
)
def test_tests_are_found_wherever_they_usually_lie(tmp_path: Path, tests: str) -> None:
    (found,) = import_corpus(write_corpus(tmp_path / "corpus", tests=tests), tmp_path / "out").imported
    assert (found.native, found.enhanced, found.public) == (5, 1, 3)


def test_tests_may_lie_elsewhere_and_records_in_a_whole_checkout(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", tests=f"../elsewhere/{KEY}/rcb_tests")
    for folder in FOLDERS.values():
        (corpus / "user_agent").mkdir(exist_ok=True)
        (corpus / folder).rename(corpus / "user_agent" / folder)
    (skipped,) = import_corpus(corpus, tmp_path / "out").skipped
    assert "no native cases" in skipped.reason
    assert not (tmp_path / "out").exists()
    assert import_corpus(corpus, tmp_path / "out", tests=tmp_path / "elsewhere").imported


def test_what_is_wrong_with_one_task_does_not_keep_out_another(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    for folder in FOLDERS.values():
        (corpus / folder / "realcode@002.json").write_text("{")
        write(corpus / folder / "realcode@003.json", {"oracle_data": {}})
    report = import_corpus(corpus, tmp_path / "out")
    assert [item.task for item in report.imported] == [ALIAS]
    assert [item.task for item in report.skipped] == ["realcode@002", "realcode@003"]
    assert all("No level has both records and a PRD" in item.reason for item in report.skipped)
    again = import_corpus(corpus, tmp_path / "out")
    assert again.imported == ()
    assert "exists already" in again.skipped[0].reason
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["tasks", "user_agent_data"]


def test_odd_records_and_cases_are_mended_or_left_out_with_a_note(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    odd = record("L1")
    oracle = odd["oracle_data"]
    oracle["hidden_constraints"] += [
        {"constraint_id": "empty_word", "trigger_keywords": "loud", "oracle_response": {"table": [1]}},
        {"constraint_id": "silent", "oracle_response": ""},
        "no record",
    ]
    oracle["context_pointers"] = {"as usual": "loudly"}
    oracle["fallback_response"] = " "
    odd["public_test_cases"] = [case("own", "OWN!")]
    write(corpus / "prd_json" / f"{ALIAS}.json", odd)
    suite = corpus / "rcb_tests_repos" / KEY / "rcb_tests" / "test_cases"
    write(suite / "half.json", {"cases": [{"input": 1}, case("h", "H!")]})
    (suite / "broken.json").write_text("[")
    write(corpus / "repo_alias.json", {ALIAS: {"key": KEY, "language": "Dart"}})
    (found,) = import_corpus(corpus, tmp_path / "out").imported
    assert (found.language, found.native, found.public) == ("dart", 7, 4)
    records = load_records(tmp_path / "out" / "user_agent_data" / ALIAS / "L1.json")
    assert records.ids == ("empty_word", "empty_word-2")
    assert records.records[1].trigger_keywords == ("loud",)
    assert '"table"' in records.records[1].oracle_response
    assert records.pointers[0].actual_meaning == "loudly"
    said = " ".join(note.message for note in found.notes)
    for text in (
        "no image for 'Dart'",
        "without a response",
        "no object",
        "without input",
        "left out: This file is not JSON",
    ):
        assert text in said


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no record files"):
        import_corpus(tmp_path, tmp_path / "out")


def test_no_name_of_the_corpus_leads_out_of_it(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    write_corpus(tmp_path / "other", tests="stolen")
    write(corpus / "repo_alias.json", {ALIAS: {"key": "../../other/stolen", "language": "Go"}})
    (skipped,) = import_corpus(corpus, tmp_path / "out").skipped
    assert "no native cases" in skipped.reason
