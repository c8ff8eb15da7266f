"""Read text, JSON and TOML files so that whatever is wrong with one is said with file, field and mend."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from icae_env.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)
MAX_BYTES = 64 * 1024 * 1024
"""Larger documents are refused: nothing in a task is that big, a mistaken device or dump may be."""


def regular_file(file: Path, *, within: Path) -> Path:
    """Return ``file`` when it is a regular file that lies, links followed, inside ``within``.

    Raises:
        ConfigError: It is missing, no regular file, or a link that leads out of ``within``.
    """
    try:
        real, base = file.resolve(strict=True), within.resolve(strict=True)
    except FileNotFoundError:
        raise ConfigError("This file is missing.", file=file, mend="write it, or correct its name.") from None
    except (OSError, RuntimeError) as error:
        raise ConfigError(
            f"This file cannot be reached: {error}.", file=file, mend="mend the path or link."
        ) from error
    if not real.is_relative_to(base):
        raise ConfigError(
            "This is a link that leads out of its folder.", file=file, mend="put a copy in its place."
        )
    if not real.is_file():
        raise ConfigError("This is not a regular file.", file=file, mend="put a regular file in its place.")
    return file


def read_text(file: Path, *, within: Path) -> str:
    """Return a UTF-8 file's text, line ends as they stand in it.

    Raises:
        ConfigError: As ``regular_file``, or it is too large, unreadable or not UTF-8.
    """
    regular_file(file, within=within)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise ConfigError(f"This file is larger than {MAX_BYTES} bytes.", file=file, mend="split it.")
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"This file is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}.",
            file=file,
            mend="save it as UTF-8.",
        ) from error
    except OSError as error:
        raise ConfigError(
            f"This file cannot be read: {error.strerror}.", file=file, mend="check its permissions."
        ) from error


def read_json_object(file: Path, *, within: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds; repeated keys and NaN are errors.

    Raises:
        ConfigError: As ``read_text``, or the text is not JSON, or not an object.
    """

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in items:
            if key in found:
                raise ConfigError(
                    "This key occurs twice in one object.", file=file, field=key, mend="keep one of them."
                )
            found[key] = value
        return found

    def constant(name: str) -> NoReturn:
        raise ConfigError(
            f"{name} is not a JSON value.", file=file, mend="write it as a string or leave it out."
        )

    text = read_text(file, within=within)
    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except ConfigError:
        raise
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"This file is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.",
            file=file,
            mend="correct it there.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"This file is not JSON that can be read: {error}.", file=file, mend="simplify it."
        ) from error
    if not isinstance(value, dict):
        raise ConfigError(
            f"This file holds a JSON {_json_type(value)}, not an object.",
            file=file,
            mend='start it with "{".',
        )
    # Half a surrogate pair can be written in JSON, but in no UTF-8 file, pipe or terminal afterwards.
    place = _half_pair(value) if "\\ud" in text.lower() else None
    if place is not None:
        raise ConfigError(
            "This holds half of a surrogate pair, which UTF-8 cannot carry.",
            file=file,
            field=place,
            mend="write the whole character, or an escaped form of the task's own.",
        )
    return value


def read_toml(file: Path, *, within: Path) -> dict[str, Any]:
    """Return a TOML file's content.

    Raises:
        ConfigError: As ``read_text``, or the text is not TOML.
    """
    try:
        return tomllib.loads(read_text(file, within=within).replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"This file is not TOML: {error}.", file=file, mend="correct it there.") from error


def validated(model: type[Model], data: dict[str, Any], *, file: Path, prefix: str = "") -> Model:
    """Return ``data`` as an instance of ``model``, types taken strictly.

    Args:
        model: A pydantic model.
        data: What the file holds.
        file: The file, for the message.
        prefix: Dotted field that ``data`` stands at in the file.

    Raises:
        ConfigError: A field is missing, unknown or has a wrong value; the first one is named.
    """
    try:
        # By way of JSON: strict about types, yet a list may fill a tuple. TOML dates become text.
        return model.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        first = faults[0]
        field = ".".join([*([prefix] if prefix else []), *(str(part) for part in first["loc"])])
        more = f" ({len(faults) - 1} more such faults follow.)" if len(faults) > 1 else ""
        message, mend = _explain(first["type"], first["msg"])
        raise ConfigError(message + more, file=file, field=field or None, mend=mend) from error


def _explain(kind: str, text: str) -> tuple[str, str]:
    if kind == "missing":
        return "This field is missing.", "add it."
    if kind == "extra_forbidden":
        return "This field is unknown.", "remove it or correct its name."
    return f"{text}.", "give a value of that kind."


def _half_pair(value: Any) -> str | None:
    """Return the dotted place of a text with an unpaired surrogate; None when there is none."""
    if isinstance(value, str):
        return None if value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value) else ""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        place = "" if isinstance(key, str) and _half_pair(key) is not None else _half_pair(item)
        if place is not None:
            return f"{key!a}".strip("'") + (f".{place}" if place else "")
    return None


def _json_type(value: object) -> str:
    names = {
        list: "array",
        str: "string",
        bool: "boolean",
        int: "number",
        float: "number",
        type(None): "null",
    }
    return names[type(value)]
