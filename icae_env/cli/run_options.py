"""What ``icae run`` is asked to play."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from icae_env import registry
from icae_env.env.wiring import EpisodeConfig
from icae_env.errors import ConfigError, UnknownNameError
from icae_env.llm.limits import ModelLimits
from icae_env.rollout.plan import Plan, Selection, make_plan
from icae_env.rollout.run import EngineName
from icae_env.rollout.store import Run

_ENGINES = ("local", "ray")
_LIMIT_OPTIONS = {
    "episode_limits": {
        "tokens": "--max-tokens",
        "cost": "--max-cost",
        "model_seconds": "--max-model-seconds",
    },
    "run_limits": {"tokens": "--run-max-tokens", "cost": "--run-max-cost"},
}


def make_selection(
    *,
    tasks: list[str] | None,
    agents: list[str] | None,
    env: Mapping[str, str],
    episode_limits: Mapping[str, Any],
    run_limits: Mapping[str, Any],
    **given: Any,
) -> Selection:
    """Return a selection from the options of the command line.

    Raises:
        ConfigError: An option is missing or has a wrong value.
    """
    for field, names in (("--task", tasks), ("--agent", agents)):
        if not names:
            raise ConfigError(f"The option '{field}' is missing.", field=field, mend=f"give {field} NAME.")
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return Selection(
        tasks=tuple(tasks or ()), agents=tuple(agents or ()), env=env_arguments(env),
        episode_limits=_limits("episode_limits", episode_limits), run_limits=_limits("run_limits", run_limits),
        **{name: value for name, value in fields.items() if value is not None},
    )  # fmt: skip


def planned(selection: Selection | None, out: Path | None) -> Plan:
    """Return what a selection comes to; without one, what the run that lies in ``out`` was asked for."""
    if selection is not None:
        return make_plan(selection)
    assert out is not None
    return Plan(config=Run(out).config)


def checked_engine(name: str) -> EngineName:
    """Return the name of an engine.

    Raises:
        UnknownNameError: There is no such engine.
    """
    if name not in _ENGINES:
        raise UnknownNameError("engine", name, _ENGINES)
    return cast(EngineName, name)


def _limits(kind: str, values: Mapping[str, Any]) -> ModelLimits:
    try:
        return ModelLimits(**values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ConfigError(f"{first['msg']}.", field=_LIMIT_OPTIONS[kind][str(first["loc"][0])]) from error


def env_arguments(options: Mapping[str, str]) -> dict[str, Any]:
    """Return arguments of ``make_env`` from their texts.

    Raises:
        UnknownNameError: There is no such argument.
        ConfigError: A value is wrong.
    """
    valid = (*EpisodeConfig.model_fields, "router")
    for name in options:
        if name not in valid:
            raise UnknownNameError("--env-option", name, valid)
    if "router" in options:
        registry.target("router", options["router"])
    try:
        config = EpisodeConfig.model_validate(
            {name: text for name, text in options.items() if name != "router"}
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ConfigError(f"{first['msg']}.", field=f"--env-option {first['loc'][0]}") from error
    return {name: options[name] if name == "router" else getattr(config, name) for name in options}
