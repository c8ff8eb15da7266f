"""A trajectory cut into turns: a call of the model, and the environment's steps that came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import BaseModel, ConfigDict

from icae_env.env.trajectory import ModelLine, ResetLine, StepLine
from icae_env.llm.base import Message


class Turn(BaseModel):
    """One call of the model, or none, and the steps up to the next call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    call: ModelLine | None
    prompt: tuple[Message, ...]
    """All that the model was given; empty without a call."""
    steps: tuple[StepLine, ...]


def begin_and_turns(
    lines: Iterable[ResetLine | StepLine | ModelLine],
) -> tuple[ResetLine | None, list[Turn]]:
    """Return the begin of an episode and its turns; of a file with several begins, the last episode."""
    begin: ResetLine | None = None
    rest: list[StepLine | ModelLine] = []
    for line in lines:
        if isinstance(line, ResetLine):
            begin, rest = line, []
        else:
            rest.append(line)
    return begin, list(_turns(rest))


def _turns(lines: Iterable[StepLine | ModelLine]) -> Iterator[Turn]:
    """Yield the turns; an action for which no model was asked is a turn of its own."""
    conversations: dict[str, list[Message]] = {}
    call: ModelLine | None = None
    prompt: list[Message] = []
    steps: list[StepLine] = []
    for line in lines:
        if isinstance(line, ModelLine):
            if call is not None or steps:
                yield Turn(call=call, prompt=tuple(prompt), steps=tuple(steps))
            prompt = [*conversations.get(line.phase, [])[: line.kept], *line.added]
            conversations[line.phase] = [*prompt, line.completion.message]
            call, steps = line, []
        elif call is None:
            yield Turn(call=None, prompt=(), steps=(line,))
        else:
            steps.append(line)
    if call is not None:
        yield Turn(call=call, prompt=tuple(prompt), steps=tuple(steps))
