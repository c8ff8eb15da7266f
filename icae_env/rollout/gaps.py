"""Join what the User Agent told in an episode with what its submission does (``evaluation.gaps``)."""

from __future__ import annotations

from collections.abc import Iterable

from icae_env.evaluation import EvalReport, GapReport, find_gaps
from icae_env.evaluation.gaps import GapConstraint, GapWitness
from icae_env.tasks import TaskLike, records_file
from icae_env.user_agent import Diagnosis, load_records


def episode_gaps(
    task: TaskLike, level: str, report: EvalReport, diagnoses: Iterable[Diagnosis]
) -> GapReport | None:
    """Return what became of each hidden constraint of an episode; None at a level that hides none.

    Args:
        task: The episode's task.
        level: Its level.
        report: The score of its submission.
        diagnoses: What the User Agent's side noted on each question (``info["user_agent"]``).
    """
    file = records_file(task, level)
    if file is None:
        return None
    constraints = [
        GapConstraint(
            id=record.constraint_id,
            witnesses=tuple(
                GapWitness(case=witness.case, naive_output=witness.naive_output)
                for witness in record.witnesses
            ),
        )
        for record in load_records(file).records
    ]
    noted = list(diagnoses)
    asked = {match.id for entry in noted for match in entry.matches}
    answered = {name for entry in noted for name in entry.revealed}
    if level == "recovered":
        answered = {constraint.id for constraint in constraints}
    return find_gaps(constraints, report, asked=asked, answered=answered)
