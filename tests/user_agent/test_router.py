from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sample_records import FALLBACK, write_records

from icae_env.tasks import find_task, records_file, task_ids
from icae_env.user_agent import KeywordRouter, RecordSet, Router, UserAgent, load_records
from icae_env.user_agent.audit import audit
from icae_env.user_agent.checks import load_audit
from icae_env.user_agent.corpus import task_corpus
from icae_env.user_agent.weights import Thresholds
from icae_env.user_agent.words import segment, stem, symbols


def chosen(records: RecordSet, question: str) -> list[str]:
    return [match.id for match in KeywordRouter(records).route(question).matches]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What if two wishes clash?", "R1"),
        ("DOUBLE-BOOKING: which of them wins?", "R1"),
        ("How are time zones and daylight saving handled?", "R2"),
        ("minwidth?", "R3"),
        ("min_width: what holds?", "R3"),
        ("MinWidth: what holds?", "R3"),
        ("Is the capacity a hard limit, i.e. what if too many people come?", "R4"),
        ("weekends: closed?", "R5"),
        ("Which exit code tells that something failed?", "R6"),
        ("anna typed the attic for noon and ben as well, who must leave?", "R1"),  # only by its example
    ],
)
def test_a_question_finds_its_record(records: RecordSet, question: str, first: str) -> None:
    assert chosen(records, question)[:1] == [first]


@pytest.mark.parametrize(
    "question",
    [
        "Which licence shall I use?",
        "Is a graphical front end wanted?",
        "Should a chart be drawn?",
        "Do colours matter?",
    ],
)
def test_what_no_record_answers_falls_back(records: RecordSet, question: str) -> None:
    routing = KeywordRouter(records).route(question)
    assert routing.kind == "fallback" and routing.matches == ()


def test_a_trigger_inside_another_word_does_not_count(records: RecordSet) -> None:
    assert chosen(records, "Is a statuesque, unclosed hunter's outcrowding welcome?") == []


def test_several_things_in_one_message_are_all_found(records: RecordSet) -> None:
    question = "1) what if wishes overlap 2) which time zone holds 3) which exit code tells of failure"
    assert set(chosen(records, question)) == {"R1", "R2", "R6"}


def test_pointers_and_signature_are_chosen_beside_the_records(records: RecordSet) -> None:
    router = KeywordRouter(records)
    assert router.route("What does 'as the caretaker's ledger has it' mean?").pointers == (0,)
    assert router.route("What does 'as the caretaker's ledger has it' mean?").kind == "pointer"
    for question in (
        "What are the names of the input fields?",
        "Does the program read from stdin?",
        "What is the command called, and which arguments does it take?",
    ):
        assert router.route(question).signature, question
    assert not router.route("What if two wishes clash?").signature
    bare = records.model_copy(update={"signature": ""})
    assert not KeywordRouter(bare).route("Does the program read from stdin?").signature


@pytest.mark.parametrize("question", ["What should I do?", "???", "and then", "Anything else?"])
def test_a_question_about_nothing_is_vague(records: RecordSet, question: str) -> None:
    assert KeywordRouter(records).route(question).kind == "vague"


def test_what_comes_near_a_record_is_to_be_asked_more_specifically(records: RecordSet) -> None:
    router = KeywordRouter(records)
    routing = router.route("What about a shorter slot my dear old friend?")
    assert routing.kind == "records"
    strict = KeywordRouter(records, thresholds=Thresholds(least=routing.matches[0].score / 0.85))
    assert strict.route("What about a shorter slot my dear old friend?").kind == "vague"
    far = KeywordRouter(records, thresholds=Thresholds(least=routing.matches[0].score / 0.5))
    assert far.route("What about a shorter slot my dear old friend?").kind == "fallback"
    # A yes-or-no question has named all that it is about.
    assert strict.route("Is there a shorter slot my dear old friend?").kind == "fallback"


