"""An episode in ATIF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import from_json

from icae_env.env.tools import tools
from icae_env.env.trajectory import ResetLine, StepLine
from icae_env.llm import base
from icae_env.reports.export.atif import (
    Agent,
    FinalMetrics,
    Metrics,
    Observation,
    Result,
    Step,
    ToolCall,
    Trajectory,
)
from icae_env.reports.export.turns import Turn, begin_and_turns
from icae_env.reports.rows import Entry
from icae_env.rollout.store import EpisodeRow

UNPARSED = "unparsed"
"""Name of the one argument that arguments become which are no JSON object."""
_NOTES = (
    "An episode of icae_env. A step of the agent is one call of its model, with the environment's actions that came of it as "
    "results; an agent without a model has a step for each action. total_steps counts the steps of this document; the "
    "environment's own count is final_metrics.extra.actions."
)


def atif(entry: Entry, *, version: str) -> Trajectory | None:
    """Return one episode as an ATIF trajectory; None where nothing of it was written.

    Args:
        entry: The episode.
        version: Of icae_env when it was played.
    """
    begin, turns = begin_and_turns(entry.stored().trajectory())
    if begin is None:
        return None
    steps = [
        step.model_copy(update={"step_id": number})
        for number, step in enumerate([*_opening(begin, turns), *map(_step, turns)], start=1)
    ]
    key, row = entry.key, entry.row
    return Trajectory(
        session_id=entry.run,
        trajectory_id=key.id,
        agent=Agent(
            name=key.agent,
            version=version,
            model_name=key.model,
            tool_definitions=tuple(tools("openai-chat")),
            extra={"options": dict(key.options)} if key.options else None,
        ),
        steps=tuple(steps),
        notes=_NOTES,
        final_metrics=_sums(row, len(steps)),
        extra=_about(entry, begin),
    )


def _opening(begin: ResetLine, turns: Sequence[Turn]) -> Iterator[Step]:
    """Yield what the agent was told at first: its model's messages, or else the first observation."""
    first = next((turn for turn in turns if turn.call is not None), None)
    told = [message for message in first.prompt if message.role in ("system", "user")] if first else []
    for message in told or [base.Message(role="user", text=begin.observation.text)]:
        source = "system" if message.role == "system" else "user"
        yield Step(step_id=1, source=source, message=message.text)


def _step(turn: Turn) -> Step:
    """Return a turn as a step, with a number that is still to be set."""
    if turn.call is None:
        calls = tuple(_of_action(step) for step in turn.steps)
        results = Observation(results=tuple(map(_result, turn.steps, [call.tool_call_id for call in calls])))
        return Step(
            step_id=1, source="agent", message="", tool_calls=calls, observation=results, llm_call_count=0
        )
    done = turn.call.completion
    calls = tuple(_of_model(call) for call in done.message.tool_calls)
    if not calls:  # an agent that writes its actions as text
        calls = tuple(_of_action(step) for step in turn.steps)
    ids = _matched(calls, turn.steps)
    extra = {
        "finish": done.finish,
        "phase": turn.call.phase or None,
        "seconds": done.seconds,
        "retries": done.retries,
    }
    return Step(
        step_id=1,
        source="agent",
        message=done.message.text,
        model_name=done.model,
        reasoning_content=done.message.reasoning or None,
        tool_calls=calls or None,
        observation=Observation(results=tuple(map(_result, turn.steps, ids))) if turn.steps else None,
        metrics=Metrics(
            prompt_tokens=done.usage.input_tokens, completion_tokens=done.usage.output_tokens,
            cached_tokens=done.usage.cached_tokens, cost_usd=turn.call.cost,
            extra=_known({"reasoning_tokens": done.usage.reasoning_tokens}) or None,
        ),
        llm_call_count=1,
        extra=_known(extra),
    )  # fmt: skip


def _of_model(call: base.ToolCall) -> ToolCall:
    try:
        given = from_json(call.arguments or "{}")
    except ValueError:
        given = None
    if isinstance(given, dict):
        return ToolCall(tool_call_id=call.id, function_name=call.name, arguments=given)
    return ToolCall(tool_call_id=call.id, function_name=call.name, arguments={UNPARSED: call.arguments})


def _of_action(step: StepLine) -> ToolCall:
    given = {name: value for name, value in step.action.items() if name != "type"}
    return ToolCall(
        tool_call_id=f"step_{step.index}",
        function_name=str(step.action.get("type", "invalid")),
        arguments=given,
    )


def _matched(calls: Sequence[ToolCall], steps: Sequence[StepLine]) -> list[str | None]:
    """Return the id of each step's call: calls become steps in their order, and one that is no valid action stays a step."""
    left = list(calls)
    found: list[str | None] = []
    for step in steps:
        kind = step.action.get("type")
        fits = bool(left) and (kind == "invalid" or left[0].function_name == kind)
        found.append(left.pop(0).tool_call_id if fits else None)
    return found


def _result(step: StepLine, call: str | None) -> Result:
    told = step.observation
    asked = step.info.get("user_agent")
    extra = {
        "action": step.index,
        "exit_code": told.exit_code if told.exit_code >= 0 else None,
        "seconds": step.seconds,
        "reward": step.reward,
        "end": step.info.get("end"),
        "revealed": list(asked.get("revealed", ())) if isinstance(asked, dict) else None,
    }
    return Result(source_call_id=call, content=told.text, extra=_known(extra))


def _sums(row: EpisodeRow | None, count: int) -> FinalMetrics:
    if row is None:
        return FinalMetrics(total_steps=count)
    usage = row.model_use.usage
    measured = {
        "reward": row.reward, "native": row.native, "enhanced": row.enhanced, "public": row.public, "resolved": row.resolved,
        "actions": row.steps, "questions": row.questions, "coverage": row.coverage, "seconds": row.seconds,
    }  # fmt: skip
    return FinalMetrics(
        total_prompt_tokens=usage.input_tokens, total_completion_tokens=usage.output_tokens,
        total_cached_tokens=usage.cached_tokens, total_cost_usd=row.model_use.cost, total_steps=count, extra=_known(measured),
    )  # fmt: skip


def _about(entry: Entry, begin: ResetLine) -> dict[str, Any]:
    key, row = entry.key, entry.row
    return _known(
        {
            "task": key.task, "level": key.level, "language": entry.language, "seed": key.seed,
            "status": row.status if row else "unfinished", "end": row.end if row else None, "error": row.error if row else None,
            "sandbox": begin.info.get("sandbox"), "image": begin.info.get("image"),
            "image_digest": begin.info.get("image_digest"),
        }
    )  # fmt: skip


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
