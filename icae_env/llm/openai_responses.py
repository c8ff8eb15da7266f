"""OpenAI responses, without state at the service: the whole conversation is sent each time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from icae_env.llm.base import Completion, FinishReason, Message, ToolCall, ToolSpec, Usage
from icae_env.llm.openai_common import OpenAIAnswerError
from icae_env.llm.translate import (
    arguments_text,
    arguments_value,
    call_id,
    count,
    finish_of,
    own_blocks,
    sendable_name,
    text_of,
    with_origin,
)

SERVICE = "openai-responses"
ENCRYPTED = "reasoning.encrypted_content"
"""What the service must be asked for so that reasoning can be sent back to it."""
_CUT: dict[Any, FinishReason] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "filter",
}


def to_items(messages: Sequence[Message], model: str) -> list[dict[str, Any]]:
    """Return a conversation as the interface takes it."""
    return [item for message in messages for item in _to_items(message, model)]


def to_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Return tools as the interface takes them."""
    return [{"type": "function", **tool.model_dump(), "strict": False} for tool in tools]


def _to_items(message: Message, model: str) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [
            {"type": "function_call_output", "call_id": message.tool_call_id or "", "output": message.text}
        ]
    if message.role != "assistant":
        return [{"role": message.role, "content": message.text}]
    if kept := own_blocks(message, SERVICE, model):
        return kept
    text = [{"role": "assistant", "content": message.text}] if message.text or not message.tool_calls else []
    return [*text, *map(_to_call, message.tool_calls)]


def _to_call(call: ToolCall) -> dict[str, Any]:
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": sendable_name(call.name),
        "arguments": json.dumps(arguments_value(call.arguments), ensure_ascii=False),
    }


def read(document: dict[str, Any], model: str, asked: int, *, keep: bool) -> Completion:
    """Return what a response says.

    Args:
        document: The response.
        model: The model that was asked.
        asked: Number of messages that it answers.
        keep: Whether its items, reasoning among them, are sent back in later calls.

    Raises:
        OpenAIAnswerError: It has no output, or the service says that it failed.
    """
    output = document.get("output")
    if document.get("status") in ("failed", "cancelled") or not isinstance(output, list):
        raise OpenAIAnswerError(f"has the status '{document.get('status')}'", document.get("error"))
    calls, kept = _calls(output, asked)
    said = [item for item in output if item.get("type") == "message"]
    refused = any(part.get("type") == "refusal" for item in said for part in item.get("content") or ())
    return Completion(
        message=Message(
            role="assistant",
            text="".join(text_of(item.get("content"), "output_text", "text", "refusal") for item in said),
            tool_calls=calls,
            reasoning="".join(_thinking(item) for item in output if item.get("type") == "reasoning"),
            blocks=with_origin(SERVICE, model, _sendable(kept)) if keep else (),
        ),
        finish="filter" if refused else _finish(document, calls),
        usage=_usage(document.get("usage")),
        model=str(document.get("model") or model),
        raw=document,
    )


def _calls(output: list[dict[str, Any]], asked: int) -> tuple[tuple[ToolCall, ...], list[dict[str, Any]]]:
    """Return the calls, and all items as they are sent back."""
    calls: list[ToolCall] = []
    kept = []
    for item in output:
        sent = {name: value for name, value in item.items() if value is not None}
        if item.get("type") == "function_call":
            name = call_id(item.get("call_id"), [call.id for call in calls], asked)
            arguments = arguments_text(item.get("arguments"))
            calls.append(ToolCall(id=name, name=str(item.get("name") or ""), arguments=arguments))
            sent |= _to_call(calls[-1])
        kept.append(sent)
    return tuple(calls), kept


def _thinking(item: dict[str, Any]) -> str:
    return text_of(item.get("summary"), "summary_text") or text_of(item.get("content"), "reasoning_text")


def _sendable(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items that the service takes back: none of reasoning without what it led to."""
    ends = [number for number, item in enumerate(items) if item.get("type") in ("message", "function_call")]
    return items[: ends[-1] + 1] if ends else []


def _finish(document: dict[str, Any], calls: tuple[ToolCall, ...]) -> FinishReason:
    if document.get("status") == "incomplete":
        return _CUT.get((document.get("incomplete_details") or {}).get("reason"), "other")
    return finish_of("stop" if document.get("status", "completed") == "completed" else "other", calls)


def _usage(given: Any) -> Usage:
    if not isinstance(given, dict):
        return Usage()
    prompt = given.get("input_tokens_details") or {}
    answer = given.get("output_tokens_details") or {}
    return Usage(
        input_tokens=count(given.get("input_tokens")),
        output_tokens=count(given.get("output_tokens")),
        cached_tokens=count(prompt.get("cached_tokens")),
        reasoning_tokens=count(answer.get("reasoning_tokens")),
    )
