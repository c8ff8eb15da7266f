"""The Gymnasium environment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import gymnasium

from icae_env.env.actions import parse_action
from icae_env.env.episode import Episode
from icae_env.env.observations import Observation, clean, cut, observation
from icae_env.env.outcome import AnyAction, End, Outcome, no_episode
from icae_env.env.rewards import Overall, Reward, StepView
from icae_env.env.spaces import ActionSpace, observation_space
from icae_env.env.wiring import EpisodeConfig, Report, Wiring
from icae_env.errors import InfraError, UnknownNameError
from icae_env.oracle.probes import Probe, ProbeLog
from icae_env.sandbox.base import WORKSPACE
from icae_env.tasks.models import LEVELS, Level, PublicTask

OPTIONS = ("task", "level")
"""Keys of the options of ``reset``."""


class ICAEEnv(gymnasium.Env[Observation, Any]):
    """An agent writes a program from a fuzzy PRD, asks the user, submits, and is scored on hidden cases.

    ``info`` is for the host only: ``task``, ``level``, ``language``, ``sandbox``, ``image`` and ``image_digest`` always,
    ``user_agent`` (diagnostics) after a question, ``asked`` (several) after a command with ``ask-user``,
    ``end`` and ``report`` at the end. Nothing in it differs
    between equal runs; the report with the times that scoring took is in the attribute ``report``.

    Args:
        wiring: Tasks, sandboxes, User Agent and scoring, as ``icae_env.make_env`` wires them.
        config: Limits and options of episodes.
        reward: What a step earns.
        render_mode: None or ``ansi``.
        clock: Seconds from any start, for the time limit.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as in gymnasium.Env

    def __init__(
        self,
        wiring: Wiring,
        config: EpisodeConfig | None = None,
        reward: Reward | None = None,
        render_mode: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UnknownNameError("render mode", str(render_mode), self.metadata["render_modes"])
        self.render_mode = render_mode
        self.config = config or EpisodeConfig()
        self.action_space = ActionSpace()
        self.observation_space = cast(gymnasium.Space[Observation], observation_space())
        self.submission: Any = None
        """What the last episode handed in, kept also when scoring failed; None before its end."""
        self.report: Report | None = None
        """The score of the last episode; None before its end."""
        self._wiring, self._reward, self._clock = wiring, reward or Overall(), clock
        self._episode: Episode | None = None
        self._log = ProbeLog()
        self._state = "new"
        self._frame = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode and destroy the one before.

        Args:
            seed: Seeds the choice of the task.
            options: ``task`` and ``level`` choose these instead.

        Raises:
            ConfigError: An option is not known.
            InfraError: The sandbox cannot be started.
            EpisodeStateError: The environment is closed.
        """
        super().reset(seed=seed)
        if self._state == "closed":
            raise no_episode("closed")
        task = self._choose(options or {})
        self._drop_episode("failed")
        self.submission = self.report = None
        self._reward.reset()
        episode = self._episode = Episode(task, self._wiring, self.config, self._clock)
        self._log = episode.probes
        self._state = "running"
        obs = observation(episode.text, None, episode.steps_left, episode.questions_left)
        self._frame = episode.text
        return obs, self._info(episode)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out one action.

        Args:
            action: An action model, a mapping, or JSON text; anything else costs a step and is explained.

        Returns:
            Observation, reward, terminated (handed in), truncated (a limit was reached; scored too), info.

        Raises:
            EpisodeStateError: There is no running episode.
            InfraError: The host's side failed; the episode is over and has no reward.
        """
        episode = self._episode
        if episode is None or self._state != "running":
            raise no_episode(self._state)
        if not episode.is_ours:
            raise no_episode("foreign")
        parsed = parse_action(action)
        try:
            outcome = episode.act(parsed)
            if outcome.end is not None:
                self.submission = episode.snapshot()
            public_rate = self._public_rate(episode)
            if outcome.end is not None:
                episode.close()
                self.report = episode.score(self.submission)
                _check_measured(self.report)
            earned = self._reward(
                StepView(parsed, outcome.end, self.report, outcome.new_records, public_rate)
            )
        except BaseException:
            self._drop_episode("failed")
            raise
        return self._result(episode, parsed, outcome, earned)

    def place(self, files: Mapping[str, tuple[bytes, int]]) -> None:
        """Put files into the workspace from outside, for agents that measure the benchmark itself.

        Args:
            files: Path in the workspace -> (content, permission bits).

        Raises:
            EpisodeStateError: There is no running episode.
            OSError: They do not fit.
        """
        if self._episode is None or self._state != "running":
            raise no_episode(self._state)
        for path, (data, mode) in files.items():
            self._episode.sandbox.files.write(WORKSPACE / path, data, mode=mode)

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The calls of the reference program in the present or else the last episode."""
        return self._log.probes

    @property
    def phase(self) -> str:
        """The agent's phase, which is noted with each probe; each reset empties it."""
        return self._log.phase

    @phase.setter
    def phase(self, name: str) -> None:
        self._log.phase = name

    def render(self) -> str | None:
        """Return the last action and what it showed, in render mode ``ansi``; else None."""
        return self._frame if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Destroy what is left; a second call does nothing."""
        if self._state != "closed":
            try:
                self._drop_episode("closed")
            finally:
                self._wiring.close()

    def _result(
        self, episode: Episode, action: AnyAction, outcome: Outcome, earned: float
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        text = cut(clean(outcome.text), episode.limits.output_chars)
        obs = observation(text, outcome.exit_code, episode.steps_left, episode.questions_left)
        info = self._info(episode)
        if outcome.user_agent is not None:
            info["user_agent"] = outcome.user_agent
        if outcome.asked:
            info["asked"] = outcome.asked
        if outcome.end is not None:
            info["end"] = outcome.end
            if self.report is not None:
                info["report"] = self._wiring.without_times(self.report)
            self._drop_episode("over")
        if self.render_mode == "ansi":
            self._frame = f"> {action.model_dump_json(exclude_none=True)}\n{text}"
        return obs, float(earned), outcome.end == "submit", _is_limit(outcome.end), info

    def _public_rate(self, episode: Episode) -> Callable[[], float]:
        submission = self.submission
        return lambda: episode.public_rate(submission)

    def _choose(self, options: Mapping[str, Any]) -> PublicTask:
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise UnknownNameError("reset option", str(unknown[0]), OPTIONS)
        # Both are drawn on every reset, so that naming one does not change the choices that follow.
        tasks = self._wiring.tasks
        drawn, share = tasks[int(self.np_random.integers(len(tasks)))], self.np_random.random()
        task = options.get("task") or drawn
        if task not in tasks:
            raise UnknownNameError("task in this environment", str(task), tasks)
        levels = self._wiring.levels(task)
        level = options.get("level") or levels[int(share * len(levels))]
        if level not in LEVELS:
            raise UnknownNameError("level", str(level), LEVELS)
        return self._wiring.load(task, cast(Level, level))

    def _drop_episode(self, state: str) -> None:
        episode, self._episode = self._episode, None
        if episode is not None or state == "closed":
            self._state = state
        if episode is not None:
            episode.close()

    @staticmethod
    def _info(episode: Episode) -> dict[str, Any]:
        image = episode.sandbox.image
        return {
            "task": episode.task.id,
            "level": episode.task.level,
            "language": episode.task.spec.language,
            "sandbox": episode.sandbox.backend,
            "image": image.name,
            "image_digest": image.digest,
        }


def _check_measured(report: Report) -> None:
    if report.reward is None:
        raise InfraError(
            "The evaluation failed on the host's side, so nothing was measured (see env.report). The submission "
            "is kept in env.submission and can be scored again."
        )


def _is_limit(end: End | None) -> bool:
    return end is not None and end != "submit"
