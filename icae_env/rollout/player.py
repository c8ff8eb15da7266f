"""A worker: it plays one episode after the other, can say how far it is, and can be stopped from another thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import cast

from icae_env.env.wrappers import Recorder
from icae_env.errors import ICAEError, InfraError, ModelRequestError
from icae_env.factory import make_env
from icae_env.llm.base import ChatModel
from icae_env.llm.make import make_model
from icae_env.llm.meter import Meter
from icae_env.rollout.agent import Agent, make_agent, no_phase
from icae_env.rollout.episode import EpisodeResult, Watcher, play
from icae_env.rollout.job import Job, Played, Progress, Stopped
from icae_env.rollout.leash import Leash
from icae_env.rollout.playing import Playing
from icae_env.rollout.row import make_row
from icae_env.rollout.writer import EpisodeFolder
from icae_env.sandbox.base import Backend
from icae_env.selection import BACKENDS


class Models:
    """The models of one process, each made on first use and shared by its episodes; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[str, ChatModel] = {}

    def get(self, name: str, options: Mapping[str, str]) -> ChatModel:
        """Return a model."""
        with self._lock:
            if name not in self._made:
                self._made[name] = make_model(name, options)
            return self._made[name]

    def close(self) -> None:
        """Close them."""
        with self._lock:
            while self._made:
                self._made.popitem()[1].close()


class Player:
    """Play jobs, one at a time.

    Args:
        models: Those of the process; None: its own.
        watcher: Sees every step of every episode.
        agents: Makes the agent of an episode from its name and options.
    """

    def __init__(
        self,
        models: Models | None = None,
        watcher: Watcher | None = None,
        agents: Callable[[str, Mapping[str, str]], Agent] = make_agent,
    ) -> None:
        self._models, self._own = models or Models(), models is None
        self._watcher, self._agents = watcher, agents
        self._backends: dict[str, Backend] = {}
        self._episode: Playing | None = None
        self._stopped = False

    def play(self, job: Job) -> Played:
        """Play an episode and write all that is kept of it.

        Raises:
            Stopped: The player was stopped; the episode has no row.
            InfraError: Its folder cannot be written.
            ConfigError: Something of the job is wrong, so that no episode like it can be played.
        """
        if self._stopped:
            raise Stopped
        episode = Playing(job, self._watcher)
        self._episode = episode
        try:
            return self._played(job, episode)
        except ICAEError:
            if self._stopped:  # then its sandbox was closed under it
                raise Stopped from None
            raise
        finally:
            self._episode = None

    def progress(self) -> Progress | None:
        """Return how far the running episode is; None without one."""
        episode = self._episode
        return episode.progress if episode is not None else None

    def stop(self, *, now: bool = False) -> None:
        """End the running episode before its next step or after the model's present answer, and play no further one.

        Args:
            now: End its sandboxes as well, so that not even a running command is waited for.
        """
        self._stopped = True
        episode = self._episode
        if episode is not None:
            episode.stop(now=now)

    def close(self) -> None:
        """Give back what is held between episodes."""
        while self._backends:
            BACKENDS.give_back(self._backends.popitem()[1])
        if self._own:
            self._models.close()

    def _played(self, job: Job, episode: Playing) -> Played:
        folder = EpisodeFolder(job.folder)
        attempt, started = folder.begin(), datetime.now(UTC)
        begun = time.monotonic()
        try:
            result = self._result(job, folder, episode)
        except InfraError as error:  # before there was an episode, or when its submission could not be kept
            result = EpisodeResult(
                task=job.key.task, level=job.key.level, agent=job.key.agent, seed=job.key.seed, status="infra",
                reward=None, end=None, steps=0, questions=0, seconds=time.monotonic() - begun,
                error=f"{type(error).__name__}: {error}", final=isinstance(error, ModelRequestError),
            )  # fmt: skip
        if self._stopped and result.status == "infra":
            raise Stopped
        row = make_row(
            job.key, result, started=started, attempts=attempt, use=episode.use, questions=episode.budget,
            place=episode.place,
        )  # fmt: skip
        folder.finish(row, result.report, result.trace)
        return Played(row=row, final=result.final)

    def _result(self, job: Job, folder: EpisodeFolder, episode: Playing) -> EpisodeResult:
        key = job.key
        if job.sandbox not in self._backends:
            self._backends[job.sandbox] = BACKENDS.borrow(job.sandbox)
        leash = episode.leash = Leash(self._backends[job.sandbox])
        env = make_env(
            key.task,
            key.level,
            cast(Backend, leash),
            job.image,
            language=key.language,
            workers=job.score_workers,
            **job.env,
        )
        with closing(Recorder(env, folder.trajectory)) as recorder:
            model = self._metered(job, episode, recorder)
            try:
                return play(
                    self._agents(key.agent, key.options), recorder, seed=key.seed, watcher=episode, keep=folder.keep,
                    model=model, phase=model.phase if model is not None else no_phase,
                )  # fmt: skip
            finally:
                folder.keep_probes(env.probes)

    def _metered(self, job: Job, episode: Playing, recorder: Recorder) -> Meter | None:
        if job.key.model is None:
            return None
        model = self._models.get(job.key.model, job.model_options)
        meter = Meter(model, limits=job.limits, prices=job.prices, listener=episode.listener(recorder.model))
        episode.meter = meter
        return meter
