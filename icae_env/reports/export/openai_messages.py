"""Episodes as conversations in OpenAI's chat format, for supervised fine-tuning: one JSON line for each conversation.

An episode is one conversation, unless its agent wrote the conversation anew on the way (to keep within the model's window, or
because a phase begins with a fresh context): then what the model was given from there on is a further conversation. The
assistant's messages that an earlier line of the same episode has already get weight 0, so that none is learned twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from icae_env.env.tools import tools
from icae_env.env.trajectory import ResetLine
from icae_env.llm.base import Message
from icae_env.llm.base import ToolCall as ModelToolCall
from icae_env.reports.export.turns import Turn, begin_and_turns
from icae_env.reports.rows import Entry


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Function(_Frozen):
    """The function of a tool call."""

    name: str
    arguments: str
    """JSON text."""


class ToolCall(_Frozen):
    """A tool call."""

    id: str
    type: Literal["function"] = "function"
    function: Function


class ChatMessage(_Frozen):
    """A message as OpenAI's chat interface takes it."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None
    """None only of an assistant that calls tools."""
    tool_calls: tuple[ToolCall, ...] | None = None
    tool_call_id: str | None = None
    weight: Literal[0] | None = None
    """0: not to be learned."""

    def values(self) -> dict[str, Any]:
        """Return the JSON values; what is None is left out, but for the content."""
        return {**self.model_dump(mode="json", exclude_none=True), "content": self.content}


class Conversation(_Frozen):
    """One line of the file."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[dict[str, Any], ...] = ()
    """What the environment offers; empty where no tool is called."""

    def document(self, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the JSON values.

        Args:
            metadata: What else is to be said of the episode; trainers ignore it, OpenAI's service refuses it.
        """
        document: dict[str, Any] = {"messages": [message.values() for message in self.messages]}
        if self.tools:
            document["tools"] = list(self.tools)
        return document if metadata is None else {**document, "metadata": metadata}


def conversations(entry: Entry) -> list[Conversation]:
    """Return the conversations of one episode, in their order; none where nothing was written."""
    begin, turns = begin_and_turns(entry.stored().trajectory())
    if begin is None or not turns:
        return []
    asked = [turn for turn in turns if turn.call is not None]
    return [_conversation(messages) for messages in (_segments(asked) if asked else [_played(begin, turns)])]


def metadata(entry: Entry) -> dict[str, Any]:
    """Return what to say of an episode beside its messages."""
    key = entry.key
    return {
        "run": entry.run, "episode": key.id, "task": key.task, "level": key.level, "language": entry.language,
        "agent": entry.player, "model": key.model, "seed": key.seed, "reward": entry.row.reward if entry.row else None,
    }  # fmt: skip


_Weighed = tuple[Message, bool]
"""A message, and whether it is new in this conversation."""


def _segments(turns: Sequence[Turn]) -> Iterator[list[_Weighed]]:
    """Yield the conversations of calls of a model: a call whose prompt goes on from the open one belongs to it."""
    current: list[_Weighed] = []
    for turn in turns:
        assert turn.call is not None, "only calls of a model"
        begun = [message for message, _ in current]
        if list(turn.prompt[: len(begun)]) != begun:
            yield current
            current, begun = [], []
        fresh = [(message, False) for message in turn.prompt[len(begun) :]]
        said = turn.call.completion.message
        # An empty answer can neither be learned nor be sent back, so that no prompt has it.
        current = [*current, *fresh, *([(said, True)] if said.text.strip() or said.tool_calls else [])]
    yield current


def _played(begin: ResetLine, turns: Sequence[Turn]) -> list[_Weighed]:
    """Return what an agent without a model did as if a model had called tools."""
    found: list[_Weighed] = [(Message(role="user", text=begin.observation.text), False)]
    for step in (step for turn in turns for step in turn.steps):
        name = f"call_{step.index}"
        given = json.dumps(
            {key: value for key, value in step.action.items() if key != "type"}, ensure_ascii=False
        )
        call = ModelToolCall(id=name, name=str(step.action.get("type")), arguments=given)
        found.append((Message(role="assistant", tool_calls=(call,)), True))
        if not (step.terminated or step.truncated):  # nobody reads what the last action shows
            found.append((Message(role="tool", text=step.observation.text, tool_call_id=name), False))
    return found


def _conversation(messages: Sequence[_Weighed]) -> Conversation:
    written = tuple(_message(message, new) for message, new in messages)
    offered = tuple(tools("openai-chat")) if any(message.tool_calls for message in written) else ()
    return Conversation(messages=written, tools=offered)


def _message(message: Message, new: bool) -> ChatMessage:
    if message.role != "assistant":
        return ChatMessage(role=message.role, content=message.text, tool_call_id=message.tool_call_id)
    calls = tuple(
        ToolCall(id=call.id, function=Function(name=call.name, arguments=call.arguments))
        for call in message.tool_calls
    )
    content = None if calls and not message.text else message.text
    return ChatMessage(role="assistant", content=content, tool_calls=calls or None, weight=None if new else 0)
