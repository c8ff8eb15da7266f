"""OpenAI responses: what is refused, and how a turn looks."""

from __future__ import annotations

from typing import Any

from icae_env.llm.base import Usage
from icae_env.llm.conformance import wire_chat
from icae_env.llm.conformance.turns import Turn, seal
from icae_env.llm.conformance.wire_chat import need

PATH = "/responses"
error = wire_chat.error
_INCOMPLETE = {"length": "max_output_tokens", "filter": "content_filter"}


def check(body: dict[str, Any]) -> None:
    """Refuse a request as the service would.

    Raises:
        RefusedError: Why.
    """
    need(isinstance(body.get("model"), str) and body["model"], "model: a name is required")
    if "tools" in body:
        wire_chat.check_tools(body["tools"])
    items = body.get("input")
    need(items and isinstance(items, (str, list)), "input: text or items are required")
    if isinstance(items, list):
        wanted: list[str] = []
        for number, item in enumerate(items):
            _check_item(item, items[number + 1 : number + 2], f"input.{number}", wanted)
        need(not wanted, f"input: no output was given for the calls {wanted}")


def _check_item(item: dict[str, Any], following: list[dict[str, Any]], where: str, wanted: list[str]) -> None:
    """Check one item, and note in ``wanted`` which calls are open after it."""
    kind = item.get("type", "message")
    if kind == "reasoning":
        text = "".join(part["text"] for part in item.get("summary", []))
        need(
            item.get("encrypted_content") in (None, seal(text)), f"{where}.encrypted_content: it was changed"
        )
        good = following and following[0].get("role", "assistant") == "assistant"
        need(
            good and following[0].get("type") != "function_call_output",
            f"{where}: the item that followed is missing",
        )
    elif kind == "function_call":
        good = item.get("call_id") and item.get("name") and isinstance(item.get("arguments"), str)
        need(good, f"{where}: a function call has call_id, name, and arguments as text")
        wanted.append(item["call_id"])
    elif kind == "function_call_output":
        good = item.get("call_id") in wanted and isinstance(item.get("output"), (str, list))
        need(good, f"{where}: an output answers a call before it, with text")
        wanted.remove(item["call_id"])
    else:
        good = kind == "message" and item.get("role") in ("system", "developer", "user", "assistant")
        need(good, f"{where}: neither a message nor another item that is known")
        need(isinstance(item.get("content"), (str, list)), f"{where}.content: text is required")


def answer(turn: Turn, body: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a turn as the service's response; ``number`` makes ids unique."""
    cut = _INCOMPLETE.get(turn.reason) if not turn.refusal else None
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "model": body["model"],
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": cut} if cut else None,
        "error": None,
        "output": _output(turn, number, encrypted="reasoning.encrypted_content" in body.get("include", ())),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    } | ({"usage": _usage(turn.usage)} if turn.usage is not None else {})


def _output(turn: Turn, number: int, *, encrypted: bool) -> list[dict[str, Any]]:
    output: list[dict[str, Any]] = []
    if turn.reasoning:
        summary = [{"type": "summary_text", "text": turn.reasoning}]
        sealed = {"encrypted_content": seal(turn.reasoning)} if encrypted else {}
        output.append({"id": f"rs_{number}", "type": "reasoning", "summary": summary, **sealed})
    parts: list[dict[str, Any]] = []
    if turn.text:
        parts.append({"type": "output_text", "text": turn.text, "annotations": []})
    if turn.refusal:
        parts.append({"type": "refusal", "refusal": turn.refusal})
    whole = {"status": "completed"}
    if parts:
        output.append(
            {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": parts, **whole}
        )
    for index, item in enumerate(turn.calls):
        call = {"call_id": item.id or f"call_{number}_{index}", "name": item.name, "arguments": item.text}
        output.append({"id": f"fc_{number}_{index}", "type": "function_call", **call, **whole})
    return output


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": (usage.input_tokens or 0) + (usage.output_tokens or 0),
        "input_tokens_details": {"cached_tokens": usage.cached_tokens},
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }


def position(body: dict[str, Any]) -> int:
    """Return how many turns of the assistant the conversation holds."""
    if isinstance(body["input"], str):
        return 0
    own = [
        item.get("type") in ("function_call", "reasoning") or item.get("role") == "assistant"
        for item in body["input"]
    ]
    return sum(now and not before for now, before in zip(own, [False, *own], strict=False))


def last(body: dict[str, Any]) -> str:
    """Return the text of the last item."""
    if isinstance(body["input"], str):
        return body["input"]
    item = body["input"][-1]
    return wire_chat.text_of(item.get("output") if "output" in item else item.get("content"))
