"""How a model says its actions, and how it is answered: by tool calls, or by fenced blocks in its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from baselines.prompts import Prompts
from icae_env.env.actions import AskUser, Bash, Edit, InvalidAction, Submit, Terminal
from icae_env.env.blocks import parse_text
from icae_env.env.tools import action_from_call, tools
from icae_env.llm.base import Completion, Message, ToolCall, ToolSpec

AnyAction = Bash | Edit | AskUser | Terminal | Submit | InvalidAction


@dataclass(frozen=True)
class Intent:
    """One action that a message of the model means."""

    action: AnyAction
    call_id: str | None = None
    """The tool call that asks for it; None: the message as a whole does."""

    def answer(self, text: str) -> Message:
        """Return the message that tells what came of it."""
        if self.call_id is None:
            return Message(role="user", text=text)
        return Message(role="tool", text=text, tool_call_id=self.call_id)


class Speech(Protocol):
    """A way to say actions."""

    specs: Sequence[ToolSpec]
    """The tools that the model is offered."""
    rules: str
    """The part of the system prompt that explains it."""

    def intents(self, completion: Completion) -> list[Intent]:
        """Return the actions that an answer means, at least one; what cannot be carried out is an ``InvalidAction``."""
        ...


class ToolSpeech:
    """Actions are tool calls; an answer may have several of them.

    Args:
        actions: The types of action that are offered.
        prompts: Where the notes come from.
    """

    def __init__(self, actions: Sequence[str], prompts: Prompts) -> None:
        self._names, self._prompts = actions, prompts
        self.specs: Sequence[ToolSpec] = [
            ToolSpec(name=item["name"], description=item["description"], parameters=item["inputSchema"])
            for item in tools("mcp", actions)
        ]
        self.rules = prompts.render("act_tools")

    def intents(self, completion: Completion) -> list[Intent]:
        """Return the actions of the calls, in their order."""
        calls = completion.message.tool_calls
        if not calls:
            return [Intent(InvalidAction(message=self._nothing(completion)))]
        found = [Intent(self._action(call), call.id) for call in calls]
        if completion.finish == "length":  # what came last may be half of what was meant, also if it is valid
            cut = InvalidAction(message=self._prompts.render("notes/cut_off"))
            found[-1] = Intent(cut, calls[-1].id)
        return found

    def _action(self, call: ToolCall) -> AnyAction:
        if call.name not in self._names:
            names = ", ".join(self._names)
            return InvalidAction(
                message=self._prompts.render("notes/unknown_tool", name=call.name[:60], names=names)
            )
        return action_from_call(call.name, call.arguments)

    def _nothing(self, completion: Completion) -> str:
        special = _special(completion, self._prompts)
        return special or self._prompts.render("notes/no_call", names=", ".join(self._names))


class TextSpeech:
    """Actions are fenced blocks; an answer has one.

    Args:
        actions: The types of action that are explained.
        prompts: Where the notes come from.
    """

    def __init__(self, actions: Sequence[str], prompts: Prompts) -> None:
        self._prompts = prompts
        self.specs: Sequence[ToolSpec] = ()
        ask = prompts.text("ask_block") + "\n" if AskUser.model_fields["type"].default in actions else ""
        self.rules = prompts.render("act_text", ask_block=ask)

    def intents(self, completion: Completion) -> list[Intent]:
        """Return the action of the one block."""
        action = parse_text(completion.message.text)
        if isinstance(action, InvalidAction) and (special := _special(completion, self._prompts)):
            action = InvalidAction(message=special)
        return [Intent(action)]


def _special(completion: Completion, prompts: Prompts) -> str | None:
    """Return what to say of an answer without an action that the service ended; None: the model ended it."""
    notes = {"length": "notes/cut_off", "filter": "notes/withheld"}
    return prompts.render(notes[completion.finish]) if completion.finish in notes else None
