"""Tool definitions for language models, generated from the action models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic_core import from_json

from icae_env.env.actions import (
    ACTION_TYPES,
    AskUser,
    Bash,
    Edit,
    InvalidAction,
    Submit,
    Terminal,
    parse_action,
)

ToolFormat = Literal["openai-chat", "openai-responses", "anthropic", "mcp"]


def parameters(action: str) -> dict[str, Any]:
    """Return the JSON schema of an action's arguments (its fields without ``type``)."""
    schema = ACTION_TYPES[action].model_json_schema()
    properties = {
        name: _plain(value) for name, value in schema.get("properties", {}).items() if name != "type"
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in schema.get("required", []) if name != "type"],
        "additionalProperties": False,
    }


def tools(style: ToolFormat, actions: Iterable[str] = tuple(ACTION_TYPES)) -> list[dict[str, Any]]:
    """Return the tool list in the shape one interface expects.

    Args:
        style: ``openai-chat`` or ``openai-responses`` (the two OpenAI interfaces), ``anthropic``, ``mcp``.
        actions: Which actions are offered.
    """
    return [_tool(style, name) for name in actions]


def action_from_call(
    name: str, arguments: str | Mapping[str, Any]
) -> Bash | Edit | AskUser | Terminal | Submit | InvalidAction:
    """Return the action that a model's tool call means; never raise.

    Args:
        name: The tool's name.
        arguments: Its arguments, as a mapping or as JSON text.
    """
    if isinstance(arguments, str):
        try:
            parsed = from_json(arguments or "{}")
        except ValueError:
            return parse_action(arguments)
        if not isinstance(parsed, dict):
            return parse_action(parsed)
        arguments = parsed
    return parse_action({**arguments, "type": name})


def _tool(style: ToolFormat, name: str) -> dict[str, Any]:
    text = " ".join((ACTION_TYPES[name].__doc__ or "").split())
    schema = parameters(name)
    if style == "openai-chat":
        return {"type": "function", "function": {"name": name, "description": text, "parameters": schema}}
    if style == "openai-responses":
        return {"type": "function", "name": name, "description": text, "parameters": schema, "strict": False}
    key = "input_schema" if style == "anthropic" else "inputSchema"
    return {"name": name, "description": text, key: schema}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Write an optional field plainly: without its title, its null branch and its null default."""
    plain = {key: value for key, value in schema.items() if key not in ("title", "anyOf")}
    for branch in schema.get("anyOf", []):
        if branch.get("type") != "null":
            plain.update(branch)
    if plain.get("default", 0) is None:
        del plain["default"]
    if "prefixItems" in plain:  # not every provider knows tuples
        plain["items"] = plain.pop("prefixItems")[0]
    return plain
