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


class Shown:
    """What the page shows of an episode so far, so that nothing of a conversation is shown twice."""

    def __init__(self) -> None:
        self._last = ""
        self._messages: set[str] = set()
        self._lengths: dict[str, int] = {}

    def add(self, observation: str) -> None:
        """Note the observation that the page shows."""
        self._last = observation.strip()

    def is_new(self, message: Message) -> bool:
        """Whether a message says more than the last observation and was not in the conversation before."""
        repeats = self._last in message.text and len(message.text) - len(self._last) < _FRAME
        if message.role == "assistant" or not message.text or message.text in self._messages:
            return False
        self._messages.add(message.text)
        return not repeats

    def shortened(self, line: ModelLine) -> bool:
        """Whether a call's conversation does not hold all that its phase's conversation held before."""
        before = self._lengths.get(line.phase, 0)
        self._lengths[line.phase] = line.kept + len(line.added) + 1
        return line.kept < before - 1


Change = tuple[str, str]
"""A difference, and what it is against."""


def changes(lines: Iterable[ResetLine | StepLine | ModelLine]) -> dict[int, Change]:
    """Return the difference that each edit made, by the step's position."""
    files, found = Files(), {}
    for line in lines:
        if isinstance(line, StepLine) and line.action.get("type") == "edit":
            change = files.edit(line.action, done=line.observation.exit_code == 0)
            if change is not None:
                found[line.index] = change
    return found


def steps(
    lines: Iterable[ResetLine | StepLine | ModelLine], edits: Mapping[int, Change], cut: Cutter
) -> dict[str, Any]:
    """Return the begin, the steps, and the calls after the last step of one trajectory.

    Args:
        lines: Its lines.
        edits: Their differences.
        cut: Cuts every text.
    """
    shown = Shown()
    found: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    begin = ""
    for line in lines:
        if isinstance(line, ResetLine):
            begin = line.observation.text
            shown.add(begin)
            found, calls = [], []
        elif isinstance(line, ModelLine):
            calls.append(_call(line, shown, cut))
        else:
            found.append(_step(line, calls, edits.get(line.index), cut))
            calls = []
            shown.add(line.observation.text)
    return {"begin": cut(begin), "steps": found, "after": calls}


def _step(line: StepLine, calls: list[dict[str, Any]], change: Change | None, cut: Cutter) -> dict[str, Any]:
    action, told = line.action, line.observation
    kind = str(action.get("type", "invalid"))
    step: dict[str, Any] = {
        "n": line.index, "kind": kind, "title": _title(action, cut), "exit": told.exit_code if told.exit_code >= 0 else None,
        "text": cut(told.text), "seconds": round(line.seconds, 3), "left": [told.steps_left, told.questions_left],
    }  # fmt: skip
    given = _given(action)
    if given:
        step["given"] = cut(given)
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


def _call(line: ModelLine, shown: Shown, cut: Cutter) -> dict[str, Any]:
    done = line.completion
    call: dict[str, Any] = {
        "phase": cut(line.phase), "model": cut(done.model), "finish": done.finish, "cost": line.cost,
        "seconds": round(done.seconds, 2), "retries": done.retries, "sent": line.kept + len(line.added),
        "text": cut(done.message.text), "reasoning": cut(done.message.reasoning),
        "tools": [[cut(tool.name), cut(tool.arguments)] for tool in done.message.tool_calls],
        "tokens": [
            done.usage.input_tokens, done.usage.output_tokens, done.usage.cached_tokens, done.usage.reasoning_tokens,
        ],
        "added": [[message.role, cut(message.text)] for message in line.added if shown.is_new(message)],
    }  # fmt: skip
    if shown.shortened(line):
        call["shortened"] = True
    return call