def test_a_reference_is_found_by_quotation_or_by_its_words(tmp_path: Path) -> None:
    pointers = [
        {"vague_reference": "a way back", "actual_meaning": "The last booking is undone."},
        {"vague_reference": "as the porter has doors", "actual_meaning": "Sorted by floor."},
    ]
    router = KeywordRouter(load_records(write_records(tmp_path / "L1.json", context_pointers=pointers)))
    assert router.route('There is talk of "a way back". Where to?').pointers == (0,)
    assert router.route("Is that the way it is, and back then?").pointers == ()
    assert router.route("How would the porter have all these doors?").pointers == (1,)
    assert router.route("Is there a porter?").pointers == ()
    assert router.route("Is there a porter on each floor?").pointers == (1,)


def test_no_records_at_all_is_no_obstacle() -> None:
    routing = KeywordRouter(RecordSet(fallback=FALLBACK)).route("What if two wishes clash? And then?")
    assert routing.kind == "fallback"


def test_casing_changes_nothing(records: RecordSet) -> None:
    router = KeywordRouter(records)
    for question in ("What about minWidth and the exit code?", "How do time zones work, is stdin UTF-8?"):
        assert router.route(question) == router.route(question.upper()) == router.route(question.lower())


def test_the_keyword_router_keeps_the_protocol(records: RecordSet) -> None:
    assert isinstance(KeywordRouter(records), Router)


SCRIPT = """
import json, sys
from pathlib import Path
from icae_env.user_agent import UserAgent, load_records
user_agent = UserAgent(load_records(Path(sys.argv[1])))
for question in json.load(sys.stdin):
    session = user_agent.session()
    print(session.ask(question).model_dump_json(), session.diagnostics[0].model_dump_json())
"""


def test_two_hash_seeds_give_the_same_replies_and_scores() -> None:
    task = find_task(task_ids()[0])
    audit, file = load_audit(task), records_file(task, "L1")
    questions = [item.question for items in audit.records.values() for item in items]
    questions += [*audit.distractors, *audit.api, *audit.cheating, *(item.question for item in audit.multi)]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(file)],
            input=json.dumps(questions),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    }
    assert len(outputs) == 1 and len(outputs.pop().splitlines()) == len(questions) > 60


@pytest.mark.parametrize("name", task_ids())
def test_the_shipped_records_answer_their_audit_questions(name: str) -> None:
    """Bars below what is measured today, so that a change of the router or of a record cannot ruin a task unseen."""
    corpus = task_corpus(name)
    figures = audit([corpus], {"keyword": KeywordRouter}).routers["keyword"]
    described = all(len(record.examples.all) >= 8 for record in corpus.records.records)
    assert (figures.recall_at_3 or 0) >= (0.8 if described else 0.65)
    assert (figures.distractor_fallback or 0) >= 0.7
    assert figures.cheat_blocked == 1.0
    assert figures.false_alarms == 0.0


def test_a_long_hostile_question_costs_no_time(records: RecordSet) -> None:
    user_agent = UserAgent(records)
    for text in (
        "list all the " * 150,
        "a" * 2000,
        "minwidth" * 250,
        "names of the " * 150,
        "," * 2000,
        "{" * 2000,
    ):
        start = time.perf_counter()
        user_agent.session().ask(text[:2000])
        assert time.perf_counter() - start < 2.0, text[:20]


def test_stems_join_the_forms_of_a_word() -> None:
    for forms in (
        ("overlap", "overlaps", "overlapping", "overlapped"),
        ("negate", "negation", "negated"),
        ("entry", "entries"),
        ("match", "matches", "matching"),
        ("round", "rounding", "rounded"),
    ):
        assert len({stem(form) for form in forms}) == 1, forms
    assert stem("status") == "status" and stem("class") == "class" and stem("utf8") == "utf8"


def test_signs_are_told_from_the_punctuation_of_sentences() -> None:
    assert list(symbols("Does ** match {a}? Yes. No: never!")) == ["**", "{", "}"]


def test_only_words_made_of_known_words_are_taken_apart() -> None:
    assert segment("minwidth", {"min", "width"}) == ["min", "width"]
    assert segment("minwidths", {"min", "width"}) == ["minwidths"]
