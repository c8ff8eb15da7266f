"""What a run is to play: a selection of tasks, levels, agents, models and repeats becomes a list of episodes."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.llm.limits import ModelLimits
from icae_env.rollout.agent import Agent, agent_names, make_agent
from icae_env.rollout.store import EpisodeKey, RunConfig
from icae_env.selection import check_sandbox
from icae_env.tasks import check_level, find_task, task_ids
from icae_env.tasks.languages import check_language
from icae_env.tasks.models import TaskSpec

ALL = "all"
"""Stands for every task that is no draft."""
_PATTERN = frozenset("*?[")


class Selection(BaseModel):
    """What to play, as a user names it; a list may be empty where a default is told."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: tuple[str, ...]
    """Ids, patterns (``json-*``) or ``all``; each may be several, with commas between."""
    levels: tuple[str, ...] = ()
    """Empty: each task's first one, which is L1 where a PRD has levels."""
    agents: tuple[str, ...]
    models: tuple[str, ...] = ()
    """For the agents that want one; each of them plays with each."""
    agent_options: Mapping[str, str] = Field(default_factory=dict)
    """By name, for all agents, or by ``AGENT.name`` for one."""
    model_options: Mapping[str, str] = Field(default_factory=dict)
    """By name, for all models, or by ``MODEL.name`` for one."""
    repeats: int = Field(default=1, ge=1)
    """Episodes of each, with seeds counting up."""
    seed: int = Field(default=0, ge=0)
    """The first one."""
    language: str | None = None
    """Language of the programs; None: each task's own."""
    kinds: tuple[str, ...] = ()
    """Of what ``all`` and patterns choose, only these kinds of task; empty: every kind."""
    domains: tuple[str, ...] = ()
    """The same by domain."""
    sandbox: str = "auto"
    image: str = "auto"
    env: Mapping[str, Any] = Field(default_factory=dict)
    """Further arguments of ``make_env``: ``steps``, ``questions``, ..."""
    episode_limits: ModelLimits = ModelLimits()
    run_limits: ModelLimits = ModelLimits()


class LeftOut(BaseModel):
    """What ``all`` or a pattern would have chosen, and why it is not played."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    reason: str


class Plan(BaseModel):
    """What a selection comes to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config: RunConfig
    left_out: tuple[LeftOut, ...] = ()


def make_plan(selection: Selection) -> Plan:
    """Return the episodes of a selection, in the order task, level, agent, model, seed.

    Raises:
        ConfigError: Something of it is not known or does not fit, such as a task that a named agent cannot play.
    """
    check_sandbox(selection.sandbox)
    players = _players(selection)
    left_out: list[LeftOut] = []
    episodes = {key.id: key for key in _episodes(selection, players, left_out)}
    if not episodes:
        reasons = "; ".join(dict.fromkeys(f"{item.task}: {item.reason}" for item in left_out))
        raise ConfigError(
            f"Nothing is left to play: {reasons or 'no task fits'}.", mend="choose other tasks."
        )
    models = _used(episodes.values())
    config = RunConfig(
        created=datetime.now(UTC), episodes=tuple(episodes.values()), sandbox=selection.sandbox, image=selection.image,
        model_options={name: _own(selection.model_options, name, models) for name in models},
        env=selection.env, episode_limits=selection.episode_limits, run_limits=selection.run_limits,
        versions=versions(),
    )  # fmt: skip
    return Plan(config=config, left_out=tuple(dict.fromkeys(left_out)))


def versions() -> dict[str, str]:
    """Return the versions of what a run is played with."""
    from icae_env import __version__  # noqa: PLC0415 - the package imports its parts on first use

    return {"icae_env": __version__, "python": platform.python_version(), "system": platform.platform()}


@dataclass(frozen=True)
class _Player:
    name: str
    options: Mapping[str, str]
    models: tuple[str | None, ...]
    agent: Agent

    def plays(self, task: str) -> bool:
        """Return whether it can play a task."""
        plays = getattr(self.agent, "plays", None)
        return plays is None or bool(plays(task))

    def listed(self) -> str:
        """Return the tasks that it can play, as a text."""
        return ", ".join(task for task in task_ids() if self.plays(task)) or "no task there is"


