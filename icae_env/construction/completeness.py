"""Whether a fuzzy PRD and its records together say what the ground PRD says, and whether asking is worth it."""

from __future__ import annotations

from functools import partial

from icae_env.construction.literals import literals, unsaid
from icae_env.rollout.examples import ground_examples
from icae_env.tasks import TaskFolder, load_hidden, load_public, records_file
from icae_env.tasks.checks import Finding, guarded
from icae_env.user_agent import load_records
from icae_env.user_agent.checks import STORED, Stored

LEAST_WITNESSED = 0.5
"""Share of a task's cases that are witnesses of some hidden constraint at L1, at least."""


def check_completeness(task: TaskFolder) -> tuple[Finding, ...]:
    """Return what the ground PRD says exactly and a level nowhere, missing examples, and too few witnesses."""
    findings: list[Finding] = []
    for level in STORED:
        findings += guarded(task.folder, partial(_check_level, task, level))
    findings += guarded(task.folder, partial(_check_examples, task))
    return (*findings, *guarded(task.folder, partial(_check_witnessed, task)))


def _check_level(task: TaskFolder, level: Stored) -> list[Finding]:
    file = records_file(task, level)
    assert file is not None  # only 'ground' has none
    records = load_records(file)
    texts = [
        load_public(task, level).prd,
        *(record.oracle_response for record in records.records),
        *(pointer.actual_meaning for pointer in records.pointers),
        records.signature,
    ]
    missing = unsaid(literals(load_public(task, "ground").prd), texts)
    return [
        Finding(
            file=task.folder / "prd" / "ground.md",
            field=f"line {literal.line}",
            message=f"{literal} is said neither by the PRD of {level} nor by its records. "
            f"Mend: say it in prd/{level}.md, or in the record of {level} that hides it.",
        )
        for literal in missing
    ]


def _check_examples(task: TaskFolder) -> list[Finding]:
    if ground_examples(task):
        return []
    message = (
        "The PRD has no example that can be run. Mend: add fenced blocks that open with ```case and hold "
        '{"input": ..., "output": "..."}.'
    )
    return [Finding(file=task.folder / "prd" / "ground.md", message=message)]


def _check_witnessed(task: TaskFolder) -> list[Finding]:
    file = records_file(task, "L1")
    assert file is not None
    cases = {case.id for case in load_hidden(task).cases}
    named = {witness.case for record in load_records(file).records for witness in record.witnesses} & cases
    if len(named) >= LEAST_WITNESSED * len(cases):
        return []
    message = (
        f"Only {len(named)} of {len(cases)} cases are witnesses of a hidden constraint, not half of them, so "
        "asking is worth little."
    )
    return [Finding(file=file, field="oracle_data.hidden_constraints.witnesses", message=message)]
