"""An agent's conversation with its model, kept within the model's window.

Tokens are estimated as a third of the characters, times a factor that is measured anew with each answer whose service says
how many tokens the prompt had. When the estimate is above the budget, room is made in this order, oldest first, until a
quarter of the budget is free (so that it is not made anew, at the cost of the service's cache, before every call):

1. Results become a note, but for the newest ones.
2. Whole exchanges (a message of the model with what came of it) are left out, but for the last two.
3. The newest results become a note as well, and the last one is cut in its middle.

The system prompt, the task and the exchanges with the user's answers are always kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from baselines.prompts import Prompts
from icae_env.env.observations import cut
from icae_env.llm.base import Message, ToolSpec, Usage

FREE = 0.25
"""Share of the budget that is free after room was made."""
_CHARS_PER_TOKEN = 3.0
_PER_MESSAGE = 12
"""Characters that a message costs beside its text."""
_FACTORS = (0.5, 4.0)
"""Bounds of the measured factor, so that a service that counts oddly cannot switch the policy off."""
_LAST_RESULT = 2000
"""Characters that are left of the last result when nothing else helps."""
_EXCHANGES_KEPT = 2


@dataclass
class _Part:
    """A message, with its length so that it is taken once."""

    message: Message
    chars: int
    kept: bool = False
    """Whether it is never left out: it is of the opening, or the user's answer to a question."""

    @classmethod
    def of(cls, message: Message, kept: bool = False) -> _Part:
        return cls(message, _chars(message), kept)


_Exchange = list[_Part]
"""A message of the model, and what it was answered; of the first one, the opening."""


class Conversation:
    """The messages that go to the model.

    Args:
        opening: System prompt and task.
        prompts: Where the notes come from.
        budget: Tokens that a prompt may have.
        keep_results: Newest results that are left out last.
        tools: What is sent with each prompt.
    """

    def __init__(
        self,
        opening: Sequence[Message],
        *,
        prompts: Prompts,
        budget: int,
        keep_results: int,
        tools: Sequence[ToolSpec] = (),
    ) -> None:
        self._prompts, self._keep = prompts, keep_results
        self.budget = budget
        self._exchanges: list[_Exchange] = [[_Part.of(message, kept=True) for message in opening]]
        self._left_out = 0
        self._factor = 1.0
        self._overhead = sum(len(tool.model_dump_json()) for tool in tools)

    @property
    def messages(self) -> list[Message]:
        """The conversation as it is sent."""
        first, *rest = ([part.message for part in exchange] for exchange in self._exchanges)
        note = []
        if self._left_out:
            text = self._prompts.render("notes/exchanges_left_out", count=self._left_out)
            note = [Message(role="user", text=text)]
        return [*first, *note, *(message for messages in rest for message in messages)]

    @property
    def tokens(self) -> int:
        """How many tokens it is estimated to have."""
        return self._estimate(self._factor)

    def said(self, message: Message, usage: Usage) -> None:
        """Append a message of the model.

        Args:
            message: The message. One without text and calls, which no service takes back, is not kept.
            usage: Of the call that it came from.
        """
        if usage.input_tokens:
            low, high = _FACTORS
            self._factor = min(max(usage.input_tokens / self._estimate(1.0), low), high)
        empty = not message.text.strip() and not message.tool_calls
        self._exchanges.append([] if empty else [_Part.of(message)])

    def answer(self, message: Message, *, keep: bool = False) -> None:
        """Append what came of the last message of the model.

        Args:
            message: A tool's result, or a user's message.
            keep: Whether it is the user's answer to a question, which is never left out.
        """
        self._exchanges[-1].append(_Part.of(message, keep))

    def fit(self) -> None:
        """Make room if the conversation is above its budget."""
        if self.tokens > self.budget:
            self.shrink(int(self.budget * (1 - FREE)))

    def shrink(self, target: int) -> None:
        """Leave out as little as brings the conversation down to a number of tokens; what is always kept may be above it.

        Args:
            target: Tokens.
        """
        rest = self._exchanges[1:]
        results = [
            part
            for exchange in rest
            for part in exchange
            if not part.kept and part.message.role != "assistant"
        ]
        old, new = results[: -self._keep], results[-self._keep :]
        self._blank(old, target)
        for exchange in rest[:-_EXCHANGES_KEPT]:
            if self.tokens <= target:
                return
            if not any(part.kept for part in exchange):
                self._exchanges = [item for item in self._exchanges if item is not exchange]
                self._left_out += 1
        self._blank(new[:-1], target)
        if new and self.tokens > target:
            _replace(new[-1], cut(new[-1].message.text, _LAST_RESULT))

    def _blank(self, results: Sequence[_Part], target: int) -> None:
        """Put the note in place of results that are longer, until the target is reached."""
        for part in results:
            if self.tokens <= target:
                return
            note = self._prompts.render("notes/result_left_out", chars=len(part.message.text))
            if len(note) < len(part.message.text):
                _replace(part, note)

    def _estimate(self, factor: float) -> int:
        chars = self._overhead + sum(part.chars for exchange in self._exchanges for part in exchange)
        return round(factor * chars / _CHARS_PER_TOKEN)


def _replace(part: _Part, text: str) -> None:
    part.message = part.message.model_copy(update={"text": text})
    part.chars = _chars(part.message)


def _chars(message: Message) -> int:
    if message.blocks:
        return _PER_MESSAGE + sum(len(json.dumps(block, default=str)) for block in message.blocks)
    return (
        _PER_MESSAGE
        + len(message.text)
        + sum(len(call.arguments) + len(call.name) for call in message.tool_calls)
    )
