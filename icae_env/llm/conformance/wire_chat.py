"""OpenAI chat completions: what is refused, and how a turn looks."""

from __future__ import annotations

import re
from typing import Any

from icae_env.llm.base import Usage
from icae_env.llm.conformance.turns import Turn

PATH = "/chat/completions"
_FINISH = {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "filter": "content_filter"}
_ROLES = {"system", "developer", "user", "assistant", "tool"}


class RefusedError(Exception):
    """A request that the service does not accept."""


def need(good: object, message: str) -> None:
    """Refuse the request unless something holds."""
    if not good:
        raise RefusedError(message)


def check(body: dict[str, Any]) -> None:
    """Refuse a request as the service would.

    Raises:
        RefusedError: Why.
    """
    need(isinstance(body.get("model"), str) and body["model"], "model: a name is required")
    if "tools" in body:
        check_tools([item.get("function") for item in body["tools"]])
    messages = body.get("messages")
    need(isinstance(messages, list) and messages, "messages: a list with at least one message is required")
    open_ids: list[str] = []
    for number, message in enumerate(messages or ()):
        open_ids = _check_message(message, f"messages.{number}", open_ids)
    need(not open_ids, f"messages: the calls {open_ids} have no tool message")


def check_tools(tools: list[Any]) -> None:
    """Refuse a list of functions that is not valid."""
    need(tools, "tools: an empty list is too short")
    for item in tools:
        named = isinstance(item, dict) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(item.get("name")))
        need(named, "tools: a function needs a name of letters, digits, _ and -")
        schema = item.get("parameters") or item.get("input_schema") or {}
        need(schema.get("type") == "object", f"tools: {item['name']} has no schema of type object")
    names = [item["name"] for item in tools]
    need(len(set(names)) == len(names), "tools: names must be unique")


def _check_message(message: dict[str, Any], where: str, open_ids: list[str]) -> list[str]:
    """Return the ids of the calls that are open after a message."""
    role, content = message.get("role"), message.get("content")
    need(role in _ROLES, f"{where}.role: {role!r} is none of {sorted(_ROLES)}")
    calls = message.get("tool_calls")
    need(
        isinstance(content, (str, list)) or (role == "assistant" and calls),
        f"{where}.content: text is required",
    )
    if role == "tool":
        answered = message.get("tool_call_id")
        need(
            answered in open_ids,
            f"{where}: a tool message must answer a call of the assistant's message before it",
        )
        return [name for name in open_ids if name != answered]
    need(not open_ids, f"{where}: the calls {open_ids} have no tool message")
    return _checked_calls(calls, f"{where}.tool_calls") if "tool_calls" in message else []


def _checked_calls(calls: Any, where: str) -> list[str]:
    need(isinstance(calls, list) and calls, f"{where}: an empty list is too short")
    ids = [item.get("id") for item in calls]
    good = all(isinstance(name, str) and name for name in ids) and len(set(ids)) == len(ids)
    need(good, f"{where}: every call needs an id of its own")
    for item in calls:
        function = item.get("function")
        need(
            item.get("type") == "function" and isinstance(function, dict),
            f"{where}: a call is of type function",
        )
        good = isinstance(function.get("arguments"), str) and bool(function.get("name"))
        need(good, f"{where}: a function has a name, and arguments as text")
    return ids


def answer(turn: Turn, body: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a turn as the service's response; ``number`` makes ids unique."""
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.refusal:
        message["refusal"] = turn.refusal
    if turn.reasoning:
        message[turn.reasoning_field] = turn.reasoning
    if turn.calls:
        message["tool_calls"] = [
            {
                "type": "function",
                "function": {
                    "name": item.name,
                    "arguments": item.value if turn.object_arguments else item.text,
                },
            }
            | ({} if turn.missing_ids else {"id": item.id or f"call_{number}_{index}"})
            for index, item in enumerate(turn.calls)
        ]
    finish = "stop" if turn.refusal and turn.finish is None else _FINISH.get(turn.reason, "unknown_reason")
    document = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if turn.usage is not None:
        document["usage"] = _usage(turn.usage)
    return document


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": (usage.input_tokens or 0) + (usage.output_tokens or 0),
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }


def error(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the service's form of an error."""
    kinds = {401: "authentication_error", 429: "rate_limit_error"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": code or None}}


def position(body: dict[str, Any]) -> int:
    """Return how many messages of the assistant the conversation holds."""
    return sum(message.get("role") == "assistant" for message in body["messages"])


def last(body: dict[str, Any]) -> str:
    """Return the text of the last message."""
    return text_of(body["messages"][-1].get("content"))


def text_of(content: Any) -> str:
    """Return the text of a message's content: text, or a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or text_of(part.get("content"))) for part in content)
    return content if isinstance(content, str) else ""
