"""Keep a service's key out of everything that is written."""

from __future__ import annotations

import os
import re
from typing import Any

from pydantic import SecretStr

from icae_env.errors import ConfigError

HIDDEN = "[key]"
_MASKED = re.compile(r"[\w-]*\*{3,}[\w-]*")
"""A key as services show it that hide only its middle."""


def key_from(variable: str, model: str) -> SecretStr:
    """Return the key that an environment variable holds, in a form that tracebacks do not show.

    Args:
        variable: Its name.
        model: The model as the user named it.

    Raises:
        ConfigError: It is not set, or cannot be a key. The value is not told.
    """
    key = SecretStr(os.environ.get(variable, ""))
    if not key:
        raise ConfigError(
            f"The model '{model}' has no key: {variable} is not set.",
            mend=f"set {variable} (to any word for a server that wants no key), or name another variable with the "
            "option api_key_env.",
        )
    if not re.fullmatch(r"[!-~]([ -~]*[!-~])?", key.get_secret_value()):
        raise ConfigError(
            f"The key in {variable} has white space at an end, or signs that no key has.",
            mend=f"set {variable} again, without a newline.",
        )
    return key


def scrub(value: Any, key: SecretStr) -> Any:
    """Return a JSON value without the key, and without halves of signs that are no text.

    A word of letters alone that is shorter than 12, as servers without keys are given, is no secret and stays.
    """
    if isinstance(value, str):
        if _is_secret(key):
            value = value.replace(key.get_secret_value(), HIDDEN)
        return (
            value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, list):
        return [scrub(item, key) for item in value]
    if isinstance(value, dict):
        return {scrub(name, key): scrub(item, key) for name, item in value.items()}
    return value


def scrub_error(text: str, key: SecretStr) -> str:
    """Return the text of an error without the key, whole or with its middle hidden."""
    return _MASKED.sub(HIDDEN, str(scrub(text, key)))


def _is_secret(key: SecretStr) -> bool:
    return len(key) >= 12 or (len(key) >= 6 and not key.get_secret_value().isalpha())
