"""Consistency checks of the User Agent's data of a task: levels, witnesses, triggers, leaks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.tasks.checks import Finding, check_folder, guarded, leaks, same_output
from icae_env.tasks.documents import read_json_object, validated
from icae_env.tasks.loader import TaskFolder, TaskLike, find_task, load_hidden
from icae_env.tasks.models import Case
from icae_env.user_agent.records import Record, RecordSet, load_records

Stored = Literal["L1", "L2", "L3"]
STORED: tuple[Stored, ...] = ("L1", "L2", "L3")
CONSTRAINTS: dict[Stored, tuple[int, int]] = {"L1": (12, 20), "L2": (6, 10), "L3": (1, 3)}
"""Least and most hidden constraints of each level."""
LEAST_TRIGGERS = 5
"""Trigger phrases that a record needs (paper, construction of levels)."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AuditQuestion(_Frozen):
    """A question that one record is to answer."""

    style: Literal["precise", "wordy", "colloquial"]
    question: str


class MultiQuestion(_Frozen):
    """A message that asks for several records."""

    question: str
    records: tuple[str, ...]


class PointerQuestion(_Frozen):
    """A question after a vague reference."""

    question: str
    reference: str


class Audit(_Frozen):
    """The content of ``audit.json``: questions that measure the router, written apart from the records' examples."""

    records: dict[str, tuple[AuditQuestion, ...]]
    """Questions by constraint id."""
    multi: tuple[MultiQuestion, ...] = ()
    pointers: tuple[PointerQuestion, ...] = ()
    api: tuple[str, ...] = ()
    """Questions that the signature answers."""
    distractors: tuple[str, ...] = ()
    """Questions that nothing answers."""
    cheating: tuple[str, ...] = ()
    """Requests that are refused."""


def load_audit(task: TaskLike) -> Audit:
    """Read a task's ``audit.json``.

    Raises:
        ConfigError: It is missing or not valid.
    """
    file = find_task(task).user_agent / "audit.json"
    return validated(Audit, read_json_object(file, within=file.parent), file=file)


def check_task(task: TaskLike) -> tuple[Finding, ...]:
    """Return all that does not hold in a task's folder and in its User Agent's data; empty when all is well.

    Raises:
        UnknownNameError: There is no such task.
        ConfigError: Its ``task.toml`` cannot be read.
    """
    found = find_task(task)
    findings = [*check_folder(found)]
    levels: dict[Stored, RecordSet] = {}
    for level in STORED:
        findings += guarded(found.user_agent, partial(_load, found, level, levels))
    findings += _check_nesting(levels)
    findings += guarded(found.folder, partial(_check_witnesses, found, levels))
    return (*findings, *guarded(found.user_agent, partial(_check_audit, found, levels)))


def _load(task: TaskFolder, level: Stored, levels: dict[Stored, RecordSet]) -> list[Finding]:
    file = task.user_agent / f"{level}.json"
    records = levels[level] = load_records(file)
    findings = [
        Finding(file=file, field=item.field, message="This key has no effect.") for item in records.ignored
    ]
    count, (least, most) = len(records.records), CONSTRAINTS[level]
    if not least <= count <= most:
        findings.append(
            Finding(
                file=file,
                field="oracle_data.hidden_constraints",
                message=f"{level} hides {count} constraints, not {least} to {most}.",
            )
        )
    for field, text in (
        ("golden_api_signature", records.signature),
        ("fallback_response", records.fallback),
        *((f"context_pointers.{index}", item.actual_meaning) for index, item in enumerate(records.pointers)),
    ):
        findings += _leaks(task, file, f"oracle_data.{field}", text)
    if not records.signature:
        findings.append(
            Finding(file=file, field="oracle_data.golden_api_signature", message="The interface is missing.")
        )
    for index, record in enumerate(records.records):
        findings += _check_record(task, file, f"oracle_data.hidden_constraints.{index}", record)
    return findings


