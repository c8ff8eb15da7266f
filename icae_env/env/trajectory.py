"""Trajectories as JSON lines, each written as it happens.

An episode is a ``reset`` line, a ``step`` line for each action, and a ``model`` line for each call of a language model, before
the step that came of it.
The file is for the host: it holds diagnostics and the report. A file cut off at any byte can be read up to
its last whole line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from icae_env.errors import ConfigError
from icae_env.llm.base import Completion, Message

FORMAT: Literal["icae-trajectory/1"] = "icae-trajectory/1"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ObservationLine(_Line):
    """An observation as JSON values."""

    text: str
    exit_code: int
    steps_left: int
    questions_left: int


class ResetLine(_Line):
    """The begin of an episode."""

    type: Literal["reset"] = "reset"
    format: Literal["icae-trajectory/1"] = FORMAT
    seed: int | None
    options: dict[str, Any]
    """As given to ``reset``."""
    observation: ObservationLine
    info: dict[str, Any]
    """Task, level, image: see ``ICAEEnv``."""


class StepLine(_Line):
    """One action and what came of it."""

    type: Literal["step"] = "step"
    index: int
    """Position in the episode, from 0."""
    action: dict[str, Any]
    """The action's fields; of an invalid one, what was given as text."""
    observation: ObservationLine
    reward: float
    terminated: bool
    truncated: bool
    seconds: float
    """Wall time of the step."""
    info: dict[str, Any]
    """Diagnostics after a question; end and report on the last step."""


class ModelLine(_Line):
    """One call of a language model."""

    type: Literal["model"] = "model"
    index: int
    """Position of the step that comes next."""
    phase: str = ""
    """Name of the agent's phase, for agents that have several."""
    kept: int = Field(ge=0)
    """How many messages of the conversation so far are the first ones of this call's. The conversation so far is that of the
    phase's previous call with its completion at the end."""
    added: tuple[Message, ...]
    """This call's further messages."""
    completion: Completion
    """Without ``raw``."""
    cost: float | None
    """US dollars; None: unknown."""


Line = Annotated[ResetLine | StepLine | ModelLine, Field(discriminator="type")]
_ADAPTER: TypeAdapter[ResetLine | StepLine | ModelLine] = TypeAdapter(Line)


def plain_value(value: Any) -> Any:
    """Return a value of ``info`` as JSON values: models by their fields, what is unknown by its text."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_value(item) for item in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def encode(line: ResetLine | StepLine | ModelLine) -> bytes:
    """Return a line as JSON text with its newline."""
    return json.dumps(line.model_dump(mode="json"), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def open_for_append(file: Path) -> int:
    """Open a trajectory to append to, without the last line if a killed writer left half of one.

    Returns:
        A descriptor that the caller closes.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    size = end = os.fstat(fd).st_size
    while end > 0:
        start = max(end - 65_536, 0)
        newline = os.pread(fd, end - start, start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        os.ftruncate(fd, end)
    return fd


def read_trajectory(file: Path | str) -> Iterator[ResetLine | StepLine | ModelLine]:
    """Yield the lines of a trajectory; a last line without its newline was cut off and is left out.

    Raises:
        ConfigError: A whole line is not valid.
    """
    with Path(file).open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            if not raw.endswith(b"\n"):
                return
            try:
                yield _ADAPTER.validate_json(raw)
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                raise ConfigError(
                    f"Line {number} is not a trajectory line: {first['msg']}.",
                    file=file,
                    field=".".join(map(str, first["loc"])) or None,
                    mend="remove this line, or record the episode again.",
                ) from error
