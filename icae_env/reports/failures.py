"""Why an episode did not pass everything, told from its row and the outcomes of its cases."""

from __future__ import annotations

from typing import Literal

from icae_env.reports.rows import Entry

FailureClass = Literal[
    "resolved", "infra", "gave_up", "limit", "no_output", "timeout", "missing", "mismatch", "untold"
]
FAILURE_CLASSES: dict[FailureClass, str] = {
    "resolved": "every case passed",
    "mismatch": "it was handed in, and most failed cases printed something wrong",
    "missing": "it was handed in, and most failed cases printed nothing acceptable",
    "timeout": "it was handed in, and most failed cases ran out of time",
    "no_output": "it was handed in, and no case at all got an output",
    "limit": "a limit ended the episode (steps, seconds, restarts, or one of the model's)",
    "gave_up": "the agent gave up, for it got no usable answer out of its model",
    "untold": "it was scored, but no report of its cases is there",
    "infra": "the host's side or the model's service failed; nothing was measured",
}
"""Each class with what it means. An episode has one: the first that holds of infra, resolved, gave_up, limit, no_output, and
then the outcome that most of its failed cases have (of equally many: timeout before missing before mismatch)."""
GAVE_UP = "format"
"""The ``end`` of an episode whose agent stopped after too many unusable answers."""


def classify(entry: Entry) -> FailureClass | None:
    """Return the class of an episode; None while it is not over."""
    row = entry.row
    if row is None:
        return None
    if row.reward is None:
        return "infra"
    if row.resolved:
        return "resolved"
    if row.end == GAVE_UP:
        return "gave_up"
    if row.end != "submit":
        return "limit"
    return _by_outcomes(entry)


def _by_outcomes(entry: Entry) -> FailureClass:
    counts = {name: entry.outcomes.get(name, 0) for name in ("timeout", "missing", "mismatch")}
    if not any(counts.values()):
        return "untold"
    if counts["missing"] == sum(entry.outcomes.values()):
        return "no_output"
    worst = max(counts.values())
    if counts["timeout"] == worst:
        return "timeout"
    return "missing" if counts["missing"] == worst else "mismatch"
