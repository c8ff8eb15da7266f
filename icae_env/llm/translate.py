"""What the interfaces' translations share."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from icae_env.llm.base import FinishReason, Message, ToolCall

BAD_ARGUMENTS = "malformed_arguments"
"""Name under which arguments that are no JSON object are shown to the model again; services accept nothing else."""


def own_blocks(message: Message, service: str, model: str) -> list[dict[str, Any]]:
    """Return a message in the service's own form, if it is this model's own; else nothing."""
    if not message.blocks:
        return []
    first = message.blocks[0]
    return list(message.blocks[1:]) if (first.get("service"), first.get("model")) == (service, model) else []


def with_origin(service: str, model: str, blocks: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Return the service's own form of a message as ``Message.blocks``."""
    return ({"service": service, "model": model}, *blocks) if blocks else ()


def arguments_value(arguments: str) -> dict[str, Any]:
    """Return the arguments of a call as an object; such as are none stand in one, as text."""
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = arguments
    return value if isinstance(value, dict) else {BAD_ARGUMENTS: arguments}


def arguments_text(value: Any) -> str:
    """Return arguments as JSON text, whatever the service gave."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def sendable_name(name: str) -> str:
    """Return a tool's name as services accept it; a model may have made up one that they do not."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"


def call_id(given: Any, taken: Collection[str], asked: int) -> str:
    """Return a call's id; where it is missing or twice, one that no other call of the conversation has.

    Args:
        given: What the service gave.
        taken: Ids of the message's other calls.
        asked: Number of messages before this one.
    """
    if isinstance(given, str) and given and given not in taken:
        return given
    return f"call_{asked}_{len(taken)}"


def count(value: Any) -> int | None:
    """Return a number of tokens; None where there is none."""
    good = (
        isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 and value == value // 1
    )
    return int(value) if good else None


def plus(*values: int | None) -> int | None:
    """Return the sum of what is known; None where the first is not."""
    return None if values[0] is None else sum(value or 0 for value in values)


def finish_of(given: FinishReason, calls: tuple[ToolCall, ...]) -> FinishReason:
    """Return why the model stopped; some services say ``stop`` although there are calls, and the other way round."""
    if given in ("stop", "tool_calls"):
        return "tool_calls" if calls else "stop"
    return given


def text_of(content: Any, *kinds: str) -> str:
    """Return the text of a content that may be text or parts; of the parts, that of some kinds."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(
        str(part.get("text") or part.get("refusal") or "")
        for part in content
        if isinstance(part, dict) and part.get("type") in kinds
    )
