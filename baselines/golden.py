"""The agent that submits the real package a task was taken from, for a reward of 1. It proves a task, it competes with nobody."""

from __future__ import annotations

from typing import Any, ClassVar

from icae_env.errors import EpisodeStateError
from icae_env.rollout.agent import Brief


class GoldenAgent:
    """Put the golden submission into the workspace from outside, then submit."""

    name: ClassVar[str] = "golden"
    privileged: ClassVar[bool] = True

    def begin(self, brief: Brief) -> None:
        """Place the golden's files.

        Raises:
            EpisodeStateError: The runner gave no access to the golden.
        """
        if brief.place is None or brief.golden is None:
            raise EpisodeStateError("The golden agent needs a runner that gives it the golden's files.")
        brief.place(brief.golden())

    def act(self, observation: Any) -> dict[str, Any]:
        """Return the submit action."""
        return {"type": "submit"}
