from __future__ import annotations

import json
from pathlib import Path

import pytest
from sample_corpus import QUESTIONS, write_corpus

from icae_env.errors import ConfigError, UserAgentError
from icae_env.tasks import task_ids
from icae_env.user_agent import KeywordRouter, Match, RecordSet, Routing
from icae_env.user_agent.audit import audit
from icae_env.user_agent.corpus import Corpus, folder_corpora, task_corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    (found,) = folder_corpora(*write_corpus(tmp_path))
    return found


class FixedRouter:
    """Answer every question in the same way."""

    routing = Routing(kind="fallback")

    def __init__(self, records: RecordSet) -> None:
        self.records = records

    def route(self, question: str) -> Routing:
        return self.routing


class TalkativeRouter(FixedRouter):
    routing = Routing(
        kind="records",
        matches=tuple(Match(id=name, score=1.0) for name in ("R1", "R2", "R3", "R4")),
        pointers=(),
        signature=False,
    )


class VagueRouter(FixedRouter):
    def route(self, question: str) -> Routing:
        return Routing(kind="vague") if "sulks" in question else KeywordRouter(self.records).route(question)


def test_every_rate_of_the_keyword_router_is_counted_by_hand(corpus: Corpus) -> None:
    report = audit([corpus], {"keyword": KeywordRouter})
    figures = report.routers["keyword"]
    assert figures.questions == 10
    assert figures.recall_at_3 == figures.recall_at_1 == figures.recall_after_reask == 3 / 4
    assert figures.by_style == {"precise": 1.0, "colloquial": 0.0}
    assert figures.multi_recall == figures.pointer_recall == figures.api_recall == 1.0
    assert figures.cheat_blocked == 1.0 and figures.false_alarms == 0.0 and figures.vague == 0.0
    assert figures.distractor_fallback == 1 / 2  # the sample knows about Sundays
    assert 0 < figures.microseconds < 100_000
    assert [(fault.wanted, fault.problem) for fault in report.misses] == [(("R1",), "missed")]
    assert [fault.question for fault in report.over_reveals] == ["What happens on a Sunday?"]


def test_a_router_that_says_nothing_misses_all_but_what_is_not_recorded(corpus: Corpus) -> None:
    report = audit([corpus], {"silent": FixedRouter})
    figures = report.routers["silent"]
    assert figures.recall_at_3 == figures.multi_recall == figures.pointer_recall == figures.api_recall == 0.0
    assert figures.distractor_fallback == 1.0 and figures.revealed_per_question == 0.0
    assert figures.precision is None and report.over_reveals == ()
    assert len(report.misses) == 7


def test_a_router_that_says_too_much_is_found_out(corpus: Corpus) -> None:
    figures = audit([corpus], {"talkative": TalkativeRouter}).routers["talkative"]
    # Three of the four matches fit into a reply, so R4 is touched and yet missed.
    assert (figures.recall_at_1, figures.recall_at_3) == (2 / 4, 3 / 4)
    assert figures.revealed_per_question == 3.0 and figures.precision == pytest.approx(3 / 12)
    assert figures.distractor_fallback == 0.0


def test_records_that_one_question_may_fairly_touch_are_no_over_reveal(tmp_path: Path) -> None:
    folders = write_corpus(tmp_path)
    before = audit(folder_corpora(*folders), {"talkative": TalkativeRouter}).routers["talkative"]
    pairs = [
        {"project": "booking", "ids": ["R1", "R3"]},
        {"project": "another", "ids": ["R1", "R2"]},
    ]
    (tmp_path / "ambiguous.json").write_text(json.dumps(pairs))
    after = audit(folder_corpora(*folders), {"talkative": TalkativeRouter}).routers["talkative"]
    assert (before.precision, after.precision) == (pytest.approx(3 / 12), pytest.approx(5 / 12))


def test_after_be_more_specific_another_question_is_asked_once(corpus: Corpus) -> None:
    figures = audit([corpus], {"vague": VagueRouter}).routers["vague"]
    assert figures.recall_at_3 == 3 / 4 and figures.vague == 1 / 4
    assert figures.recall_after_reask == 1.0


def test_a_router_that_fails_ends_the_audit(corpus: Corpus) -> None:
    class Lost(FixedRouter):
        routing = Routing(kind="records", matches=(Match(id="R99", score=1.0),))

    with pytest.raises(UserAgentError, match="R99"):
        audit([corpus], {"lost": Lost})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"targeted": [{"constraint_id": "R9", "question": "?", "style": "precise"}]}, "R9"),
        ({"pointers": [{"vague_reference": "the bell", "question": "?"}]}, "the bell"),
        ({"targeted": [{"question": "?"}]}, "missing"),
        ({"extra": []}, "unknown"),
    ],
)
def test_a_bad_question_file_is_named(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    records, questions = write_corpus(tmp_path, **changes)
    with pytest.raises(ConfigError, match=words) as error:
        folder_corpora(records, questions)
    assert error.value.file == questions / "booking.json"


def test_missing_files_are_named(tmp_path: Path) -> None:
    records, questions = write_corpus(tmp_path)
    with pytest.raises(ConfigError, match="no question file"):
        folder_corpora(records, tmp_path / "nowhere")
    (records / "booking.json").unlink()
    with pytest.raises(ConfigError, match="missing"):
        folder_corpora(records, questions)


def test_a_task_is_audited_at_each_level_it_hides_something() -> None:
    name = task_ids()[0]
    sizes = [len(task_corpus(name, level).questions) for level in ("L1", "L2", "L3")]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] > 0
    for corpus in (task_corpus(name, level) for level in ("L1", "L3")):
        assert {key for item in corpus.questions for key in item.records} <= set(corpus.records.ids)
    with pytest.raises(ConfigError, match="ground"):
        task_corpus(name, "ground")


def test_the_sample_has_each_kind_of_question(corpus: Corpus) -> None:
    assert {item.kind for item in corpus.questions} == {
        "targeted",
        "multi",
        "pointer",
        "api",
        "distractor",
        "cheat",
    }
    assert len(corpus.questions) == sum(map(len, QUESTIONS.values()))
