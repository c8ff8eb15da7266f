"""What is measured of an episode: one entry for each number that reports average."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from icae_env.rollout.store import EpisodeRow

Kind = Literal["rate", "count", "seconds", "dollars", "tokens"]


class Metric(NamedTuple):
    """One number of an episode."""

    title: str
    kind: Kind
    read: Callable[[EpisodeRow], float | None]
    """Returns None where it is not known; that episode is then counted as unknown and enters no mean."""


def _resolved(row: EpisodeRow) -> float | None:
    return None if row.resolved is None else float(row.resolved)


def _input(row: EpisodeRow) -> float | None:
    return _used(row, row.model_use.usage.input_tokens)


def _output(row: EpisodeRow) -> float | None:
    return _used(row, row.model_use.usage.output_tokens)


def _cost(row: EpisodeRow) -> float | None:
    return _used(row, row.model_use.cost)


def _used(row: EpisodeRow, told: float | None) -> float | None:
    """Return what was used; nothing where the run's model was never called."""
    return 0.0 if row.key.model is not None and row.model_use.calls == 0 else told


METRICS: dict[str, Metric] = {
    "overall": Metric("overall", "rate", lambda row: row.reward),
    "native": Metric("native", "rate", lambda row: row.native),
    "enhanced": Metric("enhanced", "rate", lambda row: row.enhanced),
    "public": Metric("public", "rate", lambda row: row.public),
    "resolved": Metric("resolved", "rate", _resolved),
    "coverage": Metric("coverage", "rate", lambda row: row.coverage),
    "fallback": Metric("fallback", "rate", lambda row: row.fallback_rate),
    "budget": Metric("budget", "rate", lambda row: row.budget_used),
    "questions": Metric("questions", "count", lambda row: row.questions),
    "steps": Metric("steps", "count", lambda row: row.steps),
    "input_tokens": Metric("tokens in", "tokens", _input),
    "output_tokens": Metric("tokens out", "tokens", _output),
    "cost": Metric("cost", "dollars", _cost),
    "seconds": Metric("seconds", "seconds", lambda row: row.seconds),
    "model_seconds": Metric("model seconds", "seconds", lambda row: row.model_use.seconds),
}
"""By name, in the order of the columns. Tokens and cost are unknown where the service or the price table does not tell them, and
for an agent that got no model of its run: what it may ask elsewhere is not metered. ``coverage`` is unknown at levels that
hide nothing, ``fallback`` without questions."""
TOTALS = ("questions", "steps", "input_tokens", "output_tokens", "cost", "seconds")
"""Those that are also summed, over all episodes that are over, unmeasured ones among them: they were paid for, too."""
