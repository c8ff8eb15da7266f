"""``replay:PATH``: the completions of a recorded episode, as long as the conversation is the recorded one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from icae_env.errors import ConfigError, ModelRequestError
from icae_env.llm.base import Completion, Message, ToolSpec
from icae_env.llm.phase import current_phase

_TRAJECTORY = "trajectory.jsonl"
_COMPARED = ("role", "text", "tool_calls", "tool_call_id")


class RecordedCall(BaseModel):
    """One call of a recorded episode, with the whole conversation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    phase: str
    messages: tuple[Message, ...]
    completion: Completion


class ReplayModel:
    """Give back recorded completions in their order, each for the conversation that it was recorded for.

    Args:
        path: A trajectory, an episode's folder, or a run's folder. Of a run's episodes, the first one is played whose
            calls so far were the same and that no other episode plays, if there is such a one.

    Raises:
        ConfigError: There is no recorded call of a model.
    """

    context_window: int | None = None

    def __init__(self, path: str | Path) -> None:
        files = _trajectories(Path(path).expanduser())
        recorded = [calls for calls in (tuple(read_calls(file)) for file in files) if calls]
        if not recorded:
            raise ConfigError(
                "No call of a model is recorded here.",
                file=path,
                mend="name a trajectory of an agent with a model.",
            )
        self._begin(f"replay:{path}", recorded, [0] * len(recorded), threading.Lock())

    def _begin(
        self,
        name: str,
        recorded: list[tuple[RecordedCall, ...]],
        players: list[int],
        lock: threading.Lock,
    ) -> None:
        self.name, self._recorded, self._players, self._lock = name, recorded, players, lock
        self._chosen: int | None = None
        self._candidates = list(range(len(recorded)))
        self._done = 0

    def restarted(self) -> Self:
        """Return a model that plays from the beginning, for another episode."""
        model = type(self).__new__(type(self))
        model._begin(self.name, self._recorded, self._players, self._lock)
        return model

    def __repr__(self) -> str:
        return f"<ReplayModel {self.name}>"

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Return what was recorded for this conversation.

        Raises:
            ModelRequestError: The conversation is another one, or goes on longer; what differs is told.
        """
        phase = current_phase.get()
        with self._lock:
            differences = {index: self._difference(index, phase, messages) for index in self._candidates}
            left = [index for index, difference in differences.items() if difference is None]
            if not left:
                told = differences[self._chosen if self._chosen is not None else self._candidates[0]]
                more = f" So do {len(differences) - 1} other episodes." if len(differences) > 1 else ""
                raise ModelRequestError(
                    f"{self.name}: call {self._done} differs from the recorded one: {told}.{more}"
                )
            self._candidates = left
            if self._chosen not in left:
                if self._chosen is not None:
                    self._players[self._chosen] -= 1
                self._chosen = min(left, key=lambda index: (self._players[index], index))
                self._players[self._chosen] += 1
            found = self._recorded[self._chosen][self._done]
            self._done += 1
        return found.completion.model_copy(update={"seconds": 0.0, "retries": 0})

    async def acomplete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Do the same as ``complete``, which never waits."""
        return self.complete(messages, tools)

    def close(self) -> None:
        """Do nothing."""

    def _difference(self, index: int, phase: str, messages: Sequence[Message]) -> str | None:
        calls = self._recorded[index]
        if self._done >= len(calls):
            return f"the recorded episode ended after {len(calls)} calls"
        wanted = calls[self._done]
        if phase != wanted.phase:
            return f"the phase is {phase!r} and was {wanted.phase!r}"
        for number, (now, then) in enumerate(zip(messages, wanted.messages, strict=False)):
            for field in _COMPARED:
                if getattr(now, field) != getattr(then, field):
                    return f"message {number} ({then.role}), {field}: " + _shown(
                        getattr(now, field), getattr(then, field)
                    )
        if len(messages) != len(wanted.messages):
            return f"it has {len(messages)} messages and had {len(wanted.messages)}"
        return None


def read_calls(file: Path) -> Iterator[RecordedCall]:
    """Yield the model's calls of a trajectory; a line that was cut off at the end is left out.

    Raises:
        ConfigError: A line cannot be read.
    """
    conversations: dict[str, tuple[Message, ...]] = {}
    for number, line in _lines(file):
        try:
            if line.get("type") != "model":
                continue
            phase = str(line.get("phase", ""))
            added = tuple(Message.model_validate(item) for item in line["added"])
            messages = conversations.get(phase, ())[: line["kept"]] + added
            completion = Completion.model_validate(line["completion"])
        except (LookupError, TypeError, AttributeError, ValidationError) as error:
            raise ConfigError(f"Line {number} is no line of a trajectory: {error!r}.", file=file) from error
        conversations[phase] = (*messages, completion.message)
        yield RecordedCall(phase=phase, messages=messages, completion=completion)


def _lines(file: Path) -> Iterator[tuple[int, Any]]:
    number = 0
    try:
        with file.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                if not raw.endswith(b"\n"):
                    return
                yield number, json.loads(raw)
    except OSError as error:
        raise ConfigError(f"The trajectory cannot be read: {error}.", file=file) from error
    except ValueError as error:
        raise ConfigError(f"Line {number} is not JSON: {error}.", file=file) from error


def _trajectories(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    if (path / _TRAJECTORY).exists():
        return [path / _TRAJECTORY]
    return sorted(path.glob(f"episodes/*/{_TRAJECTORY}"))


def _shown(now: Any, then: Any) -> str:
    """Return both values around the place where they part."""
    if not (isinstance(now, str) and isinstance(then, str)):
        return f"it is {now!r} and was {then!r}"
    place = next(
        (i for i, (a, b) in enumerate(zip(now, then, strict=False)) if a != b), min(len(now), len(then))
    )
    begin = max(place - 30, 0)
    return f"from character {place} it is {now[begin : place + 60]!r} and was {then[begin : place + 60]!r}"
