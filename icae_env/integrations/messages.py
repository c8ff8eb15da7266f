"""What the process that hosts an episode and the one that drives it tell each other: one JSON document a line.

The driver writes a ``Setting`` and then actions; the end of its input says that the agent is gone. The host answers with
``Ready``, one ``Shown`` for each action, and at last with ``Over``; or with ``Failed`` in place of any of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from icae_env.env.spaces import NO_EXIT_CODE
from icae_env.rollout.store import EpisodeKey, EpisodeRow


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Setting(_Frozen):
    """The episode to play."""

    key: EpisodeKey
    """Its ``agent`` is only a name, under which the run lists it."""
    sandbox: str = "auto"
    image: str = "auto"
    env: Mapping[str, Any] = Field(default_factory=dict)
    """Further arguments of ``make_env``: ``steps``, ``questions``, ..."""
    folder: Path | None = None
    """Run directory; None: nothing is kept."""
    idle: float | None = Field(default=None, gt=0)
    """Seconds without an action after which the episode ends; None: only its own time limit counts."""
    score_workers: int = Field(default=2, ge=1)
    """Sandboxes at the same time while it is scored."""


class Ready(_Frozen):
    """The episode can begin; it does with the first action, so that no time is lost before."""

    type: Literal["ready"] = "ready"
    text: str
    """Rules and PRD, as the first observation shows them."""
    actions: tuple[str, ...]
    """The types of action that it takes."""


class Shown(_Frozen):
    """What an action showed."""

    type: Literal["shown"] = "shown"
    text: str
    exit_code: int
    """As in an observation; -1 where there is none."""
    steps_left: int
    questions_left: int
    end: str | None = None
    """Why the episode is over; None while it is not."""

    def with_counts(self) -> str:
        """Return what a model sees of it: the text, and below it the exit code and what is left of the limits."""
        if self.end is not None:
            return self.text
        code = [f"exit code {self.exit_code}"] if self.exit_code != NO_EXIT_CODE else []
        counts = [*code, f"{self.steps_left} actions left", f"{self.questions_left} questions left"]
        break_ = "" if not self.text or self.text.endswith("\n") else "\n"
        return f"{self.text}{break_}[{'; '.join(counts)}]"


class Over(_Frozen):
    """The episode is scored and written."""

    type: Literal["over"] = "over"
    row: EpisodeRow | None = None
    """None: no action came, so there was no episode."""


class Failed(_Frozen):
    """There is no episode."""

    type: Literal["failed"] = "failed"
    message: str
    infra: bool
    """Whether the host's side failed; else something of the setting is wrong."""


Said = Annotated[Ready | Shown | Over | Failed, Field(discriminator="type")]
SAID: TypeAdapter[Ready | Shown | Over | Failed] = TypeAdapter(Said)
