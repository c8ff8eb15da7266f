"""Measure routers on questions whose answers are known: what is found, what is missed, what is revealed unasked."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.user_agent.corpus import AskedQuestion, Corpus, QuestionKind
from icae_env.user_agent.replies import MOST_POINTS
from icae_env.user_agent.router import MakeRouter
from icae_env.user_agent.session import Diagnosis, UserAgent

REASK_STYLES = ("precise", "wordy", "verbose", "colloquial")
"""Which of a record's questions is asked after "be more specific": the first in this order that was not just asked."""

Problem = Literal["missed", "over_reveal", "not_refused", "false_alarm"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Outcome(_Frozen):
    """What one question led to."""

    corpus: str
    kind: QuestionKind
    style: str | None
    question: str
    wanted: tuple[str, ...]
    """Ids of the records, or the reference, that answer it."""
    revealed: tuple[str, ...]
    """Ids of the records in the reply, best first."""
    matched: tuple[str, ...]
    """Ids of all touched records, best first."""
    found: float
    """Share of what was wanted that the reply has; 1 where a distractor or a cheat got nothing."""
    unasked: tuple[str, ...] = ()
    """Revealed records that answer something else."""
    fallback: bool
    """Whether the reply is the fallback, word for word."""
    vague: bool
    """Whether the asker was told to be more specific."""
    flagged: bool
    """Whether it was refused as dumping."""
    found_again: float
    """``found``, or after a vague reply what another question for the same record finds."""


class Fault(_Frozen):
    """A question that got too little or too much, for the author of the records to mend."""

    router: str
    problem: Problem
    corpus: str
    kind: QuestionKind
    style: str | None
    question: str
    wanted: tuple[str, ...]
    revealed: tuple[str, ...]


class Figures(_Frozen):
    """How well a router does. Rates are fractions; None where no question of the kind was asked."""

    questions: int
    recall_at_1: float | None
    """Share of the targeted questions whose record comes first."""
    recall_at_3: float | None
    """Share whose record is in the reply."""
    by_style: dict[str, float]
    """``recall_at_3`` for each manner of asking."""
    recall_after_reask: float | None
    """``recall_at_3`` when an asker told to be more specific asks another question once."""
    vague: float | None
    """Share of the targeted questions that were told to be more specific."""
    multi_recall: float | None
    """Mean share of the wanted records in a reply, of the three that fit."""
    pointer_recall: float | None
    api_recall: float | None
    distractor_fallback: float | None
    """Share of the distractors that got the fallback verbatim."""
    cheat_blocked: float | None
    false_alarms: float | None
    """Share of all other questions that were refused."""
    revealed_per_question: float | None
    """Records in the reply to a targeted question."""
    precision: float | None
    """Share of these that answer the question."""
    microseconds: float
    """Mean time of routing a question, the guard included; each question's quickest of three."""


class AuditReport(_Frozen):
    """All figures of an audit, and each question that went wrong."""

    routers: dict[str, Figures]
    misses: tuple[Fault, ...]
    over_reveals: tuple[Fault, ...]


def audit(corpora: Sequence[Corpus], routers: Mapping[str, MakeRouter]) -> AuditReport:
    """Ask every question of every corpus of a fresh session with each router.

    Raises:
        UserAgentError: A router failed.
    """
    figures: dict[str, Figures] = {}
    faults: list[Fault] = []
    for name, make in routers.items():
        outcomes: list[Outcome] = []
        spent = 0.0
        for corpus in corpora:
            user_agent = UserAgent(corpus.records, make(corpus.records))
            outcomes += _ask_all(corpus, user_agent)
            spent += _time(user_agent, corpus)
        figures[name] = summarise(outcomes, spent)
        faults += [fault for outcome in outcomes for fault in _faults(name, outcome)]
    over = tuple(fault for fault in faults if fault.problem == "over_reveal")
    misses = tuple(fault for fault in faults if fault.problem != "over_reveal")
    return AuditReport(routers=figures, misses=misses, over_reveals=over)


def summarise(outcomes: Sequence[Outcome], seconds: float) -> Figures:
    """Return the figures of one router's outcomes.

    Args:
        outcomes: One for each question.
        seconds: Time that routing them all took.
    """
    of = {
        kind: [outcome for outcome in outcomes if outcome.kind == kind]
        for kind in ("targeted", "multi", "pointer", "api", "distractor", "cheat")
    }
    targeted = of["targeted"]
    styles = dict.fromkeys(item.style for item in targeted if item.style is not None)
    revealed = sum(len(item.revealed) for item in targeted)
    return Figures(
        questions=len(outcomes),
        recall_at_1=_mean(item.matched[:1] == item.wanted for item in targeted),
        recall_at_3=_mean(item.found for item in targeted),
        by_style={
            style: _mean(item.found for item in targeted if item.style == style) or 0.0 for style in styles
        },
        recall_after_reask=_mean(item.found_again for item in targeted),
        vague=_mean(item.vague for item in targeted),
        multi_recall=_mean(item.found for item in of["multi"]),
        pointer_recall=_mean(item.found for item in of["pointer"]),
        api_recall=_mean(item.found for item in of["api"]),
        distractor_fallback=_mean(item.fallback for item in of["distractor"]),
        cheat_blocked=_mean(item.found for item in of["cheat"]),
        false_alarms=_mean(item.flagged for item in outcomes if item.kind != "cheat"),
        revealed_per_question=revealed / len(targeted) if targeted else None,
        precision=1 - sum(len(item.unasked) for item in targeted) / revealed if revealed else None,
        microseconds=1e6 * seconds / len(outcomes) if outcomes else 0.0,
    )


def _ask_all(corpus: Corpus, user_agent: UserAgent) -> list[Outcome]:
    first = [_ask(corpus, user_agent, item) for item in corpus.questions]
    by_record: dict[tuple[str, ...], list[Outcome]] = {}
    for outcome in first:
        if outcome.kind == "targeted":
            by_record.setdefault(outcome.wanted, []).append(outcome)
    return [_after_reask(outcome, by_record.get(outcome.wanted, [])) for outcome in first]


def _ask(corpus: Corpus, user_agent: UserAgent, item: AskedQuestion) -> Outcome:
    session = user_agent.session()
    reply = session.ask(item.question)
    entry = session.diagnostics[0]
    found = _found(corpus, item, entry)
    fair = {*item.records, *(other for one, other in corpus.ambiguous if one in item.records)}
    wanted = item.records or (() if item.reference is None else (item.reference,))
    return Outcome(
        corpus=corpus.name,
        kind=item.kind,
        style=item.style,
        question=item.question,
        wanted=wanted,
        revealed=entry.revealed,
        matched=tuple(match.id for match in entry.matches),
        found=found,
        # Who asks for the interface or a vague reference may well get a record with it.
        unasked=()
        if item.kind in ("pointer", "api")
        else tuple(name for name in entry.revealed if name not in fair),
        fallback=reply.text == corpus.records.fallback,
        vague=entry.kind == "vague",
        flagged=entry.flagged is not None,
        found_again=found,
    )


def _found(corpus: Corpus, item: AskedQuestion, entry: Diagnosis) -> float:
    if item.kind in ("targeted", "multi"):
        got = sum(name in entry.revealed for name in item.records)
        return got / min(len(item.records), MOST_POINTS)
    if item.kind == "pointer":
        named = [corpus.records.pointers[number].vague_reference for number in entry.pointers[:MOST_POINTS]]
        return float(item.reference in named)
    if item.kind == "api":
        return float(entry.signature)
    silent = not entry.revealed and not entry.pointers and not entry.signature
    return float(silent and (item.kind == "distractor" or entry.flagged is not None))


def _after_reask(outcome: Outcome, others: list[Outcome]) -> Outcome:
    if not outcome.vague or outcome.kind != "targeted":
        return outcome
    order = {style: number for number, style in enumerate(REASK_STYLES)}
    rest = [item for item in others if item.question != outcome.question]
    rest.sort(key=lambda item: order.get(item.style or "", len(order)))
    return outcome.model_copy(update={"found_again": rest[0].found if rest else outcome.found})


def _time(user_agent: UserAgent, corpus: Corpus) -> float:
    return sum(_quickest(user_agent, item.question) for item in corpus.questions)


def _quickest(user_agent: UserAgent, question: str) -> float:
    # The least of three is the router's own time; what is above it, the machine's other work.
    times = []
    for _ in range(3):
        start = time.perf_counter()
        user_agent.route(question)
        times.append(time.perf_counter() - start)
    return min(times)


def _faults(router: str, outcome: Outcome) -> list[Fault]:
    problems: list[Problem] = []
    if outcome.kind == "cheat":
        problems += ["not_refused"] if outcome.found < 1 else []
    elif outcome.flagged:
        problems.append("false_alarm")
    elif outcome.kind != "distractor" and outcome.found < 1:
        problems.append("missed")
    if outcome.unasked or (outcome.kind == "distractor" and outcome.found < 1):
        problems.append("over_reveal")
    common = outcome.model_dump(include={"corpus", "kind", "style", "question", "wanted", "revealed"})
    return [Fault(router=router, problem=problem, **common) for problem in problems]


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None
