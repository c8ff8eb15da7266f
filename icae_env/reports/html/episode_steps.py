"""The steps of an episode as plain values for the page's viewer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from icae_env.env.trajectory import ModelLine, ResetLine, StepLine
from icae_env.llm.base import Message
from icae_env.reports.html.cutting import Cutter
from icae_env.reports.html.edits import Files

_TITLE = 160
_FRAME = 300
"""Characters that an agent may add around an observation when it passes it on to its model."""


def steps(lines: Iterable[ResetLine | StepLine | ModelLine], cut: Cutter) -> dict[str, Any]:
    """Return the begin, the steps, and the calls after the last step of one trajectory.

    Args:
        lines: Its lines.
        cut: Cuts every text.
    """
    files = Files()
    found: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    begin, last = "", ""
    for line in lines:
        if isinstance(line, ResetLine):
            begin = last = line.observation.text
            found, calls = [], []
        elif isinstance(line, ModelLine):
            calls.append(_call(line, last, cut))
        else:
            found.append(_step(line, calls, files, cut))
            calls, last = [], line.observation.text
    return {"begin": cut(begin), "steps": found, "after": calls}


def _step(line: StepLine, calls: list[dict[str, Any]], files: Files, cut: Cutter) -> dict[str, Any]:
    action, told = line.action, line.observation
    kind = str(action.get("type", "invalid"))
    step: dict[str, Any] = {
        "n": line.index, "kind": kind, "title": _title(action, cut), "exit": told.exit_code if told.exit_code >= 0 else None,
        "text": cut(told.text), "seconds": round(line.seconds, 3), "left": [told.steps_left, told.questions_left],
    }  # fmt: skip
    given = _given(action)
    if given:
        step["given"] = cut(given)
    if kind == "edit":
        change = files.edit(action, done=told.exit_code == 0)
        if change is not None:
            step["diff"], step["against"] = cut(change[0]), change[1]
    asked = _asked(line.info)
    if asked:
        step["asked"] = [_diagnosis(entry, cut) for entry in asked]
    if calls:
        step["calls"] = calls
    if line.terminated or line.truncated:
        step["end"] = str(line.info.get("end", "submit"))
    return step


def _title(action: Mapping[str, Any], cut: Cutter) -> str:
    kind = action.get("type")
    said = {
        "bash": action.get("command"),
        "edit": f"{action.get('op')} {action.get('path')}",
        "ask_user": action.get("question"),
        "terminal": f"{action.get('keys', '')}{' <Enter>' if action.get('enter', True) else ''}",
        "submit": "hand in the workspace",
    }.get(str(kind), action.get("message"))
    lines = str(said or "").strip().split("\n", 1)
    return cut(lines[0][:_TITLE] + (" ..." if len(lines) > 1 or len(lines[0]) > _TITLE else ""))


def _given(action: Mapping[str, Any]) -> str:
    """Return what was asked for in full, where the title may not tell it all."""
    kind = action.get("type")
    if kind in ("bash", "ask_user"):
        return str(action.get("command" if kind == "bash" else "question", ""))
    return str(action.get("given", "")) if kind == "invalid" else ""


def _asked(info: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    one, several = info.get("user_agent"), info.get("asked")
    found = [one] if isinstance(one, dict) else []
    return found + [entry for entry in several or () if isinstance(entry, dict)]


def _diagnosis(entry: Mapping[str, Any], cut: Cutter) -> dict[str, Any]:
    matches = [match for match in entry.get("matches") or () if isinstance(match, dict)]
    return {
        "question": cut(str(entry.get("question", ""))),
        "kind": cut(str(entry.get("kind", ""))),
        "revealed": [cut(str(name)) for name in entry.get("revealed") or ()],
        "matches": [[cut(str(match.get("id"))), match.get("score")] for match in matches],
        "pointers": [str(number) for number in entry.get("pointers") or ()],
        "signature": bool(entry.get("signature")),
        "charged": bool(entry.get("charged")),
        "flagged": cut(str(entry["flagged"])) if entry.get("flagged") else None,
    }


def _call(line: ModelLine, last: str, cut: Cutter) -> dict[str, Any]:
    done = line.completion
    call: dict[str, Any] = {
        "phase": cut(line.phase), "model": cut(done.model), "finish": done.finish, "cost": line.cost,
        "seconds": round(done.seconds, 2), "retries": done.retries, "sent": line.kept + len(line.added),
        "text": cut(done.message.text), "reasoning": cut(done.message.reasoning),
        "tools": [[cut(tool.name), cut(tool.arguments)] for tool in done.message.tool_calls],
        "tokens": [
            done.usage.input_tokens, done.usage.output_tokens, done.usage.cached_tokens, done.usage.reasoning_tokens,
        ],
        "added": [[message.role, cut(message.text)] for message in line.added if _is_new(message, last)],
    }  # fmt: skip
    return call


def _is_new(message: Message, last: str) -> bool:
    """Whether a message says more than the observation that the page shows anyway."""
    repeated = last.strip() in message.text and len(message.text) - len(last) < _FRAME
    return bool(message.text) and message.role != "assistant" and not repeated
