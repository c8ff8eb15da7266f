"""What a stage is, and what it works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from icae_env.construction.pipeline.answers import faults_of, parsed
from icae_env.construction.pipeline.models import Dropped, Frozen
from icae_env.construction.pipeline.options import BuildOptions
from icae_env.construction.pipeline.prompts import REPAIR, SYSTEM, Prompts
from icae_env.llm.base import ChatModel, Message

Out = TypeVar("Out", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)


class Attempt(Frozen):
    """One answer of the model, and what was wrong with it."""

    prompt: str
    """The prompt's file."""
    answer: str
    faults: tuple[str, ...]
    """Empty: it was accepted."""


class Rejected(Exception):  # noqa: N818 - an outcome that the build reports, not an error of the program
    """Say that the model gave no answer that can be used, also after the repairs."""

    def __init__(self, prompt: str, faults: Sequence[str]) -> None:
        super().__init__(f"{prompt}: {'; '.join(faults)}")
        self.prompt, self.faults = prompt, tuple(faults)


@dataclass(frozen=True)
class Stage(Generic[Out]):
    """One step of a build. What it gives depends on nothing but its prompts, the stages it needs and its identity."""

    name: str
    number: int
    output: type[Out]
    run: Callable[[Work], Out]
    prompts: tuple[str, ...] = ()
    needs: tuple[Stage[Any], ...] = ()
    identity: Callable[[BuildOptions], str] = lambda options: ""
    """What of the options it depends on."""
    version: int = 1
    """Raised when its own code comes to accept or make something else."""

    @property
    def file(self) -> str:
        """Name of the file that its output is kept in."""
        return f"{self.number:02d}-{self.name}.json"


@dataclass
class Work:
    """What one stage works with while it runs."""

    options: BuildOptions
    model: ChatModel
    prompts: Prompts
    say: Callable[[str], None]
    outputs: Mapping[str, BaseModel]
    """Of the stages it needs, by name."""
    attempts: list[Attempt] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def output(self, stage: Stage[Out]) -> Out:
        """Return what an earlier stage gave."""
        found = self.outputs[stage.name]
        assert isinstance(found, stage.output)  # the build checks the types when it reads the files
        return found

    def drop(self, what: str, reason: str) -> None:
        """Note that something the model wrote is not used."""
        self.dropped.append(Dropped(what=what, reason=reason))

    def ask(
        self,
        prompt: str,
        values: Mapping[str, str],
        kind: type[Answer],
        check: Callable[[Answer], Sequence[str]] = lambda answer: (),
    ) -> Answer:
        """Hold one conversation: ask, say what is wrong with the answer, and ask again.

        Args:
            prompt: The prompt's file.
            values: Its variables.
            kind: What the answer's JSON must be.
            check: Returns what is wrong with an answer; empty when it is accepted.

        Raises:
            Rejected: No answer was accepted, also after the repairs.
            ModelError: The model could not be asked.
        """
        messages = [
            Message(role="system", text=self.prompts.fill(SYSTEM, {})),
            Message(role="user", text=self.prompts.fill(prompt, values)),
        ]
        faults: Sequence[str] = ()
        for turn in range(self.options.repairs + 1):
            completion = self.model.complete(messages)
            answer, faults = parsed(completion, kind)
            if answer is not None:
                faults = faults_of(answer) or tuple(check(answer))
            self.attempts.append(Attempt(prompt=prompt, answer=completion.message.text, faults=tuple(faults)))
            if answer is not None and not faults:
                return answer
            self.say(f"  {prompt}, answer {turn + 1}: {len(faults)} things wrong, first: {faults[0][:160]}")
            listed = "\n".join(f"- {fault}" for fault in faults)
            messages += [
                completion.message,
                Message(role="user", text=self.prompts.fill(REPAIR, {"faults": listed})),
            ]
        raise Rejected(prompt, faults)