def _players(selection: Selection) -> list[_Player]:
    """Make every agent once, so that what is wrong with it is known before anything is played."""
    names = _unique([name for given in selection.agents for name in agent_names(given)])
    models = _unique(selection.models)
    if not names:
        raise ConfigError("No agent is named.", field="--agent", mend="name one of icae agents.")
    players = []
    for name in names:
        options = _own(selection.agent_options, name, names)
        agent = make_agent(name, options)
        wants = bool(getattr(agent, "needs_model", False))
        if wants and not models:
            raise ConfigError(
                f"The agent '{name}' needs a model.", field="--model", mend="name one, such as openai/NAME."
            )
        players.append(
            _Player(name=name, options=options, models=tuple(models) if wants else (None,), agent=agent)
        )
    if models and all(player.models == (None,) for player in players):
        raise ConfigError(
            f"No agent of {', '.join(names)} uses a model.", field="--model", mend="leave it out."
        )
    return players


def _episodes(
    selection: Selection, players: Sequence[_Player], left_out: list[LeftOut]
) -> Iterator[EpisodeKey]:
    language = None if selection.language is None else check_language(selection.language)
    for spec, named in _tasks(selection):
        for level in _levels(selection, spec, named, left_out):
            for player in players:
                if not player.plays(spec.id):
                    reason = f"the agent '{player.name}' cannot play it"
                    _leave_out(reason, spec, named, left_out, mend=f"it plays {player.listed()}.")
                    continue
                for model in player.models:
                    for seed in range(selection.seed, selection.seed + selection.repeats):
                        yield EpisodeKey(
                            task=spec.id, level=level, agent=player.name, options=player.options, model=model,
                            seed=seed, language=language,
                        )  # fmt: skip


def _tasks(selection: Selection) -> Iterator[tuple[TaskSpec, bool]]:
    """Yield each task once, and whether it was named itself rather than by ``all`` or a pattern."""
    chosen: dict[str, tuple[TaskSpec, bool]] = {}
    for name in _listed(selection.tasks):
        if name != ALL and not _PATTERN & set(name):
            spec = find_task(name).spec
            chosen[spec.id] = (spec, True)
            continue
        known = task_ids()
        fitting = [task for task in known if name == ALL or fnmatchcase(task, name)]
        if not fitting:
            raise UnknownNameError("task like", name, known)
        for spec in (find_task(task).spec for task in fitting):
            if selection.kinds and spec.kind not in selection.kinds:
                continue
            if selection.domains and spec.domain not in selection.domains:
                continue
            chosen.setdefault(spec.id, (spec, False))
    yield from chosen.values()


def _levels(selection: Selection, spec: TaskSpec, named: bool, left_out: list[LeftOut]) -> Iterator[str]:
    for level in [check_level(name) for name in _listed(selection.levels)] or [spec.levels[0]]:
        if level in spec.levels:
            yield level
        else:
            _leave_out(f"a task of kind '{spec.kind}' has no level '{level}'", spec, named, left_out)


def _leave_out(
    reason: str, spec: TaskSpec, named: bool, left_out: list[LeftOut], *, mend: str | None = None
) -> None:
    if named:
        raise ConfigError(f"The task '{spec.id}' cannot be played: {reason}.", field="--task", mend=mend)
    left_out.append(LeftOut(task=spec.id, reason=reason))


def _own(options: Mapping[str, str], name: str, names: Sequence[str]) -> dict[str, str]:
    """Return the options that hold for one of several names."""
    found: dict[str, str] = {}
    for key, value in options.items():
        whose, _, option = key.rpartition(".")
        if whose and whose not in names:
            raise ConfigError(
                f"The option '{key}' is for '{whose}', which is not played.",
                mend=f"it is one of {', '.join(names)}.",
            )
        if not whose:
            found.setdefault(option, value)
        elif whose == name:
            found[option] = value
    return found


def _used(episodes: Iterable[EpisodeKey]) -> list[str]:
    return _unique([key.model for key in episodes if key.model is not None])


def _listed(names: Sequence[str]) -> list[str]:
    """Return names of which each may be several with commas between."""
    return _unique([part.strip() for name in names for part in name.split(",") if part.strip()])


def _unique(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
