"""What an action came to, why an episode is over, and how both are told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from icae_env.env.actions import AskUser, Bash, Edit, InvalidAction, Submit, Terminal
from icae_env.errors import EpisodeStateError
from icae_env.tasks.models import TaskLimits
from icae_env.user_agent import Diagnosis

AnyAction = Bash | Edit | AskUser | Terminal | Submit | InvalidAction
End = Literal["submit", "steps", "seconds", "restarts"]
"""Why an episode is over: the agent handed in, or the limit of that name was reached."""


@dataclass(frozen=True)
class Outcome:
    """What one action came to."""

    text: str
    exit_code: int | None = None
    user_agent: Diagnosis | None = None
    """Host-side record of a question; None for other actions."""
    asked: tuple[Diagnosis, ...] = ()
    """Host-side records of what ``ask-user`` asked meanwhile in the sandbox."""
    new_records: int = 0
    """Records that these questions revealed for the first time."""
    end: End | None = None


def revealed(entries: Iterable[Diagnosis]) -> set[str]:
    """Return the names of the records that these questions revealed."""
    return {name for entry in entries for name in entry.revealed}


def joined(text: str, note: str) -> str:
    """Return ``text`` with ``note`` on a line of its own below it."""
    return text + ("" if not note or not text or text.endswith("\n") else "\n") + note


def over(end: End, limits: TaskLimits, restarts: int, also: str = "") -> str:
    """Return what the agent is told when an episode ends at a limit.

    Args:
        end: Which limit.
        limits: The limits of the episode.
        restarts: The limit of restarts.
        also: What else there is to say, as a sentence.
    """
    named = {
        "steps": f"The step limit of {limits.steps} actions is reached.",
        "seconds": f"The time limit of {limits.seconds:g} seconds is reached.",
        "restarts": f"The limit of {restarts} restarts of shell or sandbox is reached.",
        "submit": "",
    }[end]
    words = (named, also, "The episode is over, and the workspace is scored as it is.")
    return f"[{' '.join(word for word in words if word)}]"


def no_episode(state: str) -> EpisodeStateError:
    """Return the error of a call that needs a running episode."""
    reasons = {
        "new": "There is no episode yet. Mend: call reset() first.",
        "over": "The episode is over. Mend: call reset() to begin a new one.",
        "failed": "The episode ended with an error of the host. Mend: call reset() to begin a new one.",
        "foreign": "The episode belongs to the process that this one was forked from. Mend: call reset() to begin one here.",
        "closed": "The environment is closed. Mend: make a new one.",
    }
    return EpisodeStateError(reasons[state])
