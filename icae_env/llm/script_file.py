"""The file of a scripted model.

A JSON file with a list of completions, a JSON object with that list under ``completions``, or a JSON-lines file with a
completion on each line::

    {"text": "Let me look.", "tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}]}
    {"match": "No such file", "text": "It is not there.", "times": 0}
    {"phase": "review", "text": "Good.", "usage": {"input_tokens": 900, "output_tokens": 3}}

For each call the completions are looked at from the first to the last, and the first one that is not used up and fits is given.
One without ``match`` and ``phase`` always fits, so that plain completions come in their order.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from icae_env.errors import ConfigError
from icae_env.llm.base import FinishReason, Usage


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScriptedCall(_Frozen):
    """A tool call."""

    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    """An object, or JSON text that is given as it stands, valid or not."""
    id: str | None = None
    """None: made from the call's position."""

    @property
    def text(self) -> str:
        """The arguments as JSON text."""
        return (
            self.arguments
            if isinstance(self.arguments, str)
            else json.dumps(self.arguments, ensure_ascii=False)
        )


class ScriptedCompletion(_Frozen):
    """One entry of the file; all fields are optional."""

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    finish: FinishReason | None = None
    """None: ``tool_calls`` if there are any, else ``stop``."""
    usage: Usage = Usage()
    match: str | None = None
    """Regular expression that must be found in the text of the conversation's last message; plain words are one too."""
    phase: str | None = None
    """Name of the agent's phase that the call must be made in."""
    times: int = Field(default=1, ge=0)
    """How often it is given; 0: as often as it fits."""
    seconds: float = Field(default=0.0, ge=0)
    """How long the call takes."""
    error: Literal["unavailable", "request", "context"] | None = None
    """The call fails in place of an answer: the service is down, does not accept it, or finds it too long."""
    note: str = ""
    """For readers of the file."""

    @field_validator("match")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"it is no regular expression: {error}") from error
        return value

    def fits(self, last: str, phase: str) -> bool:
        """Return whether it answers a call with this last message, in this phase."""
        if self.phase is not None and self.phase != phase:
            return False
        return self.match is None or re.search(self.match, last) is not None


class Script(_Frozen):
    """A whole file."""

    completions: tuple[ScriptedCompletion, ...] = Field(min_length=1)
    repeat_last: bool = False
    """Whether the last completion is given again when nothing else fits."""
    context_window: int | None = Field(default=None, ge=1)


def read_script(file: Path) -> Script:
    """Return the script in a file.

    Raises:
        ConfigError: It cannot be read, or an entry is not valid; the entry and its field are named.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The script cannot be read: {error}.",
            file=file,
            mend="name a file of completions after 'scripted:'.",
        ) from error
    try:
        return Script.model_validate(_document(text, file))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ConfigError(f"{first['msg']}.", file=file, field=".".join(map(str, first["loc"]))) from error


def _document(text: str, file: Path) -> Any:
    try:
        document = json.loads(text)
    except ValueError as whole:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        entries = []
        for number, line in lines:
            try:
                entries.append(json.loads(line))
            except ValueError as error:
                # A file that was meant as one document is told by what is wrong with it as such.
                single = not all(part.lstrip().startswith("{") for _, part in lines)
                told = f"{whole}" if single else f"line {number}: {error}"
                raise ConfigError(f"The script is neither JSON nor JSON lines: {told}.", file=file) from error
        document = entries
    if isinstance(document, list):
        return {"completions": document}
    if isinstance(document, dict) and "completions" not in document:
        return {"completions": [document]}  # JSON lines with a single line
    return document
