"""What a scripted service answers: one ``Turn`` for each request."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from icae_env.llm.base import FinishReason, Usage


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Call(_Frozen):
    """A tool call that the service makes the model wish for."""

    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    """A mapping, or JSON text that is sent as it stands, valid or not."""
    id: str | None = None
    """None: the server makes one."""

    @property
    def text(self) -> str:
        """The arguments as JSON text."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)

    @property
    def value(self) -> dict[str, Any] | str:
        """The arguments as an object; as text where they are none."""
        try:
            value = json.loads(self.text)
        except ValueError:
            return self.text
        return value if isinstance(value, dict) else self.text


class Turn(_Frozen):
    """One answer of the service, good or bad."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    refusal: str = ""
    """The model's words of refusal, in place of a text."""
    finish: FinishReason | None = None
    """None: what follows from the rest."""
    usage: Usage | None = Usage(input_tokens=100, output_tokens=20, cached_tokens=0, reasoning_tokens=0)
    """None: the service does not say."""

    delay: float = Field(default=0.0, ge=0)
    """Seconds until the answer begins."""
    status: int = 200
    """Another one than 200 is an error."""
    code: str = ""
    """The service's own code of an error."""
    message: str = "This went wrong on purpose."
    """The text of an error."""
    headers: dict[str, str] = Field(default_factory=dict)
    body: str | None = None
    """Sent in place of everything that the turn would say."""
    cut: bool = False
    """Whether the connection is closed in the middle of the body."""
    drip: float = Field(default=0.0, ge=0)
    """Seconds between one byte of the body and the next."""
    missing_ids: bool = False
    """Whether tool calls come without their ids (chat completions only)."""
    object_arguments: bool = False
    """Whether arguments come as an object (chat completions only; in messages they always do)."""
    reasoning_field: str = "reasoning_content"
    """Where the reasoning stands (chat completions only)."""

    @property
    def reason(self) -> FinishReason:
        """Why the model stopped."""
        if self.finish is not None:
            return self.finish
        return "filter" if self.refusal else "tool_calls" if self.calls else "stop"


def say(text: str, **fields: Any) -> Turn:
    """Return a turn with a text."""
    return Turn(text=text, **fields)


def call(name: str, arguments: dict[str, Any] | str | None = None, **fields: Any) -> Turn:
    """Return a turn with one tool call; ``fields`` are those of the turn."""
    return Turn(calls=(Call(name=name, arguments={} if arguments is None else arguments),), **fields)


def fail(status: int, code: str = "", *, retry_after: float | None = None, **fields: Any) -> Turn:
    """Return a turn that is an HTTP error.

    Args:
        status: HTTP status.
        code: The service's own code.
        retry_after: Seconds of the header ``Retry-After``.
        **fields: Further fields of the turn.
    """
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    return Turn(status=status, code=code, headers=headers, **fields)


def seal(text: str) -> str:
    """Return the signature that the scripted services put on a reasoning text and want back with it."""
    return hashlib.sha256(f"sealed {text}".encode()).hexdigest()
