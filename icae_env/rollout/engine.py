"""Where episodes are played: the contract of engines, and the one that uses threads of this process.

A thread is enough for an episode: it waits for sandboxes and models, and these are other processes.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from typing import Protocol

from icae_env.rollout.episode import Watcher
from icae_env.rollout.job import Job, Played, Progress, Stopped
from icae_env.rollout.player import Models, Player

_JOIN_SECONDS = 5.0


@dataclass(frozen=True)
class Outcome:
    """What became of a job; with neither ``played`` nor ``error``, it was stopped."""

    job: Job
    played: Played | None = None
    error: BaseException | None = None
    """What forbids to go on with the run."""
    lost: bool = False
    """Whether its worker is gone, so that nobody knows."""


class Engine(Protocol):
    """Plays jobs on some workers."""

    def start(self, job: Job) -> None:
        """Begin a job as soon as a worker is free."""
        ...

    def wait(self, seconds: float) -> list[Outcome]:
        """Return what has ended, waiting up to that long for the first one."""
        ...

    def progress(self) -> list[Progress]:
        """Return how far each running episode is, as far as that is known."""
        ...

    def stop(self, *, now: bool = False) -> None:
        """Make every worker end its episode, as ``Player.stop``."""
        ...

    def close(self) -> None:
        """Release the workers."""
        ...


class LocalEngine:
    """Play in threads of this process, which share its sandbox launcher and its models.

    Args:
        workers: Episodes at the same time.
        watcher: Sees every step of every episode.
    """

    def __init__(self, workers: int, watcher: Watcher | None = None) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._models = Models()
        self._players = [Player(self._models, watcher) for _ in range(workers)]
        # Daemons: one that waits for a model's answer must not keep the process after Ctrl-C.
        self._threads = [
            threading.Thread(target=self._work, args=(player,), name=f"icae-player-{number}", daemon=True)
            for number, player in enumerate(self._players)
        ]
        for thread in self._threads:
            thread.start()

    def start(self, job: Job) -> None:
        """Begin a job as soon as a thread is free."""
        self._jobs.put(job)

    def wait(self, seconds: float) -> list[Outcome]:
        """Return what has ended."""
        found: list[Outcome] = []
        try:
            found.append(self._ended.get(timeout=max(seconds, 0.0)))
            while True:
                found.append(self._ended.get_nowait())
        except queue.Empty:
            return found

    def progress(self) -> list[Progress]:
        """Return how far each running episode is."""
        return [found for player in self._players if (found := player.progress()) is not None]

    def stop(self, *, now: bool = False) -> None:
        """Make every player end its episode."""
        for player in self._players:
            player.stop(now=now)

    def close(self) -> None:
        """End the threads; one that is still busy is left behind."""
        for _ in self._threads:
            self._jobs.put(None)
        until = time.monotonic() + _JOIN_SECONDS
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0.0))
        self._models.close()

    def _work(self, player: Player) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                outcome = Outcome(job, played=player.play(job))
            except Stopped:
                outcome = Outcome(job)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - raised again in the main thread
                outcome = Outcome(job, error=error)
            self._ended.put(outcome)
        player.close()
