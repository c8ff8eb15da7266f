"""What became of each hidden constraint: was it asked for, was it told, and does the program obey it?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.evaluation.report import MAX_TEXT, EvalReport, Outcome

GapStatus = Literal["implemented", "not_implemented", "guessed", "missed", "not_measured"]
"""``implemented`` and ``not_implemented``: it was told, and its witnesses passed or not. ``guessed``: they
passed untold. ``missed``: neither. ``not_measured``: not all of its witnesses were run."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GapWitness(_Frozen):
    """A case whose expected output changes when the constraint is ignored."""

    case: str
    """Case id."""
    naive_output: str | None = None
    """What a program prints that read only the fuzzy PRD."""


class GapConstraint(_Frozen):
    """The part of a hidden constraint that the gap report needs."""

    id: str
    witnesses: tuple[GapWitness, ...]


class WitnessResult(_Frozen):
    """How one witness came out."""

    case: str
    outcome: Outcome | None
    """None when the case was not run."""
    naive: bool | None
    """Whether the program printed the naive output; None where that cannot be told."""


class ConstraintGap(_Frozen):
    """What became of one constraint."""

    id: str
    asked: bool
    """Whether a question touched it."""
    answered: bool
    """Whether a reply revealed it."""
    implemented: bool | None
    """Whether all its witnesses passed; None when one was not run or the host failed on it."""
    status: GapStatus
    witnesses: tuple[WitnessResult, ...]


class GapReport(_Frozen):
    """What became of all hidden constraints of one episode."""

    task: str
    constraints: tuple[ConstraintGap, ...]

    @property
    def counts(self) -> Mapping[GapStatus, int]:
        """How many constraints have each status."""
        statuses: tuple[GapStatus, ...] = (
            "implemented",
            "not_implemented",
            "guessed",
            "missed",
            "not_measured",
        )
        return {status: sum(gap.status == status for gap in self.constraints) for status in statuses}


def find_gaps(
    constraints: Sequence[GapConstraint],
    report: EvalReport,
    *,
    asked: Collection[str],
    answered: Collection[str],
) -> GapReport:
    """Return what became of each constraint.

    Args:
        constraints: All hidden constraints of the episode's level.
        report: The evaluation of its submission.
        asked: Ids of the constraints that some question touched.
        answered: Ids of those that some reply revealed; they count as asked too.
    """
    gaps = tuple(_gap(entry, report, entry.id in asked, entry.id in answered) for entry in constraints)
    return GapReport(task=report.task, constraints=gaps)


def _gap(constraint: GapConstraint, report: EvalReport, asked: bool, answered: bool) -> ConstraintGap:
    outcomes = {case.id: case for case in report.cases}
    results = []
    for witness in constraint.witnesses:
        case = outcomes.get(witness.case)
        naive = None
        if case is not None and case.actual is not None and witness.naive_output is not None:
            naive = case.outcome != "pass" and _same(case.actual, witness.naive_output)
        results.append(WitnessResult(case=witness.case, outcome=case.outcome if case else None, naive=naive))
    implemented = _implemented([result.outcome for result in results])
    return ConstraintGap(
        id=constraint.id,
        asked=asked or answered,
        answered=answered,
        implemented=implemented,
        status=_status(implemented, answered),
        witnesses=tuple(results),
    )


def _implemented(outcomes: Sequence[Outcome | None]) -> bool | None:
    if "infra" in outcomes or None in outcomes or not outcomes:
        return None
    return all(outcome == "pass" for outcome in outcomes)


def _status(implemented: bool | None, answered: bool) -> GapStatus:
    if implemented is None:
        return "not_measured"
    if answered:
        return "implemented" if implemented else "not_implemented"
    return "guessed" if implemented else "missed"


def _same(actual: str, naive: str) -> bool:
    cut = naive[: len(actual)] if len(actual) == MAX_TEXT else naive
    return actual.replace("\r\n", "\n").removesuffix("\n") == cut.replace("\r\n", "\n").removesuffix("\n")
