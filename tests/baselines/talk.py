"""A model that answers from a list, and the least that an agent needs around it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from icae_env.env.observations import Observation, observation
from icae_env.llm.base import Completion, FinishReason, Message, ToolCall, ToolSpec, Usage
from icae_env.rollout.agent import Brief
from icae_env.tasks import load_public

Answer = Completion | Exception | Callable[[Sequence[Message]], Completion]


class Talk:
    """Answer each call with the next of the list, which an exception in it interrupts."""

    name = "talk"

    def __init__(self, *answers: Answer, window: int | None = None) -> None:
        self.context_window = window
        self.seen: list[list[Message]] = []
        self.tools: list[Sequence[ToolSpec]] = []
        self._answers = list(answers)

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        self.seen.append(list(messages))
        self.tools.append(tools)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Completion) else answer(messages)

    async def acomplete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        return self.complete(messages, tools)

    def close(self) -> None: ...


def says(
    text: str = "", *calls: tuple[str, Any], finish: FinishReason | None = None, tokens: int | None = None
) -> Completion:
    """Return an answer; the ids of its calls are their positions in it."""
    made = tuple(
        ToolCall(id=str(number), name=name, arguments=given if isinstance(given, str) else json.dumps(given))
        for number, (name, given) in enumerate(calls)
    )
    return Completion(
        message=Message(role="assistant", text=text, tool_calls=made),
        finish=finish or ("tool_calls" if calls else "stop"),
        usage=Usage(input_tokens=tokens, output_tokens=10),
        model="talk-1",
    )


def bash(command: str, text: str = "I look.") -> Completion:
    return says(text, ("bash", {"command": command}))


def ask(question: str) -> Completion:
    return says("This is open.", ("ask_user", {"question": question}))


def brief(model: Talk | None, phases: list[str] | None = None) -> Brief:
    task = load_public("bracex", "L1")
    note = phases.append if phases is not None else (lambda name: None)
    return Brief(task=task, seed=0, limits=task.spec.limits, model=model, phase=note)


def sees(text: str = "ok", *, code: int | None = 0, steps: int = 100, questions: int = 16) -> Observation:
    return observation(text, code, steps, questions)
