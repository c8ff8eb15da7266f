"""OpenAI chat completions, as OpenAI speaks them and as the many servers do that follow its form."""

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

SERVICE = "openai-chat"
_FINISH: dict[Any, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "filter",
}
_STANDARD = {"role", "content", "tool_calls", "refusal", "annotations", "audio", "function_call"}
_STANDARD_CALL = {"id", "type", "function", "index"}


def to_messages(messages: Sequence[Message], model: str) -> list[dict[str, Any]]:
    """Return a conversation as the interface takes it."""
    return [_to_message(message, model) for message in messages]


def to_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Return tools as the interface takes them."""
    return [{"type": "function", "function": tool.model_dump()} for tool in tools]


def _to_message(message: Message, model: str) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": message.text}
    if message.role != "assistant":
        return {"role": message.role, "content": message.text}
    told: dict[str, Any] = {
        "role": "assistant",
        "content": message.text or (None if message.tool_calls else ""),
    }
    kept: dict[str, dict[str, Any]] = {
        block["of"]: block["fields"] for block in own_blocks(message, SERVICE, model)
    }
    if message.tool_calls:
        told["tool_calls"] = [_to_call(call) | kept.get(call.id, {}) for call in message.tool_calls]
    return told | kept.get("", {})


def _to_call(call: ToolCall) -> dict[str, Any]:
    arguments = json.dumps(arguments_value(call.arguments), ensure_ascii=False)
    function = {"name": sendable_name(call.name), "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def read(document: dict[str, Any], model: str, asked: int, *, keep: bool) -> Completion:
    """Return what a response says.

    Args:
        document: The response.
        model: The model that was asked.
        asked: Number of messages that it answers.
        keep: Whether what goes beyond the standard (reasoning, marks on calls) is sent back in later calls.

    Raises:
        OpenAIAnswerError: It has no message.
    """
    choices = document.get("choices")
    if not choices:
        raise OpenAIAnswerError("has no choices", document.get("error"))
    told = choices[0]["message"]
    calls, marks = _calls(told.get("tool_calls") or [], asked)
    refusal = told.get("refusal")
    content = told.get("content")
    reasoning = told.get("reasoning_content") or told.get("reasoning") or _thinking(content)
    extra = {
        name: value for name, value in told.items() if name not in _STANDARD and value not in (None, "", [])
    }
    blocks = ([{"of": "", "fields": extra}] if extra else []) + marks
    return Completion(
        message=Message(
            role="assistant",
            text=text_of(content, "text") or (refusal if isinstance(refusal, str) else ""),
            tool_calls=calls,
            reasoning=reasoning if isinstance(reasoning, str) else "",
            blocks=with_origin(SERVICE, model, blocks) if keep else (),
        ),
        finish="filter"
        if refusal
        else finish_of(_FINISH.get(choices[0].get("finish_reason"), "other"), calls),
        usage=_usage(document.get("usage")),
        model=str(document.get("model") or model),
        raw=document,
    )


def _calls(given: list[Any], asked: int) -> tuple[tuple[ToolCall, ...], list[dict[str, Any]]]:
    """Return the calls, and the fields of each that only the service knows."""
    calls: list[ToolCall] = []
    marks = []
    for item in given:
        function = item.get("function") if isinstance(item, dict) else None
        if not isinstance(function, dict):  # no call that could be carried out, and the agent's to judge
            calls.append(
                ToolCall(
                    id=call_id(None, [call.id for call in calls], asked),
                    name="",
                    arguments=arguments_text(item),
                )
            )
            continue
        name = call_id(item.get("id"), [call.id for call in calls], asked)
        arguments = arguments_text(function.get("arguments"))
        calls.append(ToolCall(id=name, name=str(function.get("name") or ""), arguments=arguments))
        extra = {key: value for key, value in item.items() if key not in _STANDARD_CALL and value is not None}
        if extra:
            marks.append({"of": name, "fields": extra})
    return tuple(calls), marks


def _thinking(content: Any) -> str:
    """Return the thinking that some servers give as parts of the content."""
    parts = content if isinstance(content, list) else []
    found = [
        part.get("thinking") for part in parts if isinstance(part, dict) and part.get("type") == "thinking"
    ]
    return "".join(text_of(item, "text") for item in found)


def _usage(given: Any) -> Usage:
    if not isinstance(given, dict):
        return Usage()
    prompt = given.get("prompt_tokens_details") or {}
    answer = given.get("completion_tokens_details") or {}
    return Usage(
        input_tokens=count(given.get("prompt_tokens")),
        output_tokens=count(given.get("completion_tokens")),
        cached_tokens=count(prompt.get("cached_tokens")),
        reasoning_tokens=count(answer.get("reasoning_tokens")),
    )
