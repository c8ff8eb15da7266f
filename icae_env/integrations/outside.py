"""The agent whose actions come from outside, one JSON document each."""

from __future__ import annotations

import math
import queue
import time
from typing import Any, ClassVar

from icae_env.env.observations import Observation
from icae_env.rollout.agent import Brief

Inbox = queue.SimpleQueue[str | None]
"""Actions as JSON text; None says that no more will come."""
GONE, IDLE = "disconnected", "idle"
"""How an episode ends whose agent went away, or said nothing for too long."""


class OutsideAgent:
    """Wait for each action; hand in when none comes any more.

    Args:
        first: The first action.
        inbox: Where the others come from.
        idle: Seconds to wait for one; None: as long as the episode may take.
    """

    name: ClassVar[str] = "outside"
    privileged: ClassVar[bool] = False

    def __init__(self, first: str, inbox: Inbox, idle: float | None = None) -> None:
        self._first: str | None = first
        self._inbox, self._idle = inbox, idle or math.inf
        self._until = math.inf
        self.ended: str | None = None

    def begin(self, brief: Brief) -> None:
        """Note until when the episode may go."""
        self._until = time.monotonic() + brief.limits.seconds

    def act(self, observation: Observation) -> Any:
        """Return the next action."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        left = max(self._until - time.monotonic(), 0.0)
        try:
            action = self._inbox.get(timeout=min(self._idle, left))
        except queue.Empty:
            # When the time is up, the environment itself says so in answer to this.
            self.ended = IDLE if self._idle < left else None
            return {"type": "submit"}
        if action is None:
            self.ended = GONE
            return {"type": "submit"}
        return action
