"""What a worker is told to play, what it says while it plays, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from icae_env.llm.limits import ModelLimits, ModelUse
from icae_env.llm.prices import Prices
from icae_env.rollout.store import EpisodeKey, EpisodeRow


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Job(_Frozen):
    """One episode to play."""

    key: EpisodeKey
    folder: Path
    """Where it is written; on a path that every worker sees."""
    sandbox: str
    image: str
    env: Mapping[str, Any] = Field(default_factory=dict)
    """Further arguments of ``make_env``."""
    model_options: Mapping[str, str] = Field(default_factory=dict)
    limits: ModelLimits = ModelLimits()
    prices: Prices = Prices()
    score_workers: int = 2
    """Sandboxes at the same time while its submission is scored."""


State = Literal["starting", "playing", "scoring"]


class Progress(_Frozen):
    """How far a running episode is."""

    id: str
    state: State = "starting"
    started: float
    """Seconds since the epoch."""
    seconds: float | None = None
    """Wall time that it may take; None before its first observation."""
    steps: int = 0
    most_steps: int = 0
    questions: int = 0
    most_questions: int = 0
    use: ModelUse = ModelUse()
    """Of its model, so far."""
    has_model: bool = False


class Played(_Frozen):
    """What came of a job."""

    row: EpisodeRow
    final: bool = False
    """Whether playing it again would fail in the same way."""


class Stopped(BaseException):
    """Say that the run is being stopped, so that the episode ends at once and without a score.

    No ``Exception``, so that no agent swallows it.
    """
