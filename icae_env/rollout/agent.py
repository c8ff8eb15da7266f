"""What an agent is: something that is told the task once and then answers each observation with an action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, cast

from pydantic import BaseModel, ConfigDict

from icae_env import registry
from icae_env.env.observations import Observation
from icae_env.errors import ConfigError
from icae_env.llm.base import ChatModel
from icae_env.tasks import PublicTask
from icae_env.tasks.models import TaskLimits

Place = Callable[[Mapping[str, tuple[bytes, int]]], None]
"""Puts files (relative path -> bytes, mode) into the episode's workspace from outside."""


def no_phase(name: str) -> None:
    """Take a phase's name where nobody keeps a log."""


class Brief(BaseModel):
    """What an agent learns before its first observation."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    task: PublicTask
    seed: int
    limits: TaskLimits
    """Those in force, which may differ from the task's own (``task.spec.limits``)."""
    model: ChatModel | None = None
    """The model to think with, for agents that want one. Retries, limits, prices and the log are seen to: an agent only calls
    ``model.complete``."""
    phase: Callable[[str], None] = no_phase
    """Names the phase that the agent is in from now on, for the log and the costs; agents of one phase need not call it."""
    place: Place | None = None
    """Only for privileged agents, which measure the benchmark itself and belong on no leaderboard."""
    golden: Callable[[], Mapping[str, tuple[bytes, int]]] | None = None
    """Only for privileged agents: makes the golden's files."""


class Agent(Protocol):
    """One player. A new object plays each episode.

    An agent may have further parts, which are looked for by name:

    - ``needs_model: ClassVar[bool]``: whether it can only play with a model (default: False).
    - ``argument: ClassVar[str]``: the option that the text after ``NAME:`` sets, as in ``command:make all``.
    - ``plays(self, task: str) -> bool``: whether it can play the task of that id (default: every task).
    - ``prompts(self, task: PublicTask | None = None, start: str = ...) -> dict[str, str]``: what it says to its model, by titles,
      for ``icae agents show``; without a task with the names of the variables. ``start`` is the episode's first observation.
    - ``ended: str``: set with the last action when the agent gives up, it says why (``format``) in place of ``submit``.
    """

    name: ClassVar[str]
    privileged: ClassVar[bool]
    """Whether it needs what no honest agent may have (``Brief.place`` and ``Brief.golden``)."""

    def begin(self, brief: Brief) -> None:
        """Get ready for an episode."""
        ...

    def act(self, observation: Observation) -> Any:
        """Return the next action: a model, a mapping or JSON text."""
        ...


_PARTS = ("name", "privileged", "begin", "act")


def make_agent(name: str, options: Mapping[str, str] | None = None) -> Agent:
    """Return a new agent by its registered name or ``module:Class``.

    Args:
        name: The name; ``NAME:TEXT`` for a registered one that takes a text.
        options: Keyword arguments of its constructor.

    Raises:
        UnknownNameError: There is no such agent; the valid names are listed.
        ConfigError: The class does not take these options, or lacks a part.
    """
    known, argument, text = _with_text(name) or (name, None, "")
    factory = registry.resolve("agent", known)
    given = {**(options or {}), **({argument: text} if argument else {})}
    try:
        agent = factory(**given)
    except TypeError as error:
        raise ConfigError(
            f"The agent '{name}' cannot be made with the options {sorted(given)}: {error}."
        ) from error
    missing = [part for part in _PARTS if not hasattr(agent, part)]
    if missing:
        raise ConfigError(
            f"The agent '{name}' has no {', no '.join(missing)}.",
            mend="name a class with name, privileged, begin(brief) and act(observation).",
        )
    return cast(Agent, agent)


def agent_names(given: str) -> list[str]:
    """Return the agents that a text names, with commas between; the text of one that takes a text goes to its end.

    Args:
        given: Such as ``react,noop`` or ``command:sort -t, -k2 notes``.
    """
    if _with_text(given.strip()):
        return [given.strip()]
    return [name.strip() for name in given.split(",") if name.strip()]


def _with_text(name: str) -> tuple[str, str, str] | None:
    """Return the registered name, the option and the text of ``NAME:TEXT``; None where a name is not of that form."""
    known, mark, text = name.partition(":")
    if not mark or known not in registry.names("agent"):
        return None
    argument = getattr(registry.resolve("agent", known), "argument", None)
    return (known, argument, text) if argument else None
