"""A Gymnasium environment for interactive coding agents: fuzzy requirements, a User Agent, isolated replay.

Importing the package registers the environment id ``ICAE-v0`` and does nothing else; the names below are
loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register

if TYPE_CHECKING:
    from icae_env.env.actions import parse_action
    from icae_env.env.async_env import AsyncICAEEnv
    from icae_env.env.env import ICAEEnv
    from icae_env.env.tools import tools
    from icae_env.env.vector import ThreadVectorEnv
    from icae_env.env.wrappers import Recorder, TextActions
    from icae_env.errors import (
        ConfigError,
        ContextExceededError,
        EpisodeStateError,
        ICAEError,
        InfraError,
        ManifestError,
        MissingDependencyError,
        ModelError,
        ModelLimitError,
        ModelRequestError,
        ModelUnavailableError,
        SandboxDiedError,
        SandboxError,
        SandboxStartError,
        SandboxUnavailableError,
        UnknownNameError,
        UserAgentError,
    )
    from icae_env.factory import make_env, make_vector_env

__version__ = "0.1.0"
ENV_ID = "ICAE-v0"

_LAZY = {
    **dict.fromkeys(
        (
            "ICAEError",
            "ConfigError",
            "UnknownNameError",
            "ManifestError",
            "MissingDependencyError",
            "EpisodeStateError",
            "InfraError",
            "SandboxError",
            "SandboxUnavailableError",
            "SandboxStartError",
            "SandboxDiedError",
            "UserAgentError",
            "ModelError",
            "ModelUnavailableError",
            "ModelRequestError",
            "ContextExceededError",
            "ModelLimitError",
        ),
        "icae_env.errors",
    ),
    "AsyncICAEEnv": "icae_env.env.async_env",
    "ICAEEnv": "icae_env.env.env",
    "Recorder": "icae_env.env.wrappers",
    "TextActions": "icae_env.env.wrappers",
    "ThreadVectorEnv": "icae_env.env.vector",
    "make_env": "icae_env.factory",
    "make_vector_env": "icae_env.factory",
    "parse_action": "icae_env.env.actions",
    "tools": "icae_env.env.tools",
}

__all__ = [
    "ENV_ID",
    "AsyncICAEEnv",
    "ConfigError",
    "ContextExceededError",
    "EpisodeStateError",
    "ICAEEnv",
    "ICAEError",
    "InfraError",
    "ManifestError",
    "MissingDependencyError",
    "ModelError",
    "ModelLimitError",
    "ModelRequestError",
    "ModelUnavailableError",
    "Recorder",
    "SandboxDiedError",
    "SandboxError",
    "SandboxStartError",
    "SandboxUnavailableError",
    "TextActions",
    "ThreadVectorEnv",
    "UnknownNameError",
    "UserAgentError",
    "__version__",
    "make_env",
    "make_vector_env",
    "parse_action",
    "tools",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'icae_env' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)


register(
    id=ENV_ID,
    entry_point="icae_env.factory:make_env",
    vector_entry_point="icae_env.factory:make_vector_env",
    # The environment reports a wrong order of calls itself; the checker is run by the tests.
    order_enforce=False,
    disable_env_checker=True,
)
