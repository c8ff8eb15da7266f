"""The name of the agent's phase that a call is made in, for models that answer by it."""

from __future__ import annotations

from contextvars import ContextVar

current_phase: ContextVar[str] = ContextVar("icae_env.llm.current_phase", default="")
"""Set by ``Meter`` for the time of a call."""
