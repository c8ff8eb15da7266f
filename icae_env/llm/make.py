"""Models by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from icae_env import registry
from icae_env.errors import ConfigError, UnknownNameError
from icae_env.llm.base import ChatModel

_FORMS = {
    "openai": "openai/NAME",
    "anthropic": "anthropic/NAME",
    "scripted": "scripted:FILE",
    "replay": "replay:PATH",
}
_CLASS = "module:Class"


def forms() -> list[str]:
    """Return the forms that a model's name may have."""
    return [*(_form(name) for name in registry.names("model")), _CLASS]


def make_model(name: str, options: Mapping[str, Any] | None = None) -> ChatModel:
    """Return a model by its name.

    Args:
        name: ``openai/NAME``, ``anthropic/NAME``, ``scripted:FILE``, ``replay:PATH``, ``KIND/NAME`` of an installed plug-in,
            or ``module:Class``.
        options: Keyword arguments of its class; for the built-in ones also as texts.

    Returns:
        The model, which the caller closes.

    Raises:
        UnknownNameError: The name has none of these forms; they are listed.
        ConfigError: The name is incomplete, or the class does not take these options.
        MissingDependencyError: A package that it needs is not installed.
    """
    kind, separator, rest = _split(name)
    if kind not in registry.names("model"):
        if not re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", name):
            raise UnknownNameError("model", name, forms())
        return _made(name, name, (), options)
    form = _form(kind)
    if not rest.strip() or separator != form[len(kind)]:
        raise ConfigError(f"The model '{name}' is incomplete.", field="model", mend=f"write {form}.")
    return _made(name, kind, (rest,), options)


def _split(name: str) -> tuple[str, str, str]:
    found = re.search(r"[/:]", name)
    return (name[: found.start()], found.group(), name[found.end() :]) if found else (name, "", "")


def _form(kind: str) -> str:
    return _FORMS.get(kind, f"{kind}/NAME")


def _made(name: str, target: str, args: tuple[str, ...], options: Mapping[str, Any] | None) -> ChatModel:
    factory = registry.resolve("model", target)
    try:
        return cast(ChatModel, factory(*args, **(options or {})))
    except TypeError as error:
        raise ConfigError(
            f"The model '{name}' cannot be made with the options {sorted(options or {})}: {error}.",
            field="model",
        ) from error
