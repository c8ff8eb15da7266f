"""The agent that reasons and acts in turns: each result goes to a language model, which answers with its next actions."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

from baselines.asking import ASK, AskFreely, Asking, Progress
from baselines.conversation import Conversation
from baselines.prompts import NOTES, Prompts, names
from baselines.settings import ReactSettings
from baselines.speech import Intent, Speech, TextSpeech, ToolSpeech
from icae_env.env.actions import InvalidAction
from icae_env.env.observations import Observation
from icae_env.errors import ConfigError, ContextExceededError
from icae_env.llm.base import Completion, Message
from icae_env.rollout.agent import Brief
from icae_env.tasks import PublicTask

_AFTER_OVERFLOW = 0.5
"""Share of a conversation that is left when the model's service says that it is too long."""


class ReactAgent:
    """Play by a language model that calls tools, with a short reasoning text after each result.

    An answer of the model without any valid action is an invalid action of the episode: it costs a step, and what is wrong with
    it is its result. After ``max_format_errors`` such answers in a row the agent submits, and ``ended`` is ``format``.

    Args:
        **options: Those of ``ReactSettings``, as values or as texts.

    Raises:
        ConfigError: An option is not known, or its value is not valid.
    """

    name: ClassVar[str] = "react"
    privileged: ClassVar[bool] = False
    needs_model: ClassVar[bool] = True
    defaults: ClassVar[dict[str, Any]] = {}
    """Options that differ from those of ``ReactSettings``."""
    asking: ClassVar[Asking] = AskFreely()

    def __init__(self, **options: Any) -> None:
        self.settings = ReactSettings.read({**self.defaults, **options})
        self.ended: str | None = None
        """``format`` when the agent gave up."""
        self._texts = Prompts(self.settings.prompts)
        speech = ToolSpeech if self.settings.style == "tools" else TextSpeech
        self._speech: Speech = speech(self.asking.offered, self._texts)

    def begin(self, brief: Brief) -> None:
        """Get ready for an episode.

        Raises:
            ConfigError: There is no model.
        """
        if brief.model is None:
            raise ConfigError(
                f"The agent '{self.name}' needs a language model.",
                field="--model",
                mend="name one, such as openai/NAME.",
            )
        self._brief, self._model = brief, brief.model
        self.ended = None
        self._talk: Conversation | None = None
        self._queue: deque[Intent] = deque()
        self._current: Intent | None = None
        self._errors, self._acted = 0, True

    def act(self, observation: Observation) -> Any:
        """Return the next action.

        Raises:
            ModelError: The model could not be asked.
            ModelLimitError: A limit on its use is reached.
        """
        talk = self._heard(observation)
        if not self._queue:
            self._errors = 0 if self._acted else self._errors + 1
            if self._errors >= self.settings.max_format_errors:
                self.ended = "format"
                return {"type": "submit"}
            self._acted = False
            self._queue.extend(self._speech.intents(self._ask(talk)))
        self._current = intent = self._queue.popleft()
        action = intent.action
        if isinstance(action, InvalidAction):
            return action
        if refused := self.asking.refusal(action, self._progress):
            return InvalidAction(
                message=self._texts.render(refused, questions_left=self._progress.questions_left)
            )
        self._acted = True
        self._progress.note(action)
        return action

    def prompts(self, task: PublicTask | None = None, start: str = "$start") -> dict[str, str]:
        """Return the texts that this agent sends, by their names; without a task with the names of the variables.

        Args:
            task: The task to fill in.
            start: The episode's first observation.
        """
        opening = self._opening(task, start)
        notes = [name for name in names() if name.startswith(NOTES)]
        return {message.role: message.text for message in opening} | {
            name: self._texts.text(name) for name in notes
        }

    def _opening(self, task: PublicTask | None, start: str) -> list[Message]:
        texts = self._texts
        reasoning = texts.render("reasoning") if self.settings.reasoning else ""
        system = texts.render(
            "system", acting=self._speech.rules, asking=texts.render(self.asking.prompt), reasoning=reasoning
        )
        part = f"protocol_{task.spec.protocol}" if task is not None else ""
        protocol = (
            texts.render(part if part in names() else "protocol_other") if task is not None else "$protocol"
        )
        request = texts.render("task", start=start.rstrip("\n"), protocol=protocol)
        return [Message(role="system", text=system.rstrip("\n")), Message(role="user", text=request)]

    def _heard(self, observation: Observation) -> Conversation:
        """Take in an observation: the first one opens the conversation, others answer the action that they came of."""
        left = int(observation["questions_left"])
        if self._talk is None:
            self._progress = Progress(questions_left=left)
            self._talk = Conversation(
                self._opening(self._brief.task, observation["text"]),
                prompts=self._texts,
                budget=self.settings.budget(self._model.context_window),
                keep_results=self.settings.keep_results,
                tools=self._speech.specs,
            )
        elif self._current is not None:
            answered = left < self._progress.questions_left
            self._progress.questions_left = left
            last = not self._queue and self.settings.reasoning
            parts = [observation["text"].rstrip("\n"), self._counts(observation)]
            text = "\n\n".join([*parts, self._texts.render("notes/after_result")] if last else parts)
            self._talk.answer(self._current.answer(text.lstrip("\n")), keep=answered)
            self._current = None
        return self._talk

    def _counts(self, observation: Observation) -> str:
        code, steps = int(observation["exit_code"]), int(observation["steps_left"])
        counts = [] if code < 0 else [f"exit code {code}"]
        counts.append(f"{steps} actions left")
        if ASK in self.asking.offered:
            counts.append(f"{int(observation['questions_left'])} questions left")
        return f"[{', '.join(counts)}]"

    def _ask(self, talk: Conversation) -> Completion:
        """Ask the model; a conversation that its service finds too long is halved once."""
        if self.asking.phases:
            self._brief.phase("build" if self._progress.building else "ask")
        talk.fit()
        try:
            completion = self._model.complete(talk.messages, self._speech.specs)
        except ContextExceededError:
            target = int(min(talk.tokens, talk.budget) * _AFTER_OVERFLOW)
            talk.budget = min(talk.budget, talk.tokens - 1)
            talk.shrink(target)
            completion = self._model.complete(talk.messages, self._speech.specs)
        talk.said(completion.message, completion.usage)
        return completion
