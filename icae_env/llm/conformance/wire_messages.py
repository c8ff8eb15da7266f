"""Anthropic messages: what is refused, and how a turn looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from icae_env.llm.base import Usage
from icae_env.llm.conformance import wire_chat
from icae_env.llm.conformance.turns import Turn, seal
from icae_env.llm.conformance.wire_chat import need

PATH = "/messages"
MOST_BREAKPOINTS = 4
_FINISH = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "filter": "refusal"}
_KINDS = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
}  # fmt: skip


def check(body: dict[str, Any]) -> None:
    """Refuse a request as the service would.

    Raises:
        RefusedError: Why.
    """
    need(isinstance(body.get("model"), str) and body["model"], "model: a name is required")
    most = body.get("max_tokens")
    need(isinstance(most, int) and most >= 1, "max_tokens: a number of at least 1 is required")
    if "tools" in body:
        wire_chat.check_tools(body["tools"])
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "enabled":
        good = 1024 <= thinking.get("budget_tokens", 0) < (most or 0)
        need(good, "thinking.budget_tokens: at least 1024, and less than max_tokens")
    marked = [block for block in _all_blocks(body) if "cache_control" in block]
    need(len(marked) <= MOST_BREAKPOINTS, f"cache_control: more than {MOST_BREAKPOINTS} blocks have it")
    plain = not any(block.get("type") in ("thinking", "redacted_thinking") for block in marked)
    need(plain, "cache_control: a thinking block cannot have it")
    messages = body.get("messages")
    need(isinstance(messages, list) and messages, "messages: at least one message is required")
    open_ids: set[str] = set()
    for number, message in enumerate(messages or ()):
        right = ("user", "assistant")[number % 2]
        need(
            message.get("role") == right,
            f"messages.{number}.role: user and assistant alternate, and user begins",
        )
        open_ids = _check_message(message.get("content"), f"messages.{number}", open_ids)
    need(not open_ids, f"messages: {sorted(open_ids)} have no tool_result")


def _all_blocks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from body.get("tools", [])
    if isinstance(body.get("system"), list):
        yield from body["system"]
    for message in body.get("messages") or []:
        if isinstance(message.get("content"), list):
            yield from message["content"]


def _check_message(content: Any, where: str, open_ids: set[str]) -> set[str]:
    """Return the ids of the calls that are open after a message."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    need(isinstance(blocks, list) and blocks, f"{where}.content: it is empty")
    for block in blocks:
        _check_block(block, f"{where}.content")
    answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    good = set(answered) == open_ids and len(answered) == len(open_ids)
    need(good, f"{where}: tool_result blocks for {sorted(open_ids)} are required, and for no others")
    first = all(block["type"] == "tool_result" for block in blocks[: len(answered)])
    need(first, f"{where}: tool_result blocks stand before all others")
    uses = [block["id"] for block in blocks if block["type"] == "tool_use"]
    need(len(set(uses)) == len(uses), f"{where}: ids of tool_use blocks must be unique")
    return set(uses)


def _check_block(block: dict[str, Any], where: str) -> None:
    kind = block.get("type")
    if kind == "text":
        need(str(block.get("text", "")).strip(), f"{where}: a text block must have more than white space")
    elif kind == "thinking":
        good = block.get("signature") == seal(str(block.get("thinking")))
        need(good, f"{where}: the signature of a thinking block is not valid")
    elif kind == "tool_use":
        good = bool(block.get("id") and block.get("name")) and isinstance(block.get("input"), dict)
        need(good, f"{where}: a tool_use block has id, name, and an object as input")
    elif kind == "tool_result":
        need(isinstance(block.get("content", ""), (str, list)), f"{where}: a tool_result has text")
    else:
        need(kind == "redacted_thinking", f"{where}: blocks of type {kind!r} are not known")


def answer(turn: Turn, body: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a turn as the service's response; ``number`` makes ids unique."""
    content: list[dict[str, Any]] = []
    if turn.reasoning:
        content.append({"type": "thinking", "thinking": turn.reasoning, "signature": seal(turn.reasoning)})
    if turn.text or turn.refusal:
        content.append({"type": "text", "text": turn.text or turn.refusal})
    content += [
        {
            "type": "tool_use",
            "id": item.id or f"toolu_{number}_{index}",
            "name": item.name,
            "input": item.value,
        }
        for index, item in enumerate(turn.calls)
    ]
    document = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": _FINISH.get(turn.reason, "pause_turn"),
        "stop_sequence": None,
    }
    if turn.usage is not None:
        document["usage"] = _usage(turn.usage)
    return document


def _usage(usage: Usage) -> dict[str, Any]:
    cached, written = usage.cached_tokens, usage.cache_write_tokens
    plain = None if usage.input_tokens is None else usage.input_tokens - (cached or 0) - (written or 0)
    return {
        "input_tokens": plain,
        "output_tokens": usage.output_tokens,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": written,
    }


def error(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the service's form of an error."""
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "api_error")
    told: dict[str, Any] = {"type": kind, "message": message}
    if code:
        told["details"] = {"error_code": code}
    return {"type": "error", "error": told, "request_id": "req_1"}


def position(body: dict[str, Any]) -> int:
    """Return how many messages of the assistant the conversation holds."""
    return sum(message.get("role") == "assistant" for message in body["messages"])


def last(body: dict[str, Any]) -> str:
    """Return the text of the last message."""
    return wire_chat.text_of(body["messages"][-1].get("content"))
