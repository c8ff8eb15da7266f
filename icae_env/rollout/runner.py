"""Play a run: hand out its episodes, play again what failed on the host's side, stop cleanly."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from icae_env.llm.limits import ModelUse
from icae_env.llm.meter import total
from icae_env.llm.prices import Prices
from icae_env.rollout.budget import used_up
from icae_env.rollout.engine import Engine, Outcome
from icae_env.rollout.episode import EpisodeResult
from icae_env.rollout.job import Job, Progress
from icae_env.rollout.row import make_row
from icae_env.rollout.store import EpisodeKey, EpisodeRow, RunConfig, StoredEpisode
from icae_env.rollout.writer import RunWriter

TICK = 0.25
"""Seconds between looks at the running episodes."""
_GRACE = (3.0, 5.0)
"""Seconds that running episodes get to end by themselves, and then to notice that their sandboxes are gone."""
_LONGEST_PAUSE = 60.0


class RunWatcher(Protocol):
    """Sees a run as it happens."""

    def begin(self, config: RunConfig, done: Sequence[EpisodeRow]) -> None:
        """See what is to be played, and what of it had a score before."""
        ...

    def ended(self, row: EpisodeRow, again: bool) -> None:
        """See an episode end, and whether it is played again."""
        ...

    def tick(self, running: Sequence[Progress], spent: ModelUse) -> None:
        """See the running episodes, and what all together have used of models."""
        ...


@dataclass(frozen=True)
class RunResult:
    """What came of a run."""

    rows: tuple[EpisodeRow, ...]
    """Of the episodes that are over, in the run's order; without their gaps, which only ``episode.json`` has, for a run may be
    long."""
    unplayed: tuple[EpisodeKey, ...] = ()
    """Episodes without a row, for the run was stopped before."""
    stopped: str | None = None
    """Why it was stopped; None: it came to its end."""


@dataclass(order=True)
class _Due:
    when: float
    position: int
    job: Job = field(compare=False)


class Runner:
    """Play what a run directory still lacks.

    Args:
        writer: The run directory.
        engine: What plays.
        workers: Episodes at the same time.
        retries: How often an episode that failed on the host's side is played again.
        pause: Seconds before it is played again; doubled each time.
        prices: What models cost.
        score_workers: Sandboxes at the same time while one submission is scored.
        watcher: Sees the run.
        clock: Seconds from any start.
    """

    def __init__(
        self,
        writer: RunWriter,
        engine: Engine,
        *,
        workers: int,
        retries: int = 2,
        pause: float = 1.0,
        prices: Prices | None = None,
        score_workers: int = 2,
        watcher: RunWatcher | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer, self._engine, self._workers = writer, engine, workers
        self._retries, self._pause, self._clock = retries, pause, clock
        self._prices, self._score_workers, self._watcher = prices or Prices(), score_workers, watcher
        self._config = writer.config
        self._rows: dict[str, EpisodeRow] = {}
        self._failures: dict[str, int] = {}
        self._due: list[_Due] = []
        self._running = 0
        self._spent = ModelUse()
        self._stopped: str | None = None
        self._error: BaseException | None = None

    def run(self) -> RunResult:
        """Play until every episode is over, or the run is stopped by Ctrl-C or by a limit of its own.

        Raises:
            ConfigError: An episode cannot be played as it was asked for; the others that ran were ended.
            InfraError: The run directory cannot be written.
            KeyboardInterrupt: Ctrl-C came a second time, while the running episodes were being ended.
        """
        self._take_stock()
        try:
            while (self._due and self._stopped is None) or self._running:
                self._fill()
                self._collect(self._time_to_next())
                self._check_limits()
                if self._error is not None:
                    self._halt()
                    raise self._error
        except KeyboardInterrupt:
            self._stopped = "interrupted"
            self._halt()
        keys = self._config.episodes
        return RunResult(
            rows=tuple(self._rows[key.id] for key in keys if key.id in self._rows),
            unplayed=tuple(key for key in keys if key.id not in self._rows), stopped=self._stopped,
        )  # fmt: skip

    def _take_stock(self) -> None:
        for position, key in enumerate(self._config.episodes):
            folder = self._writer.episode(key).folder
            row = StoredEpisode(key, folder).row
            if row is not None and row.status == "ok":
                self._rows[key.id] = _slim(row)
                self._spent = total(self._spent, row.model_use)
                continue
            job = Job(
                key=key, folder=folder.absolute(), sandbox=self._config.sandbox, image=self._config.image,
                env=self._config.env, model_options=self._config.model_options.get(key.model or "", {}),
                limits=self._config.episode_limits, prices=self._prices, score_workers=self._score_workers,
            )  # fmt: skip
            self._due.append(_Due(0.0, position, job))
        if self._watcher:
            self._watcher.begin(self._config, list(self._rows.values()))

    def _fill(self) -> None:
        now = self._clock()
        while (
            self._stopped is None and self._running < self._workers and self._due and self._due[0].when <= now
        ):
            self._engine.start(heapq.heappop(self._due).job)
            self._running += 1

    def _time_to_next(self) -> float:
        if self._running or not self._due:
            return TICK
        return min(TICK, max(self._due[0].when - self._clock(), 0.0))

    def _collect(self, seconds: float) -> None:
        for outcome in self._engine.wait(seconds):
            self._running -= 1
            self._take(outcome)
        if self._watcher:
            self._watcher.tick(self._engine.progress(), self._spent_so_far())

    def _take(self, outcome: Outcome) -> None:
        job = outcome.job
        if outcome.error is not None:
            self._error = self._error or outcome.error
            return
        row = outcome.played.row if outcome.played is not None else None
        final = outcome.played is not None and outcome.played.final
        if outcome.lost:
            # What its worker had finished counts, although nobody was told.
            row = StoredEpisode(job.key, job.folder).row or self._lost(job)
        if row is None:  # stopped
            return
        self._spent = total(self._spent, row.model_use)
        failures = self._failures[job.key.id] = self._failures.get(job.key.id, 0) + (row.status == "infra")
        again = row.status == "infra" and not final and failures <= self._retries and self._stopped is None
        if again:
            pause = min(self._pause * 2 ** (failures - 1), _LONGEST_PAUSE)
            position = self._config.episodes.index(job.key)
            heapq.heappush(self._due, _Due(self._clock() + pause, position, job))
        else:
            self._rows[job.key.id] = _slim(row)
        if self._watcher:
            self._watcher.ended(row, again)

    def _lost(self, job: Job) -> EpisodeRow:
        """Write the row of an episode whose worker is gone."""
        folder = self._writer.episode(job.key)
        attempt = folder.take_over()
        result = EpisodeResult(
            task=job.key.task, level=job.key.level, agent=job.key.agent, seed=job.key.seed, status="infra", reward=None,
            end=None, steps=0, questions=0, seconds=0.0, error="Its worker was lost.",
        )  # fmt: skip
        row = make_row(
            job.key,
            result,
            started=datetime.now(UTC),
            attempts=attempt,
            use=ModelUse(),
            questions=None,
            place={},
        )
        folder.finish(row, None, None)
        return row

    def _spent_so_far(self) -> ModelUse:
        spent = self._spent
        for progress in self._engine.progress():
            spent = total(spent, progress.use)
        return spent

    def _check_limits(self) -> None:
        if self._stopped is None:
            self._stopped = used_up(self._config.run_limits, self._spent_so_far)
            if self._stopped is not None:
                self._engine.stop()

    def _halt(self) -> None:
        """End the running episodes; first those that come to a step by themselves, then by closing their sandboxes."""
        self._stopped = self._stopped or "failed"
        for now, grace in zip((False, True), _GRACE, strict=True):
            if self._running:
                self._engine.stop(now=now)
            until = self._clock() + grace
            while self._running and self._clock() < until:
                self._collect(min(TICK, max(until - self._clock(), 0.0)))


def _slim(row: EpisodeRow) -> EpisodeRow:
    return row.model_copy(update={"gaps": None})
