"""Make environments: the entry points of ``gymnasium.make`` and ``gymnasium.make_vec``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gymnasium.vector import AutoresetMode
from pydantic import ValidationError

from icae_env.env.env import ICAEEnv
from icae_env.env.rewards import RewardLike, make_reward
from icae_env.env.vector import ThreadVectorEnv
from icae_env.env.wiring import EpisodeConfig
from icae_env.errors import ConfigError
from icae_env.sandbox.base import Backend, Limits
from icae_env.tasks import check_level, find_task, task_ids
from icae_env.user_agent import MakeRouter
from icae_env.wired import Wired

ALL = "all"
"""Stands for every task that is no draft."""


def make_env(
    task: str | Sequence[str] = "bracex",
    level: str | Sequence[str] | None = None,
    sandbox: str | Backend = "auto",
    image: str = "auto",
    reward: RewardLike = "overall",
    *,
    steps: int | None = None,
    questions: int | None = None,
    seconds: float | None = None,
    command_seconds: float | None = None,
    output_chars: int | None = None,
    restarts: int = 10,
    public_cases: bool = False,
    resources: Limits | None = None,
    workers: int = 2,
    router: str | MakeRouter = "keyword",
    language: str | None = None,
    render_mode: str | None = None,
) -> ICAEEnv:
    """Return an environment. Nothing is started before its first ``reset``.

    Args:
        task: Id of a task, several of which each reset draws one, or ``all``.
        level: A level, or several of which each reset draws one; None: the task's first, which is L1 where a PRD has levels.
        sandbox: ``bubblewrap``, ``docker``, ``module:Class``, or a backend; ``auto`` takes the first of
            the two that works here.
        image: Name of an image, or ``host``; ``auto`` takes the task's own where it is built, else ``host``.
        reward: A name (``overall``, ``resolved``, ``public_delta``, ``new_record``, ``module:Class``), a
            mapping from names to weights, or a reward.
        steps: Actions of an episode; None, here and below: as the task says.
        questions: Questions to the user.
        seconds: Wall time of an episode.
        command_seconds: Wall time of one bash action.
        output_chars: Characters of one observation.
        restarts: Restarts of shell or sandbox that an agent may cause; the last one ends the episode.
        public_cases: Whether the public cases lie in the workspace with their expected outputs.
        resources: Memory, disk and processes of each sandbox.
        workers: Sandboxes at the same time while a submission is scored.
        router: What chooses the User Agent's records: ``keyword``, ``semantic``, ``llm``, ``module:Class``, or
            a callable that takes a ``RecordSet``.
        language: Language that the program is asked for in (``python``, ``rust``, ...), which is then also what
            ``image="auto"`` goes by; None: the task's own.
        render_mode: None or ``ansi``.

    Raises:
        UnknownNameError: A task, level, sandbox, router, reward, language or render mode is not known.
        ConfigError: A limit is out of range, or a task folder is not valid.
    """
    config = _config(
        steps=steps,
        questions=questions,
        seconds=seconds,
        command_seconds=command_seconds,
        output_chars=output_chars,
        restarts=restarts,
        public_cases=public_cases,
    )
    wiring = Wired(
        tasks=_tasks(task),
        levels=tuple(check_level(name) for name in _several(level, "level")) if level is not None else (),
        sandbox=sandbox,
        image=image,
        resources=resources or Limits(),
        workers=workers,
        router=router,
        language=language,
    )
    return ICAEEnv(wiring, config, make_reward(reward), render_mode=render_mode)


def make_vector_env(
    num_envs: int = 1,
    *,
    autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    max_episode_steps: int | None = None,
    **kwargs: Any,
) -> ThreadVectorEnv:
    """Return environments stepped side by side in threads, as ``gymnasium.make_vec`` does by default.

    Args:
        num_envs: How many.
        autoreset_mode: When an environment that is done is reset, as in gymnasium.
        max_episode_steps: gymnasium's word for ``steps``.
        **kwargs: As for ``make_env``, for each of them.
    """
    if num_envs < 1:
        raise ConfigError("There must be at least one.", field="num_envs", mend="give 1 or more.")
    if max_episode_steps is not None:
        kwargs.setdefault("steps", max_episode_steps)
    return ThreadVectorEnv([lambda: make_env(**kwargs)] * num_envs, autoreset_mode=autoreset_mode)


def _tasks(task: str | Sequence[str]) -> tuple[str, ...]:
    if task == ALL:
        return tuple(task_ids())
    names = _several(task, "task")
    for name in names:
        find_task(name)
    return names


def _several(value: str | Sequence[str], field: str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    if not names:
        raise ConfigError("This list is empty.", field=field, mend="give at least one name.")
    return names


def _config(**fields: Any) -> EpisodeConfig:
    try:
        return EpisodeConfig(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{first['msg']}, but {first['input']!r} was given.", field=name) from error
