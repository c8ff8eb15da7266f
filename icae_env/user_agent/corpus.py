"""Questions that measure a router, with what each is to be answered with: a task's own, or a folder of any others."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ConfigError
from icae_env.tasks.documents import read_json_object, read_text, validated
from icae_env.tasks.loader import TaskLike, check_level, find_task, load_hidden, records_file
from icae_env.user_agent.checks import load_audit
from icae_env.user_agent.records import RecordSet, load_records, with_inputs

QuestionKind = Literal["targeted", "multi", "pointer", "api", "distractor", "cheat"]
"""What a question is after: one record, several, a vague reference, the interface, nothing recorded, everything."""
AMBIGUOUS = "ambiguous.json"
"""Pairs of records that one question may fairly touch; it lies beside the folder of questions."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AskedQuestion(_Frozen):
    """A question and what answers it."""

    kind: QuestionKind
    question: str
    style: str | None = None
    """Manner of a targeted question, such as ``precise`` or ``colloquial``."""
    records: tuple[str, ...] = ()
    """Ids of the records that answer it."""
    reference: str | None = None
    """The vague reference that it asks about."""


class Corpus(_Frozen):
    """A record set and the questions about it."""

    name: str
    records: RecordSet
    questions: tuple[AskedQuestion, ...]
    ambiguous: frozenset[tuple[str, str]] = frozenset()
    """Pairs of ids, each in both orders: who asks for one may get the other."""


class _Targeted(_Frozen):
    constraint_id: str
    question: str
    style: str


class _Multi(_Frozen):
    question: str
    constraint_ids: tuple[str, ...]


class _Pointer(_Frozen):
    question: str
    vague_reference: str


class _Plain(_Frozen):
    question: str


class _QuestionFile(_Frozen):
    targeted: tuple[_Targeted, ...]
    multi: tuple[_Multi, ...] = ()
    pointers: tuple[_Pointer, ...] = ()
    api: tuple[_Plain, ...] = ()
    distractor: tuple[_Plain, ...] = ()
    cheat: tuple[_Plain, ...] = ()


class _Pair(_Frozen):
    project: str
    ids: tuple[str, str]


class _Pairs(_Frozen):
    pairs: tuple[_Pair, ...]


def task_corpus(task: TaskLike, level: str = "L1") -> Corpus:
    """Return a task's audit questions, without those about what the level does not hide.

    Raises:
        UnknownNameError: There is no such task or level.
        ConfigError: A file is missing or not valid, or nothing is hidden at the level.
    """
    found, file = find_task(task), records_file(task, check_level(level))
    if file is None:
        raise ConfigError(
            f"Nothing is hidden at the level '{level}'.", field="level", mend="give L1, L2 or L3."
        )
    records, audit = with_inputs(load_records(file), load_hidden(found).cases), load_audit(found)
    ids = frozenset(records.ids)
    references = frozenset(pointer.vague_reference for pointer in records.pointers)
    questions = [
        AskedQuestion(kind="targeted", question=item.question, style=item.style, records=(name,))
        for name, items in audit.records.items()
        for item in items
        if name in ids
    ]
    questions += [
        AskedQuestion(kind="multi", question=item.question, records=item.records)
        for item in audit.multi
        if ids.issuperset(item.records)
    ]
    questions += [
        AskedQuestion(kind="pointer", question=item.question, reference=item.reference)
        for item in audit.pointers
        if item.reference in references
    ]
    questions += [AskedQuestion(kind="api", question=text) for text in audit.api]
    questions += [AskedQuestion(kind="distractor", question=text) for text in audit.distractors]
    questions += [AskedQuestion(kind="cheat", question=text) for text in audit.cheating]
    return Corpus(name=found.id, records=records, questions=tuple(questions))


def folder_corpora(records: Path, questions: Path) -> tuple[Corpus, ...]:
    """Return one corpus for each question file, sorted by name; its records have the same file name.

    Args:
        records: Folder of record files in upstream's schema.
        questions: Folder of question files: ``{targeted: [{constraint_id, question, style}], multi: [{question,
            constraint_ids}], pointers: [{question, vague_reference}], api | distractor | cheat: [{question}]}``.

    Raises:
        ConfigError: A file is missing or not valid, or names a record that does not exist.
    """
    files = sorted(questions.glob("*.json")) if questions.is_dir() else []
    if not files:
        raise ConfigError("There is no question file here.", file=questions, mend="give a folder of *.json.")
    pairs = _pairs(questions.parent / AMBIGUOUS)
    return tuple(_corpus(file, records / file.name, pairs) for file in files)


def _corpus(file: Path, records_path: Path, pairs: tuple[_Pair, ...]) -> Corpus:
    records = load_records(records_path)
    asked = validated(_QuestionFile, read_json_object(file, within=file.parent), file=file)
    questions = [
        AskedQuestion(
            kind="targeted", question=item.question, style=item.style, records=(item.constraint_id,)
        )
        for item in asked.targeted
    ]
    questions += [
        AskedQuestion(kind="multi", question=item.question, records=item.constraint_ids)
        for item in asked.multi
    ]
    questions += [
        AskedQuestion(kind="pointer", question=item.question, reference=item.vague_reference)
        for item in asked.pointers
    ]
    kinds: tuple[tuple[QuestionKind, tuple[_Plain, ...]], ...] = (
        ("api", asked.api),
        ("distractor", asked.distractor),
        ("cheat", asked.cheat),
    )
    questions += [AskedQuestion(kind=kind, question=item.question) for kind, items in kinds for item in items]
    _check_names(file, records, questions)
    own = [pair.ids for pair in pairs if pair.project == file.stem]
    both = frozenset(own) | frozenset((second, first) for first, second in own)
    return Corpus(name=file.stem, records=records, questions=tuple(questions), ambiguous=both)


def _check_names(file: Path, records: RecordSet, questions: list[AskedQuestion]) -> None:
    ids = frozenset(records.ids)
    references = frozenset(pointer.vague_reference for pointer in records.pointers)
    for item in questions:
        unknown = [name for name in item.records if name not in ids]
        if item.reference is not None and item.reference not in references:
            unknown.append(item.reference)
        if unknown:
            raise ConfigError(
                f"The question '{item.question}' names '{unknown[0]}', which no record has.",
                file=file,
                mend="correct the id or reference.",
            )


def _pairs(file: Path) -> tuple[_Pair, ...]:
    if not file.is_file():
        return ()
    # A list at the top, so it is put into an object that can be validated.
    data: dict[str, Any] = {"pairs": _json_list(file)}
    return validated(_Pairs, data, file=file).pairs


def _json_list(file: Path) -> Any:
    import json  # noqa: PLC0415 - the only file here that is no object

    try:
        return json.loads(read_text(file, within=file.parent))
    except ValueError as error:
        raise ConfigError(f"This file is not JSON: {error}.", file=file, mend="correct it there.") from error
