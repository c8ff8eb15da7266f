"""What an agent is: something that is told the task once and then answers each observation with an action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, cast

from pydantic import BaseModel, ConfigDict

from icae_env import registry
from icae_env.env.observations import Observation
from icae_env.errors import ConfigError
from icae_env.tasks import PublicTask

Place = Callable[[Mapping[str, tuple[bytes, int]]], None]
"""Puts files (relative path -> bytes, mode) into the episode's workspace from outside."""


class Brief(BaseModel):
    """What an agent learns before its first observation."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    task: PublicTask
    seed: int
    place: Place | None = None
    """Only for privileged agents, which measure the benchmark itself and belong on no leaderboard."""
    golden: Callable[[], Mapping[str, tuple[bytes, int]]] | None = None
    """Only for privileged agents: makes the golden's files."""


class Agent(Protocol):
    """One player. A new object plays each episode."""

    name: ClassVar[str]
    privileged: ClassVar[bool]
    """Whether it needs what no honest agent may have (``Brief.place`` and ``Brief.golden``)."""

    def begin(self, brief: Brief) -> None:
        """Get ready for an episode."""
        ...

    def act(self, observation: Observation) -> Any:
        """Return the next action: a model, a mapping or JSON text."""
        ...


def make_agent(name: str, options: Mapping[str, str] | None = None) -> Agent:
    """Return a new agent by its registered name or ``module:Class``.

    Args:
        name: The name.
        options: Keyword arguments of its constructor.

    Raises:
        UnknownNameError: There is no such agent; the valid names are listed.
        ConfigError: The class does not take these options.
    """
    factory = registry.resolve("agent", name)
    try:
        return cast(Agent, factory(**(options or {})))
    except TypeError as error:
        raise ConfigError(
            f"The agent '{name}' cannot be made with the options {sorted(options or {})}: {error}."
        ) from error
