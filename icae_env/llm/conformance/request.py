"""What a scripted service was asked."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Interface = Literal["chat", "responses", "messages"]


class WireRequest(BaseModel):
    """What the service was asked, without the key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    interface: Interface
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    authorized: bool
    """Whether the key was the right one."""
    refused: str | None
    """Why the service would not take it, whatever the script says."""
    position: int
    """Turns of the assistant in the conversation."""
    last: str
    """Text of the conversation's last message."""
