"""One running episode of a worker, as others may look at it and stop it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from icae_env.env.actions import Submit, parse_action
from icae_env.env.observations import Observation
from icae_env.llm.base import Completion, Message
from icae_env.llm.limits import ModelUse
from icae_env.llm.meter import Listener, Meter
from icae_env.rollout.episode import Watcher
from icae_env.rollout.job import Job, Progress, State, Stopped
from icae_env.rollout.leash import Leash
from icae_env.tasks import PublicTask


class Playing:
    """Watch an episode for its worker.

    Args:
        job: The episode.
        watcher: Sees what this one sees.
    """

    def __init__(self, job: Job, watcher: Watcher | None) -> None:
        self._job, self._watcher = job, watcher
        self._started = time.time()
        self._stopped = False
        self._state: State = "starting"
        self._steps = self._most_steps = self._asked = 0
        self._seconds: float | None = None
        self.leash: Leash | None = None
        """What its sandboxes are made with."""
        self.meter: Meter | None = None
        """Its model."""
        self.budget: int | None = None
        """Questions that it may ask; None before its first observation."""
        self.place: Mapping[str, str] = {}
        """``sandbox``, ``image`` and ``image_digest``; empty before its first observation."""

    @property
    def use(self) -> ModelUse:
        """What it used of its model so far."""
        return self.meter.use if self.meter is not None else ModelUse()

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(
            id=self._job.key.id, state=self._state, started=self._started, seconds=self._seconds, steps=self._steps,
            most_steps=self._most_steps, questions=self._asked, most_questions=self.budget or 0, use=self.use,
            has_model=self._job.key.model is not None,
        )  # fmt: skip

    def stop(self, *, now: bool) -> None:
        """End it before its next step; with ``now`` also what it waits for in a sandbox."""
        self._stopped = True
        if now and self.leash is not None:
            self.leash.stop()

    def listener(self, record: Listener) -> Listener:
        """Return what sees each call of the model: it is recorded, and the episode ends if it was stopped meanwhile."""

        def listen(
            phase: str, messages: Sequence[Message], completion: Completion, cost: float | None
        ) -> None:
            record(phase, messages, completion, cost)
            self._check()

        return listen

    def began(self, task: PublicTask, observation: Observation, info: Mapping[str, Any]) -> None:
        """See the first observation."""
        self._check()
        self._state = "playing"
        self._seconds = float(self._job.env.get("seconds") or task.spec.limits.seconds)
        self._most_steps, self.budget = int(observation["steps_left"]), int(observation["questions_left"])
        self.place = {name: str(info[name]) for name in ("sandbox", "image", "image_digest")}
        if self._watcher:
            self._watcher.began(task, observation, info)

    def acting(self, action: Any) -> None:
        """See an action before it is carried out."""
        self._check()
        if isinstance(parse_action(action), Submit):
            self._state = "scoring"
        if self._watcher:
            self._watcher.acting(action)

    def stepped(self, action: Any, observation: Observation, info: Mapping[str, Any]) -> None:
        """See what an action showed."""
        self._steps += 1
        self._asked = (self.budget or 0) - int(observation["questions_left"])
        if self._watcher:
            self._watcher.stepped(action, observation, info)

    def _check(self) -> None:
        if self._stopped:
            raise Stopped
