"""Play one episode with one agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from icae_env.env.env import ICAEEnv
from icae_env.env.observations import Observation
from icae_env.env.wrappers import Recorder
from icae_env.errors import ConfigError, InfraError
from icae_env.evaluation import EvalReport, Submission
from icae_env.rollout.agent import Agent, Brief
from icae_env.rollout.golden import golden_files
from icae_env.tasks import PublicTask, load_public
from icae_env.tasks.languages import in_language

Env = ICAEEnv | Recorder
"""An environment to play in: the plain one, or one that records."""


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
    """``infra``: the host's side failed and nothing was measured."""
    reward: float | None
    """The overall pass rate; None when nothing was measured."""
    end: str | None
    """``submit``, or the limit that ended it."""
    steps: int
    """Actions taken."""
    questions: int
    """Questions charged."""
    seconds: float
    """Wall time, scoring included."""
    error: str | None = None
    """What failed on the host's side."""
    report: EvalReport | None = None


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
) -> EpisodeResult:
    """Play one episode to its end.

    Args:
        agent: The player; it is told the task and asked for actions.
        env: The environment; it stays open.
        seed: The episode's seed.
        options: As for ``reset``.
        watcher: Sees every step.
        keep: Gets the submission once there is one, also when scoring failed.

    Returns:
        The result. What fails on the host's side is in it (status ``infra``, reward None); other errors are raised.
    """
    begun = time.monotonic()
    plain = env.unwrapped
    assert isinstance(plain, ICAEEnv)
    task = level = end = error = None
    public: PublicTask | None = None
    steps = asked = 0
    try:
        observation, info = env.reset(seed=seed, options=dict(options or {}))
        task, level = info["task"], info["level"]
        own = load_public(task, level)
        public = in_language(own, info["language"])
        if agent.privileged and public.spec.language != own.spec.language:
            raise ConfigError(
                f"The golden of '{task}' is written in {own.spec.language}, not in {public.spec.language}.",
                field="language",
                mend="leave the language out for this agent.",
            )
        agent.begin(_brief(agent, plain, public, info, seed))
        if watcher:
            watcher.began(public, observation, info)
        questions = int(observation["questions_left"])
        while end is None:
            action = agent.act(observation)
            if watcher:
                watcher.acting(action)
            observation, _, terminated, truncated, info = env.step(action)
            steps += 1
            asked = questions - int(observation["questions_left"])
            if watcher:
                watcher.stepped(action, observation, info)
            if terminated or truncated:
                end = info.get("end", "submit")
    except InfraError as failure:
        error = f"{type(failure).__name__}: {failure}"
    if plain.submission is not None and keep is not None:
        keep(plain.submission)
    report = plain.report if error is None else None
    assert report is None or isinstance(report, EvalReport)
    reward = report.reward if report is not None else None
    if report is not None and reward is None:
        error = report.infra_error
    return EpisodeResult(
        task=task or str((options or {}).get("task", "")), level=level or str((options or {}).get("level", "")),
        language=public.spec.language if public is not None else None,
        agent=agent.name, seed=seed, status="ok" if reward is not None else "infra", reward=reward, end=end, steps=steps,
        questions=asked, seconds=time.monotonic() - begun, error=error, report=report,
    )  # fmt: skip


def _brief(agent: Agent, env: ICAEEnv, task: PublicTask, info: Mapping[str, Any], seed: int) -> Brief:
    if not agent.privileged:
        return Brief(task=task, seed=seed)
    golden = partial(golden_files, task.id, info["sandbox"], info["image"])
    return Brief(task=task, seed=seed, place=env.place, golden=golden)
