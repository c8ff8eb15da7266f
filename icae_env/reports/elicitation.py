"""The elicitation gap table: what became of each hidden constraint over the episodes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from icae_env.reports.rows import Rows


class ConstraintLine(BaseModel):
    """One constraint of one task and level; all counts are episodes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    level: str
    constraint: str
    episodes: int
    """Scored episodes whose gaps are known."""
    asked: int
    """A question touched it."""
    answered: int
    """A reply revealed it."""
    implemented: int
    """It was told, and its witnesses passed."""
    not_implemented: int
    """It was told, and a witness failed."""
    guessed: int
    """It was not told, and its witnesses passed."""
    missed: int
    """It was not told, and a witness failed."""
    not_measured: int
    """Not all of its witnesses were run."""


def gap_table(rows: Rows) -> tuple[ConstraintLine, ...]:
    """Return a line for each constraint, by task, level and id."""
    found: dict[tuple[str, str, str], dict[str, int]] = {}
    for entry, row in rows.scored():
        for gap in row.gaps.constraints if row.gaps else ():
            place = (entry.key.task, entry.key.level, gap.id)
            counts = found.setdefault(place, dict.fromkeys(_COUNTS, 0))
            counts["episodes"] += 1
            counts["asked"] += gap.asked
            counts["answered"] += gap.answered
            counts[gap.status] += 1
    return tuple(
        ConstraintLine(task=task, level=level, constraint=name, **counts)
        for (task, level, name), counts in sorted(found.items())
    )


_COUNTS = (
    "episodes", "asked", "answered", "implemented", "not_implemented", "guessed", "missed", "not_measured",
)  # fmt: skip
