"""Play a run with Ray: each worker is an actor, on whichever node Ray puts it.

The run directory must lie on a path that every node sees, and what models need (keys) in every node's environment. An actor
that is gone, with its node or alone, is replaced; the runner plays its episode again unless its row was written.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from icae_env.errors import ConfigError, InfraError, MissingDependencyError
from icae_env.rollout.engine import Outcome
from icae_env.rollout.job import Job, Played, Progress, Stopped
from icae_env.rollout.player import Player

_CLOSE_SECONDS = 5.0


@dataclass(frozen=True)
class _Answer:
    """What an actor gives back: errors as text, for not every one of them can be sent between processes."""

    kind: Literal["played", "stopped", "config", "infra", "other"]
    played: Played | None = None
    error: str = ""


class _Remote:
    """The worker in an actor's process."""

    def __init__(self, path: Sequence[str]) -> None:
        sys.path += [entry for entry in path if entry not in sys.path]
        self._player = Player()

    def play(self, job: Job) -> _Answer:
        try:
            return _Answer("played", self._player.play(job))
        except Stopped:
            return _Answer("stopped")
        except ConfigError as error:
            return _Answer("config", error=str(error))
        except InfraError as error:
            return _Answer("infra", error=str(error))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - raised again in the main process
            return _Answer("other", error=f"{type(error).__name__}: {error}")

    def progress(self) -> Progress | None:
        return self._player.progress()

    def stop(self, now: bool) -> None:
        self._player.stop(now=now)

    def close(self) -> None:
        self._player.close()


@dataclass
class _Worker:
    actor: Any
    job: Job | None = None
    asked: Any = None
    """A call for its progress that is on its way."""
    progress: Progress | None = field(default=None)


class RayEngine:
    """Play in Ray actors.

    It joins the cluster that this process is connected to or that ``RAY_ADDRESS`` names; else it starts Ray on this
    machine, and ends it with the run.

    Args:
        workers: Episodes at the same time.

    Raises:
        MissingDependencyError: Ray is not installed.
    """

    def __init__(self, workers: int) -> None:
        self._ray = _import_ray()
        self._workers: list[_Worker] = []
        self._playing: dict[Any, _Worker] = {}
        self._started = not self._ray.is_initialized()
        if self._started:
            place: dict[str, Any] = (
                {"address": os.environ["RAY_ADDRESS"]} if os.environ.get("RAY_ADDRESS") else {}
            )
            own = {} if place else {"num_cpus": max(workers, os.cpu_count() or 1), "include_dashboard": False}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Ray's own, on what it will do in later versions
                self._ray.init(**place, **own, log_to_driver=False, logging_level="ERROR")
        # Two calls at a time: one plays, the other asks or stops.
        self._class = self._ray.remote(num_cpus=1, max_concurrency=2, scheduling_strategy="SPREAD")(_Remote)
        self._path = [entry or str(Path.cwd()) for entry in sys.path]

    def start(self, job: Job) -> None:
        """Begin a job on a free actor, or on a new one."""
        worker = next((worker for worker in self._workers if worker.job is None), None)
        if worker is None:
            worker = _Worker(self._class.remote(self._path))
            self._workers.append(worker)
        worker.job = job
        self._playing[worker.actor.play.remote(job)] = worker

    def wait(self, seconds: float) -> list[Outcome]:
        """Return what has ended."""
        if not self._playing:
            return []
        calls = list(self._playing)
        ready, _ = self._ray.wait(calls, num_returns=len(calls), timeout=0)
        if not ready:
            ready, _ = self._ray.wait(calls, num_returns=1, timeout=max(seconds, 0.0))
        return [self._outcome(call) for call in ready]

    def progress(self) -> list[Progress]:
        """Return how far each running episode was when its actor last said so."""
        for worker in self._workers:
            if worker.job is not None and worker.asked is None:
                worker.asked = worker.actor.progress.remote()
        asked = {worker.asked: worker for worker in self._workers if worker.asked is not None}
        ready, _ = self._ray.wait(list(asked), num_returns=len(asked), timeout=0) if asked else ([], [])
        for call in ready:
            worker = asked[call]
            worker.asked = None
            with contextlib.suppress(self._ray.exceptions.RayError):  # gone: ``wait`` finds out
                worker.progress = self._ray.get(call)
        return [
            worker.progress
            for worker in self._workers
            if worker.job is not None and worker.progress is not None
        ]

    def stop(self, *, now: bool = False) -> None:
        """Make every actor end its episode."""
        for worker in self._workers:
            worker.actor.stop.remote(now)

    def close(self) -> None:
        """End the actors, and Ray if it was started here."""
        closing = [worker.actor.close.remote() for worker in self._workers if worker.job is None]
        if closing:
            self._ray.wait(closing, num_returns=len(closing), timeout=_CLOSE_SECONDS)
        for worker in self._workers:
            self._ray.kill(worker.actor)
        self._workers.clear()
        self._playing.clear()
        if self._started:
            self._ray.shutdown()

    def _outcome(self, call: Any) -> Outcome:
        worker = self._playing.pop(call)
        job, worker.job, worker.progress = worker.job, None, None
        assert job is not None
        try:
            answer: _Answer = self._ray.get(call)
        except self._ray.exceptions.RayTaskError as error:
            return Outcome(job, error=error)
        except self._ray.exceptions.RayError:  # the actor or its node is gone
            self._workers.remove(worker)
            return Outcome(job, lost=True)
        match answer.kind:
            case "played" | "stopped":
                return Outcome(job, played=answer.played)
            case "config":
                return Outcome(job, error=ConfigError(answer.error))
            case "infra":
                return Outcome(job, error=InfraError(answer.error))
            case "other":
                return Outcome(job, error=RuntimeError(answer.error))


def _import_ray() -> Any:
    # Ray counts how often it is used and tells its makers, unless told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingDependencyError(
            "ray", needed_for="The engine 'ray'", install="pip install 'icae-env[ray]'"
        ) from error
    return ray
