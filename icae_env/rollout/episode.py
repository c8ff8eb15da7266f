"""Play one episode with one agent."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from icae_env.env.env import ICAEEnv
from icae_env.env.observations import Observation
from icae_env.env.wrappers import Recorder
from icae_env.errors import (
    ConfigError,
    ContextExceededError,
    ICAEError,
    InfraError,
    ModelLimitError,
    ModelRequestError,
)
from icae_env.evaluation import EvalReport, Submission
from icae_env.llm.base import ChatModel
from icae_env.rollout.agent import Agent, Brief, no_phase
from icae_env.rollout.golden import golden_files
from icae_env.tasks import PublicTask, load_public
from icae_env.tasks.languages import in_language
from icae_env.user_agent import Diagnosis

Env = ICAEEnv | Recorder
"""An environment to play in: the plain one, or one that records."""
AGENT_ERROR = "agent_error"
"""The ``end`` of an episode whose agent raised an error of its own."""


class EpisodeResult(BaseModel):
    """How an episode came out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    level: str
    language: str | None = None
    """Language that the program was asked for in; None when the episode did not begin."""
    agent: str
    seed: int
    status: Literal["ok", "infra"]
    """``infra``: the host's side or the model's service failed and nothing was measured."""
    reward: float | None
    """The overall pass rate; None when nothing was measured."""
    end: str | None
    """``submit``, the limit that ended it (``limit:NAME`` for one of the model), ``agent_error``, or what the agent says."""
    steps: int
    """Actions taken."""
    questions: int
    """Questions charged."""
    seconds: float
    """Wall time, scoring included."""
    error: str | None = None
    """What failed on the host's side or in the agent's own code."""
    report: EvalReport | None = None
    diagnoses: tuple[Diagnosis, ...] = Field(default=(), exclude=True)
    """What the User Agent's side noted on each question."""
    trace: str | None = Field(default=None, exclude=True)
    """Traceback of an error in the agent's own code."""
    final: bool = Field(default=False, exclude=True)
    """Whether what failed would fail again, such as a model's name that is wrong."""


class Watcher(Protocol):
    """Sees an episode as it happens; for a terminal, a log or a web page."""

    def began(self, task: PublicTask, observation: Observation, info: Mapping[str, Any]) -> None:
        """See the first observation."""
        ...

    def stepped(self, action: Any, observation: Observation, info: Mapping[str, Any]) -> None:
        """See an action and what it showed."""
        ...

    def acting(self, action: Any) -> None:
        """See an action before it is carried out."""
        ...


def play(
    agent: Agent,
    env: Env,
    *,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    watcher: Watcher | None = None,
    keep: Callable[[Submission], None] | None = None,
    model: ChatModel | None = None,
    phase: Callable[[str], None] = no_phase,
) -> EpisodeResult:
    """Play one episode to its end.

    An agent whose code raises an error, or whose model has used up a limit, has its workspace scored as it is.

    Args:
        agent: The player; it is told the task and asked for actions.
        env: The environment; it stays open.
        seed: The episode's seed.
        options: As for ``reset``.
        watcher: Sees every step.
        keep: Gets the submission once there is one, also when scoring failed.
        model: What the agent may think with.
        phase: Gets the names of the agent's phases.

    Returns:
        The result. What fails on the host's side is in it (status ``infra``, reward None); other errors are raised.
    """
    game = _Game(agent, env, seed=seed, watcher=watcher, model=model, phase=phase)
    return game.play(dict(options or {}), keep)


class _AgentFailedError(Exception):
    """Carry an error of the agent's own code to the end of the episode."""


