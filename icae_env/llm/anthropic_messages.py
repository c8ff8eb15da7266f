"""Anthropic messages: roles that alternate, tool results in one message, thinking that goes back unchanged, cache marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icae_env.llm.base import Completion, FinishReason, Message, ToolCall, ToolSpec, Usage
from icae_env.llm.translate import (
    arguments_text,
    arguments_value,
    call_id,
    count,
    finish_of,
    own_blocks,
    plus,
    sendable_name,
    with_origin,
)

SERVICE = "anthropic"
NO_TEXT = "(no text)"
"""Stands for an empty message, which the service does not accept."""
_CACHE = {"type": "ephemeral"}
_FINISH: dict[Any, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filter",
}


def to_system(messages: Sequence[Message], *, cache: bool) -> list[dict[str, Any]]:
    """Return the system's messages, which stand apart from the conversation."""
    blocks = [
        _text(message.text) for message in messages if message.role == "system" and message.text.strip()
    ]
    return _marked(blocks) if cache else blocks


def to_tools(tools: Sequence[ToolSpec], *, cache: bool) -> list[dict[str, Any]]:
    """Return tools as the interface takes them."""
    told = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
        for tool in tools
    ]
    return _marked(told) if cache else told


def to_messages(messages: Sequence[Message], model: str, *, cache: bool) -> list[dict[str, Any]]:
    """Return a conversation as the interface takes it.

    Neighbours of one role become one message, with tool results before all else. With ``cache``, the last two messages of
    the user are marked: the one that the previous call ended with, whose cache is read, and the new one.
    """
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if not turns or turns[-1][0] != role:
            turns.append((role, []))
        turns[-1][1].extend(_to_blocks(message, model))
    told = [(role, _ordered(blocks)) for role, blocks in turns]
    if cache:
        users = [number for number, (role, _) in enumerate(told) if role == "user"][-2:]
        told = [
            (role, _marked(blocks) if number in users else blocks)
            for number, (role, blocks) in enumerate(told)
        ]
    return [{"role": role, "content": blocks} for role, blocks in told]


def _to_blocks(message: Message, model: str) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id or "", "content": message.text}]
    if message.role == "assistant" and (kept := own_blocks(message, SERVICE, model)):
        return kept
    calls = [_to_call(call) for call in message.tool_calls]
    return ([_text(message.text)] if message.text.strip() else []) + calls


def _to_call(call: ToolCall) -> dict[str, Any]:
    value = arguments_value(call.arguments)
    return {"type": "tool_use", "id": call.id, "name": sendable_name(call.name), "input": value}


def _ordered(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    results = [block for block in blocks if block["type"] == "tool_result"]
    others = [block for block in blocks if block["type"] != "tool_result"]
    return results + others or [_text(NO_TEXT)]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _marked(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return blocks of which the last one bears the mark: what comes up to it is to be cached."""
    return [*blocks[:-1], {**blocks[-1], "cache_control": _CACHE}] if blocks else []


def read(document: dict[str, Any], model: str, asked: int, *, keep: bool) -> Completion:
    """Return what a response says.

    Args:
        document: The response.
        model: The model that was asked.
        asked: Number of messages that it answers.
        keep: Whether its blocks, thinking among them, are sent back in later calls.
    """
    content = document["content"]
    text, reasoning, calls, kept = _gathered([_text(content)] if isinstance(content, str) else content, asked)
    said = any(block.get("type") not in ("thinking", "redacted_thinking") for block in kept)
    return Completion(
        message=Message(
            role="assistant",
            text=text,
            tool_calls=calls,
            reasoning=reasoning,
            blocks=with_origin(SERVICE, model, kept) if keep and said else (),
        ),
        finish=finish_of(_FINISH.get(document.get("stop_reason"), "other"), calls),
        usage=_usage(document.get("usage")),
        model=str(document.get("model") or model),
        raw=document,
    )


def _gathered(
    content: list[dict[str, Any]], asked: int
) -> tuple[str, str, tuple[ToolCall, ...], list[dict[str, Any]]]:
    """Return text, thinking, calls, and the blocks that the service takes back."""
    calls: list[ToolCall] = []
    text, reasoning, kept = "", "", []
    for block in content:
        kind = block.get("type")
        sent = {name: value for name, value in block.items() if value is not None}
        if kind == "text":
            text += block.get("text") or ""
            if not str(block.get("text") or "").strip():
                continue
        elif kind == "thinking":
            reasoning += block.get("thinking") or ""
            if not block.get("signature"):  # cut off; the service would not take it back
                continue
        elif kind == "tool_use":
            name = call_id(block.get("id"), [call.id for call in calls], asked)
            arguments = arguments_text(block.get("input"))
            call = ToolCall(id=name, name=str(block.get("name") or ""), arguments=arguments)
            calls.append(call)
            sent |= _to_call(call)
        kept.append(sent)
    return text, reasoning, tuple(calls), kept


def _usage(given: Any) -> Usage:
    if not isinstance(given, dict):
        return Usage()
    read_, written = (
        count(given.get("cache_read_input_tokens")),
        count(given.get("cache_creation_input_tokens")),
    )
    details = given.get("output_tokens_details") or {}
    return Usage(
        input_tokens=plus(count(given.get("input_tokens")), read_, written),
        output_tokens=count(given.get("output_tokens")),
        cached_tokens=read_,
        cache_write_tokens=written,
        reasoning_tokens=count(details.get("thinking_tokens")),
    )
