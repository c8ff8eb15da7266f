"""The contract of a language model, and the values that go in and come out.

A ``ChatModel`` gets the whole conversation and answers with one more message. It keeps no state between calls, so that one
object serves many episodes at once. Everything that an episode adds (limits, prices, the log) is in ``icae_env.llm.meter``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "tool_calls", "length", "filter", "other"]
"""``length``: cut off by a limit on tokens. ``filter``: withheld by the service."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Frozen):
    """A model's wish to use a tool."""

    id: str
    name: str
    arguments: str
    """JSON text as the model wrote it, valid or not."""


class Message(_Frozen):
    """One message of a conversation."""

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """Only of an assistant."""
    tool_call_id: str | None = None
    """Only of a tool's result: the call it answers."""
    reasoning: str = ""
    """What the model let see of its thinking; for reading, it is not sent back."""
    blocks: tuple[dict[str, Any], ...] = ()
    """The service's own form of an assistant's message, sent back unchanged so that its thinking is kept across turns. Its
    first block has ``"service"``: a message from another service is sent back by its text and calls alone."""


class ToolSpec(_Frozen):
    """A tool that the model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


class Usage(_Frozen):
    """Tokens of one call; None where the service does not say."""

    input_tokens: int | None = Field(default=None, ge=0)
    """All of the prompt, cached parts among them."""
    output_tokens: int | None = Field(default=None, ge=0)
    """All that was generated, reasoning among it."""
    cached_tokens: int | None = Field(default=None, ge=0)
    """Part of the prompt that was read from the service's cache."""
    cache_write_tokens: int | None = Field(default=None, ge=0)
    """Part of the prompt that was written to the service's cache at a price of its own."""
    reasoning_tokens: int | None = Field(default=None, ge=0)


class Completion(_Frozen):
    """A model's answer."""

    message: Message
    finish: FinishReason
    usage: Usage = Usage()
    model: str
    """The model that answered, as the service names it."""
    raw: dict[str, Any] = Field(default_factory=dict)
    """The service's whole response as JSON values."""
    seconds: float = Field(default=0.0, ge=0)
    """Wall time of the call, retries among it."""
    retries: int = Field(default=0, ge=0)
    """Calls that failed before this one came through."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model."""

    name: str
    """As users name it: ``openai/NAME``, ``anthropic/NAME``, ``scripted:FILE``."""
    context_window: int | None
    """Tokens that prompt and answer may have together; None: unknown."""

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Return the next message of the conversation.

        Raises:
            ModelUnavailableError: The service could not be reached or failed, also after the retries.
            ModelRequestError: The service does not accept the request.
            ContextExceededError: The conversation is too long for the model.
        """
        ...

    async def acomplete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Do the same as ``complete`` without blocking the event loop."""
        ...

    def close(self) -> None:
        """Close the connections; a second call does nothing."""
        ...