def _check_record(task: TaskFolder, file: Path, place: str, record: Record) -> list[Finding]:
    findings = _leaks(task, file, f"{place}.oracle_response", record.oracle_response)
    findings += _leaks(task, file, f"{place}.trigger_keywords", "\n".join(record.trigger_keywords))
    triggers = len({trigger.casefold().strip() for trigger in record.trigger_keywords if trigger.strip()})
    if triggers < LEAST_TRIGGERS:
        message = (
            f"'{record.constraint_id}' has {triggers} different triggers, not at least {LEAST_TRIGGERS}."
        )
        findings.append(Finding(file=file, field=f"{place}.trigger_keywords", message=message))
    if not any(witness.naive_output is not None for witness in record.witnesses):
        message = f"'{record.constraint_id}' has no witness with a naive_output."
        findings.append(Finding(file=file, field=f"{place}.witnesses", message=message))
    return findings


def _leaks(task: TaskFolder, file: Path, field: str, text: str) -> list[Finding]:
    return [
        Finding(file=file, field=field, message=f"The source's name '{name}' may not occur here.")
        for name in leaks(text, task.spec.source)
    ]


def _check_nesting(levels: Mapping[Stored, RecordSet]) -> list[Finding]:
    findings: list[Finding] = []
    pairs: tuple[tuple[Stored, Stored], ...] = (("L2", "L1"), ("L3", "L2"))
    for inner, outer in pairs:
        if inner not in levels or outer not in levels:
            continue
        file = levels[inner].file or Path(f"{inner}.json")
        known = {record.constraint_id: record.oracle_response for record in levels[outer].records}
        for index, record in enumerate(levels[inner].records):
            place = f"oracle_data.hidden_constraints.{index}"
            name = record.constraint_id
            if name not in known:
                message = f"'{name}' is hidden at {inner} but not at {outer}."
                findings.append(Finding(file=file, field=f"{place}.constraint_id", message=message))
            elif known[name] != record.oracle_response:
                message = f"'{name}' says something else at {outer}."
                findings.append(Finding(file=file, field=f"{place}.oracle_response", message=message))
    return findings


def _check_witnesses(task: TaskFolder, levels: Mapping[Stored, RecordSet]) -> list[Finding]:
    cases = {case.id: case for case in load_hidden(task).cases}
    findings: list[Finding] = []
    for level, records in levels.items():
        file = task.user_agent / f"{level}.json"
        for index, record in enumerate(records.records):
            place = f"oracle_data.hidden_constraints.{index}.witnesses"
            for number, witness in enumerate(record.witnesses):
                message = _witness_fault(cases.get(witness.case), witness.case, witness.naive_output)
                if message:
                    findings.append(Finding(file=file, field=f"{place}.{number}", message=message))
    return findings


def _witness_fault(case: Case | None, name: str, naive_output: str | None) -> str | None:
    if case is None:
        return f"There is no case '{name}'."
    if naive_output is not None and same_output(naive_output, case.expected_output):
        return f"The naive output of '{name}' is the expected one, so nothing depends on the constraint."
    return None


def _check_audit(task: TaskFolder, levels: Mapping[Stored, RecordSet]) -> list[Finding]:
    audit, file = load_audit(task), task.user_agent / "audit.json"
    if "L1" not in levels:
        return []
    ids = set(levels["L1"].ids)
    # The PRDs differ in what they leave vague, so a pointer may exist at one level only.
    references = {item.vague_reference for records in levels.values() for item in records.pointers}
    named = [(f"records.{name}", name) for name in audit.records]
    named += [
        (f"multi.{index}.records", name) for index, item in enumerate(audit.multi) for name in item.records
    ]
    findings = [
        Finding(file=file, field=field, message=f"There is no record '{name}' at L1.")
        for field, name in named
        if name not in ids
    ]
    findings += [
        Finding(file=file, field="records", message=f"Record '{name}' has no question.")
        for name in levels["L1"].ids
        if not audit.records.get(name)
    ]
    findings += [
        Finding(
            file=file,
            field=f"pointers.{index}.reference",
            message=f"There is no vague reference '{item.reference}' at any level.",
        )
        for index, item in enumerate(audit.pointers)
        if item.reference not in references
    ]
    return findings
