"""Whether a task's audit questions are complete, and whether the User Agent answers them well enough."""

from __future__ import annotations

from functools import lru_cache, partial

from icae_env.errors import ConfigError
from icae_env.registry import resolve
from icae_env.tasks import TaskFolder, records_file
from icae_env.tasks.checks import Finding, guarded
from icae_env.user_agent import RecordSet, load_records
from icae_env.user_agent.audit import Figures, audit
from icae_env.user_agent.checks import Audit, load_audit
from icae_env.user_agent.corpus import task_corpus
from icae_env.user_agent.words import raw_words, stem, symbols

ROUTER = "keyword"
LEAST_QUESTIONS = 3
"""Audit questions for each record."""
LEAST_DISTRACTORS, LEAST_CHEATS = 10, 5
LEAST_EXAMPLES = 8
"""Example questions of a record, once a task's records have any."""
MOST_ALIKE = 0.75
"""Share of words that an example and an audit question may have in common; a paraphrase would prove nothing."""
_Words = frozenset[str]
"""Words of a question, each with how often it stood there before."""
LEAST_BY_STYLE = {"precise": 0.95, "wordy": 0.90, "colloquial": 0.60}
"""recall@3 of targeted questions in each manner, for records with examples."""
LEAST_RECALL, LEAST_FALLBACK, LEAST_BLOCKED = 0.85, 0.90, 1.0
MOST_FALSE_ALARMS = 0.01


def check_questions(task: TaskFolder) -> tuple[Finding, ...]:
    """Return what is missing in audit questions and examples, and which figures of the audit are too low."""
    findings = guarded(task.user_agent, partial(_check_counts, task))
    findings += guarded(task.user_agent, partial(_check_examples, task))
    return (*findings, *guarded(task.user_agent, partial(_check_figures, task)))


def audit_figures(task: TaskFolder) -> Figures | None:
    """Return the audit's figures at L1; None where records or questions cannot be read."""
    try:
        return audit([task_corpus(task)], {ROUTER: resolve("router", ROUTER)}).routers[ROUTER]
    except ConfigError:
        return None  # what is wrong with the files is a finding of its own


def _records(task: TaskFolder) -> RecordSet:
    file = records_file(task, "L1")
    assert file is not None  # only 'ground' has none
    return load_records(file)


def _check_counts(task: TaskFolder) -> list[Finding]:
    asked, file = load_audit(task), task.user_agent / "audit.json"
    counts = {
        f"records.{name}": (len(asked.records.get(name, ())), LEAST_QUESTIONS) for name in _records(task).ids
    }
    counts["distractors"] = (len(asked.distractors), LEAST_DISTRACTORS)
    counts["cheating"] = (len(asked.cheating), LEAST_CHEATS)
    return [
        Finding(
            file=file,
            field=field,
            message=f"There are {count} questions, not at least {least}. Mend: write more.",
        )
        for field, (count, least) in counts.items()
        if count < least
    ]


def _check_examples(task: TaskFolder) -> list[Finding]:
    records = _records(task)
    if not any(record.examples.all for record in records.records):
        return []
    assert records.file is not None
    asked = _questions(load_audit(task))
    findings: list[Finding] = []
    for index, record in enumerate(records.records):
        manners = (record.examples.precise, record.examples.wordy, record.examples.colloquial)
        messages = [
            f"'{text}' is too like '{question}' of audit.json. Mend: give another example, or none."
            for text, said in ((text, _words(text)) for text in record.examples.all)
            for question, words in asked.items()
            if _shared(said, words) > MOST_ALIKE
        ]
        if len(record.examples.all) < LEAST_EXAMPLES or not all(manners):
            messages.append(
                f"'{record.constraint_id}' has {len(record.examples.all)} examples, not at least "
                f"{LEAST_EXAMPLES} with some in each of the three manners."
            )
        place = f"oracle_data.hidden_constraints.{index}.examples"
        findings += [Finding(file=records.file, field=place, message=message) for message in messages]
    return findings


def _questions(asked: Audit) -> dict[str, _Words]:
    """Return the words of each question that a record answers."""
    targeted = [item.question for items in asked.records.values() for item in items]
    return {text: _words(text) for text in (*targeted, *(item.question for item in asked.multi))}


def alike(one: str, other: str) -> float:
    """Return the share of words and signs that two questions have in common, from 0 to 1, each as often as it occurs."""
    return _shared(_words(one), _words(other))


def _shared(one: _Words, other: _Words) -> float:
    return 2 * len(one & other) / max(1, len(one) + len(other))


@lru_cache(maxsize=4096)
def _words(text: str) -> _Words:
    found: list[str] = [*map(stem, raw_words(text)), *symbols(text)]
    return frozenset(f"{word} {found[:place].count(word)}" for place, word in enumerate(found))


def plain(text: str) -> str:
    """Return a question without what does not count when two of them are compared: casing and spacing."""
    return " ".join(text.casefold().split())


def _check_figures(task: TaskFolder) -> list[Finding]:
    # Without examples the router has less to go by, and no figures are promised.
    if not any(record.examples.all for record in _records(task).records):
        return []
    figures = audit_figures(task)
    if figures is None:
        return []
    file = task.user_agent / "audit.json"
    mend = f"see icae audit {task.id}: mend triggers, examples or unclear responses, never the questions."
    return [
        Finding(
            file=file, message=f"{name} is {100 * value:.1f} %, not {word} {100 * bound:.0f} %. Mend: {mend}"
        )
        for name, value, word, bound in _bounds(figures)
        if value is not None and (value < bound if word == "at least" else value > bound)
    ]


def _bounds(figures: Figures) -> list[tuple[str, float | None, str, float]]:
    """Return what is judged: name, value, direction and bound."""
    by_style = [
        (f"recall@3 of {style} questions", figures.by_style.get(style), "at least", least)
        for style, least in LEAST_BY_STYLE.items()
    ]
    return [
        ("recall@3 of targeted questions", figures.recall_at_3, "at least", LEAST_RECALL),
        *by_style,
        ("the fallback to distractors", figures.distractor_fallback, "at least", LEAST_FALLBACK),
        ("the refusal of cheating questions", figures.cheat_blocked, "at least", LEAST_BLOCKED),
        ("the refusal of honest questions", figures.false_alarms, "at most", MOST_FALSE_ALARMS),
    ]