class _Game:
    """The state of one ``play``."""

    def __init__(
        self,
        agent: Agent,
        env: Env,
        *,
        seed: int,
        watcher: Watcher | None,
        model: ChatModel | None,
        phase: Callable[[str], None],
    ) -> None:
        self._agent, self._env, self._seed, self._watcher = agent, env, seed, watcher
        self._model, self._phase = model, phase
        plain = env.unwrapped
        assert isinstance(plain, ICAEEnv)
        self._plain = plain
        self._task: PublicTask | None = None
        self._steps = self._budget = self._asked = 0
        self._end: str | None = None
        self._error: str | None = None
        self._trace: str | None = None
        self._final = False
        self._diagnoses: list[Diagnosis] = []

    def play(self, options: dict[str, Any], keep: Callable[[Submission], None] | None) -> EpisodeResult:
        """Play it."""
        begun = time.monotonic()
        try:
            observation = self._begin(options)
            self._until_over(observation)
        except InfraError as failure:
            self._error = f"{type(failure).__name__}: {failure}"
            self._end, self._final = None, isinstance(failure, ModelRequestError)
            report = None
        else:
            report = self._plain.report
        if self._plain.submission is not None and keep is not None:
            keep(self._plain.submission)
        assert report is None or isinstance(report, EvalReport)
        reward = report.reward if report is not None else None
        if report is not None and reward is None:
            self._error = report.infra_error
        task = self._task
        return EpisodeResult(
            task=task.id if task else str(options.get("task", "")),
            level=task.level if task else str(options.get("level", "")),
            language=task.spec.language if task else None, agent=self._agent.name, seed=self._seed,
            status="ok" if reward is not None else "infra", reward=reward, end=self._end, steps=self._steps,
            questions=self._asked, seconds=time.monotonic() - begun, error=self._error, report=report,
            diagnoses=tuple(self._diagnoses), trace=self._trace, final=self._final,
        )  # fmt: skip

    def _begin(self, options: dict[str, Any]) -> Observation:
        observation, info = self._env.reset(seed=self._seed, options=options)
        own = load_public(info["task"], info["level"])
        task = self._task = in_language(own, info["language"])
        if self._agent.privileged and task.spec.language != own.spec.language:
            raise ConfigError(
                f"The golden of '{task.id}' is written in {own.spec.language}, not in {task.spec.language}.",
                field="language",
                mend="leave the language out for this agent.",
            )
        self._budget = int(observation["questions_left"])
        if self._watcher:
            self._watcher.began(task, observation, info)
        self._brief = self._make_brief(task, info)
        return observation

    def _until_over(self, observation: Observation) -> None:
        try:
            self._of_agent("begin", self._brief)
            while self._end is None:
                observation = self._step(self._of_agent("act", observation))
        except _AgentFailedError as failed:
            self._error, self._trace = str(failed), _trace(failed.__cause__)
            self._cut_short(AGENT_ERROR)
        except ModelLimitError as limit:
            self._cut_short(f"limit:{limit.limit}")
        except ContextExceededError:
            self._cut_short("limit:context")
        if self._end == "submit":
            self._end = str(getattr(self._agent, "ended", None) or "submit")

    def _cut_short(self, end: str) -> None:
        """Hand in for the agent what lies in the workspace."""
        self._step({"type": "submit"})
        self._end = end

    def _step(self, action: Any) -> Observation:
        if self._watcher:
            self._watcher.acting(action)
        observation, _, terminated, truncated, info = self._env.step(action)
        self._steps += 1
        self._asked = self._budget - int(observation["questions_left"])
        if isinstance(info.get("user_agent"), Diagnosis):
            self._diagnoses.append(info["user_agent"])
        self._diagnoses += info.get("asked", ())
        if self._watcher:
            self._watcher.stepped(action, observation, info)
        if terminated or truncated:
            self._end = info.get("end", "submit")
        return observation

    def _of_agent(self, method: Literal["begin", "act"], given: Any) -> Any:
        try:
            return getattr(self._agent, method)(given)
        except ICAEError:
            raise
        except (Exception, SystemExit) as error:
            said = f"{type(error).__name__}: {error}"
            raise _AgentFailedError(f"The agent '{self._agent.name}' failed in {method}(): {said}") from error

    def _make_brief(self, task: PublicTask, info: Mapping[str, Any]) -> Brief:
        brief = Brief(
            task=task, seed=self._seed, limits=self._plain.config.limits(task.spec.limits), model=self._model,
            phase=self._phase,
        )  # fmt: skip
        if not self._agent.privileged:
            return brief
        golden = partial(golden_files, task.id, info["sandbox"], info["image"])
        return brief.model_copy(update={"place": self._plain.place, "golden": golden})


def _trace(error: BaseException | None) -> str:
    return "".join(traceback.format_exception(error)) if error is not None else ""
