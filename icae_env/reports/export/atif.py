"""ATIF v1.8, the Agent Trajectory Interchange Format of the Harbor framework, as far as our episodes use it.

Its rules: steps are numbered from 1; the fields of a model belong to steps of the agent; a result names a tool call of its own
step, or none; a step of the agent that no model was asked for (``llm_call_count`` 0) has no metrics and no reasoning; no field
is null, and none is there that the format does not know. Further findings go into ``extra``.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

ATIF_VERSION: Literal["ATIF-v1.8"] = "ATIF-v1.8"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Frozen):
    """A use of a tool."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: dict[str, Any] | None = None


class Result(_Frozen):
    """What came of a tool call."""

    source_call_id: str | None = None
    """None: of an action that was no tool call."""
    content: str | None = None
    extra: dict[str, Any] | None = None


class Observation(_Frozen):
    """What came of a step."""

    results: tuple[Result, ...]


class Metrics(_Frozen):
    """What a step took of the model; None: not told."""

    prompt_tokens: int | None = None
    """Cached ones among them."""
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    extra: dict[str, Any] | None = None


class Step(_Frozen):
    """One message with what came of it."""

    step_id: int = Field(ge=1)
    source: Literal["system", "user", "agent"]
    message: str
    model_name: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    llm_call_count: int | None = None
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _fields_fit(self) -> Self:
        of_model = (self.model_name, self.reasoning_content, self.tool_calls, self.metrics)
        if self.source != "agent" and any(field is not None for field in of_model):
            raise ValueError("only a step of the agent has a model, reasoning, tool calls and metrics")
        if self.llm_call_count == 0 and (self.metrics is not None or self.reasoning_content is not None):
            raise ValueError("a step without a model call has no metrics and no reasoning")
        ids = {call.tool_call_id for call in self.tool_calls or ()}
        named = {result.source_call_id for result in self.observation.results} if self.observation else set()
        if not named - {None} <= ids:
            raise ValueError("a result names a tool call that is not in its step")
        return self


class Agent(_Frozen):
    """Who played."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: tuple[dict[str, Any], ...] | None = None
    """In the shape of OpenAI's chat interface."""
    extra: dict[str, Any] | None = None


class FinalMetrics(_Frozen):
    """Sums over the episode."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = None
    extra: dict[str, Any] | None = None


class Trajectory(_Frozen):
    """One episode."""

    schema_version: Literal["ATIF-v1.8"] = ATIF_VERSION
    session_id: str | None = None
    """The run."""
    trajectory_id: str | None = None
    """The episode."""
    agent: Agent
    steps: tuple[Step, ...] = Field(min_length=1)
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _numbered(self) -> Self:
        if [step.step_id for step in self.steps] != list(range(1, len(self.steps) + 1)):
            raise ValueError("steps are not numbered from 1 without a gap")
        return self

    def document(self) -> dict[str, Any]:
        """Return the JSON values; what is None is left out."""
        return self.model_dump(mode="json", exclude_none=True)
