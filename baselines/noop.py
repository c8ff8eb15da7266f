"""The agent that does nothing: it submits the untouched workspace, for a reward of 0."""

from __future__ import annotations

from typing import Any, ClassVar

from icae_env.rollout.agent import Brief


class NoopAgent:
    """Submit at once."""

    name: ClassVar[str] = "noop"
    privileged: ClassVar[bool] = False

    def begin(self, brief: Brief) -> None:
        """Need nothing."""

    def act(self, observation: Any) -> dict[str, Any]:
        """Return the submit action."""
        return {"type": "submit"}
