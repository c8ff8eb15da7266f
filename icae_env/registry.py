"""Names for plug-ins: a name stands for ``"module:Class"``, imported on first use.

Six kinds of plug-in exist: ``sandbox``, ``model``, ``agent``, ``scorer``, ``reward`` and ``router``. A package adds its
own through the entry-point group ``icae_env.<kind>s``; a user may also give ``module:Class`` in place of a name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from icae_env.errors import ConfigError, MissingDependencyError, UnknownNameError

BUILT_IN: dict[str, dict[str, str]] = {
    "sandbox": {
        "bubblewrap": "icae_env.sandbox.bubblewrap:BubblewrapBackend",
        "docker": "icae_env.sandbox.docker:DockerBackend",
        "fake": "icae_env.sandbox.fake:FakeBackend",
    },
    "model": {
        "anthropic": "icae_env.llm.anthropic:AnthropicModel",
        "openai": "icae_env.llm.openai:OpenAIModel",
        "replay": "icae_env.llm.replay:ReplayModel",
        "scripted": "icae_env.llm.scripted:ScriptedModel",
    },
    "agent": {},
    "scorer": {},
    "reward": {
        "overall": "icae_env.env.rewards:Overall",
        "resolved": "icae_env.env.rewards:Resolved",
        "public_delta": "icae_env.env.rewards:PublicDelta",
        "new_record": "icae_env.env.rewards:NewRecord",
    },
    "router": {
        "keyword": "icae_env.user_agent.router:KeywordRouter",
        "llm": "icae_env.user_agent.llm_router:LlmRouter",
        "semantic": "icae_env.user_agent.semantic_router:SemanticRouter",
    },
}


@cache
def _installed(kind: str) -> dict[str, str]:
    return {entry.name: entry.value for entry in entry_points(group=f"icae_env.{kind}s")}


def names(kind: str) -> list[str]:
    """Return the registered names of one kind, sorted."""
    return sorted({**BUILT_IN[kind], **_installed(kind)})


def target(kind: str, name: str) -> str:
    """Return the ``module:Class`` a name stands for.

    Raises:
        UnknownNameError: The name is neither registered nor of the form ``module:Class``.
    """
    table = {**_installed(kind), **BUILT_IN[kind]}
    if name in table:
        return table[name]
    if ":" in name:
        return name
    raise UnknownNameError(kind, name, table)


def resolve(kind: str, name: str) -> Callable[..., Any]:
    """Import and return the class or factory that a name stands for.

    Raises:
        UnknownNameError: The name is not registered.
        ConfigError: The module has no such attribute, or cannot be imported.
        MissingDependencyError: The module needs a package that is not installed.
    """
    module_name, _, attribute = target(kind, name).partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] != module_name.partition(".")[0]:
            raise MissingDependencyError(
                error.name, needed_for=f"The {kind} '{name}'", install=f"pip install {error.name}"
            ) from error
        raise ConfigError(
            f"The {kind} '{name}' names a module that cannot be imported: {error}.",
            mend="give a registered name or module:Class on the Python path.",
        ) from error
    try:
        found: Callable[..., Any] = getattr(module, attribute)
    except AttributeError as error:
        raise ConfigError(f"Module '{module_name}' has no '{attribute}' (wanted as {kind}).") from error
    return found
