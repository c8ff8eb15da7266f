"""An agent from outside: what is wrong with it is told as its own fault, not as the program's."""

from __future__ import annotations

from typing import Any, cast

from icae_env.env.observations import Observation
from icae_env.errors import ConfigError, ICAEError
from icae_env.rollout import Agent, make_agent
from icae_env.rollout.agent import Brief

PARTS = ("name", "privileged", "begin", "act")
"""What an agent must have."""


def guarded(name: str, options: dict[str, str]) -> Agent:
    """Return a new agent whose errors name it.

    Args:
        name: A registered name or ``module:Class``.
        options: Keyword arguments of its constructor.

    Raises:
        UnknownNameError: There is no such agent.
        ConfigError: It cannot be made, or lacks a part.
    """
    agent = make_agent(name, options)
    missing = [part for part in PARTS if not hasattr(agent, part)]
    if missing:
        raise ConfigError(
            f"The agent '{name}' has no {', no '.join(missing)}.",
            mend="name a class with name, privileged, begin(brief) and act(observation).",
        )
    return cast(Agent, _Guarded(agent, name))


class _Guarded:
    def __init__(self, agent: Agent, given: str) -> None:
        self._agent, self._given = agent, given
        self.name, self.privileged = agent.name, agent.privileged

    def begin(self, brief: Brief) -> None:
        """Get the agent ready."""
        self._call("begin", brief)

    def act(self, observation: Observation) -> Any:
        """Return the agent's next action."""
        return self._call("act", observation)

    def _call(self, method: str, given: Any) -> Any:
        try:
            return getattr(self._agent, method)(given)
        except ICAEError:
            raise
        except (Exception, SystemExit) as error:
            raise ConfigError(
                f"The agent '{self._given}' failed in {method}(): {type(error).__name__}: {error}.",
                mend="correct the agent; --debug shows where it failed.",
            ) from error
