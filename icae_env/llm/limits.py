"""What may be used of a language model, and what was used."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from icae_env.llm.base import Usage


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelLimits(_Frozen):
    """What an episode, or all of a run, may use of a model; None: no limit."""

    tokens: int | None = Field(default=None, ge=1)
    """Input and output tokens together."""
    cost: float | None = Field(default=None, gt=0)
    """US dollars. It needs a price for the model."""
    model_seconds: float | None = Field(default=None, gt=0)
    """Wall time spent waiting for the model."""


class ModelUse(_Frozen):
    """What an episode used of its model."""

    calls: int = 0
    usage: Usage = Usage()
    """Sums; None where any call does not say."""
    cost: float | None = None
    """US dollars; None where any call's price is unknown."""
    seconds: float = 0.0
    """Wall time spent waiting for the model."""
    retries: int = 0
