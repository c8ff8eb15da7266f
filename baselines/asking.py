"""When an agent may ask the user: the strategies whose scores, side by side, say what asking is worth."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from baselines.speech import AnyAction
from icae_env.env.actions import ACTION_TYPES, AskUser, Bash

ASK = "ask_user"
_ASKS = re.compile(r"(?<![\w./-])ask-user(?![\w.-])")
"""The command of the same effect, in a bash action. It is found where it is written plainly; a model that hides it is not
held up, and its episode shows the questions."""


@dataclass
class Progress:
    """How far an episode has come, as far as strategies care."""

    questions_left: int
    asked: int = 0
    """Questions put."""
    building: bool = False
    """Whether another action than a question was carried out."""

    def note(self, action: AnyAction) -> None:
        """Count an action that is carried out."""
        if isinstance(action, AskUser):
            self.asked += 1
        else:
            self.building = True


class Asking(Protocol):
    """A strategy."""

    prompt: str
    """Name of the part of the system prompt that states it."""
    offered: tuple[str, ...]
    """Types of action that the model is offered."""
    phases: bool
    """Whether questions come before everything else, so that their cost can be told apart."""

    def refusal(self, action: AnyAction, progress: Progress) -> str | None:
        """Return the name of the note that refuses an action; None: it may be carried out."""
        ...


class AskFreely:
    """Ask at any time, or not at all."""

    prompt = "ask_free"
    offered = tuple(ACTION_TYPES)
    phases = False

    def refusal(self, action: AnyAction, progress: Progress) -> str | None:
        """Refuse nothing."""
        return None


class AskNever(AskFreely):
    """Never ask."""

    prompt = "ask_never"
    offered = tuple(name for name in ACTION_TYPES if name != ASK)

    def refusal(self, action: AnyAction, progress: Progress) -> str | None:
        """Refuse questions."""
        return "notes/refused_never" if _asks(action) else None


class AskFirst(AskFreely):
    """Ask before anything else; the first other action ends the questions."""

    prompt = "ask_first"
    phases = True

    def refusal(self, action: AnyAction, progress: Progress) -> str | None:
        """Refuse other actions before the first question, and questions after the first other action."""
        if progress.building:
            return "notes/refused_late" if _asks(action) else None
        waits = not isinstance(action, AskUser) and not progress.asked and progress.questions_left
        return "notes/refused_before_first" if waits else None


class AskAll(AskFreely):
    """Ask until every question is used up; only then act."""

    prompt = "ask_all"
    phases = True

    def refusal(self, action: AnyAction, progress: Progress) -> str | None:
        """Refuse other actions while questions are left."""
        return (
            "notes/refused_unspent" if not isinstance(action, AskUser) and progress.questions_left else None
        )


def _asks(action: AnyAction) -> bool:
    return isinstance(action, AskUser) or (isinstance(action, Bash) and bool(_ASKS.search(action.command)))
