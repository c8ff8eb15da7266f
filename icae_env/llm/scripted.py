"""``scripted:FILE``: completions from a file; for tests, demonstrations and dry runs of whole pipelines."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from icae_env.errors import (
    ConfigError,
    ContextExceededError,
    ModelError,
    ModelRequestError,
    ModelUnavailableError,
)
from icae_env.llm.base import Completion, Message, ToolCall, ToolSpec
from icae_env.llm.phase import current_phase
from icae_env.llm.script_file import Script, ScriptedCompletion, read_script

_ERRORS: dict[str, type[ModelError]] = {
    "unavailable": ModelUnavailableError,
    "request": ModelRequestError,
    "context": ContextExceededError,
}
_YES = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class ScriptedModel:
    """Give the completions of a file; the same calls always get the same ones.

    Args:
        file: See ``script_file``.
        repeat_last: Whether the last completion is given again when nothing else fits; None: what the file says.

    Raises:
        ConfigError: The file or an option is not valid.
    """

    def __init__(self, file: str | Path, repeat_last: bool | str | None = None) -> None:
        script = read_script(Path(file).expanduser())
        if repeat_last is not None:
            wanted = _YES.get(str(repeat_last).lower())
            if wanted is None:
                raise ConfigError(
                    f"'{repeat_last}' is neither true nor false.", field=f"scripted:{file}: repeat_last"
                )
            script = script.model_copy(update={"repeat_last": wanted})
        self._begin(f"scripted:{file}", script)

    def _begin(self, name: str, script: Script) -> None:
        self.name, self.context_window = name, script.context_window
        self._script = script
        self._used = [0] * len(script.completions)
        self._calls = 0
        self._lock = threading.Lock()

    @classmethod
    def of(cls, script: Script, name: str = "scripted:given") -> Self:
        """Return a model that plays a script that is in no file."""
        model = cls.__new__(cls)
        model._begin(name, script)
        return model

    def restarted(self) -> Self:
        """Return a model that plays the script from its beginning, for another episode."""
        return self.of(self._script, self.name)

    def __repr__(self) -> str:
        return f"<ScriptedModel {self.name}>"

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Return the next completion that fits.

        Raises:
            ModelRequestError: None is left, or the script says so.
            ModelUnavailableError: The script says so.
            ContextExceededError: The script says so.
        """
        entry, number = self._next(messages)
        time.sleep(entry.seconds)
        return self._completion(entry, number)

    async def acomplete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Do the same as ``complete`` without blocking the event loop."""
        entry, number = self._next(messages)
        await asyncio.sleep(entry.seconds)
        return self._completion(entry, number)

    def close(self) -> None:
        """Do nothing."""

    def _next(self, messages: Sequence[Message]) -> tuple[ScriptedCompletion, int]:
        last = messages[-1].text if messages else ""
        phase = current_phase.get()
        entries = self._script.completions
        with self._lock:
            self._calls += 1
            for index, entry in enumerate(entries):
                if (not entry.times or self._used[index] < entry.times) and entry.fits(last, phase):
                    self._used[index] += 1
                    return entry, self._calls
            number = self._calls
        if self._script.repeat_last:
            return entries[-1], number
        shown = " ".join(last.split())
        raise ModelRequestError(
            f"{self.name}: none of the {len(entries)} completions is left for call {number}"
            f"{f' in the phase {phase!r}' if phase else ''}; its last message is "
            f"'{shown[:200]}{' ...' if len(shown) > 200 else ''}'. Mend: add one, give one more often with 'times', or "
            "use the option repeat_last=true."
        )

    def _completion(self, entry: ScriptedCompletion, number: int) -> Completion:
        if entry.error is not None:
            raise _ERRORS[entry.error](
                f"{self.name}: call {number} fails as its script says. {entry.text}".rstrip()
            )
        calls = tuple(
            ToolCall(id=call.id or f"call_{number}_{index}", name=call.name, arguments=call.text)
            for index, call in enumerate(entry.tool_calls)
        )
        raw: dict[str, Any] = entry.model_dump(mode="json", exclude_defaults=True)
        return Completion(
            message=Message(role="assistant", text=entry.text, reasoning=entry.reasoning, tool_calls=calls),
            finish=entry.finish or ("tool_calls" if calls else "stop"),
            usage=entry.usage,
            model=self.name,
            raw=raw,
            seconds=entry.seconds,
        )
