"""What an environment is given from outside: its limits, and the parts that ``icae_env.factory`` wires.

The environment knows a task's public side only. Scoring reaches it as two methods of a ``Wiring``, so that
hidden cases never pass through it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from icae_env.oracle.furnish import Serving
from icae_env.oracle.probes import ProbeLog
from icae_env.sandbox.base import Sandbox
from icae_env.tasks.models import Level, PublicTask, TaskLimits
from icae_env.user_agent import Session

if TYPE_CHECKING:
    from icae_env.sandbox.shell import ShellResult  # its module needs pexpect


class EpisodeConfig(BaseModel):
    """How episodes run. None stands for the task's own limit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: int | None = Field(None, ge=1)
    """Actions."""
    questions: int | None = Field(None, ge=0)
    """Questions to the user."""
    seconds: float | None = Field(None, gt=0)
    """Wall time of an episode."""
    command_seconds: float | None = Field(None, gt=0)
    """Wall time of one bash action."""
    output_chars: int | None = Field(None, ge=200)
    """Characters of one observation's text."""
    restarts: int = Field(10, ge=1)
    """Restarts of shell or sandbox that an agent causes; the last one ends the episode, which is scored."""
    public_cases: bool = False
    """Whether the public cases lie in the workspace with their expected outputs."""

    def limits(self, task: TaskLimits) -> TaskLimits:
        """Return the limits of an episode of a task."""
        fields = ("steps", "questions", "seconds", "command_seconds", "output_chars")
        given = {name: value for name in fields if (value := getattr(self, name)) is not None}
        return task.model_copy(update=given)


class Report(Protocol):
    """What the environment reads of a score."""

    @property
    def reward(self) -> float | None:
        """The overall pass rate, or None when nothing could be measured."""
        ...

    @property
    def resolved(self) -> bool | None:
        """Whether every case passed."""
        ...


class CommandShell(Protocol):
    """A persistent shell in a sandbox."""

    def run(self, command: str, *, timeout: float, output_limit: int) -> ShellResult:
        """Run a command (``timeout`` in seconds, ``output_limit`` in bytes)."""
        ...

    def close(self) -> None:
        """End the shell."""
        ...


class Screen(Protocol):
    """A terminal in a sandbox."""

    def send(self, keys: str, *, enter: bool, wait: float | None) -> str:
        """Type keys and return the screen after ``wait`` seconds; None: when it is at rest."""
        ...

    def close(self) -> None:
        """End the terminal."""
        ...


class Wiring(Protocol):
    """The parts of an environment."""

    @property
    def tasks(self) -> Sequence[str]:
        """Ids of the tasks to choose from."""
        ...

    def levels(self, task: str) -> Sequence[Level]:
        """Return the levels of a task to choose from."""
        ...

    def load(self, task: str, level: Level) -> PublicTask:
        """Return a task's public side."""
        ...

    def sandbox(self, task: PublicTask) -> Sandbox:
        """Return a sandbox for a task, not yet started."""
        ...

    def furnish(self, task: PublicTask, sandbox: Sandbox, log: ProbeLog) -> Serving | None:
        """Put into a started sandbox what the task begins with besides its text, and serve it until that is closed."""
        ...

    def shell(self, sandbox: Sandbox) -> CommandShell:
        """Open a shell in a running sandbox."""
        ...

    def terminal(self, sandbox: Sandbox) -> Screen:
        """Open a terminal in a running sandbox.

        Raises:
            SandboxUnavailableError: This machine or this sandbox has no terminals.
        """
        ...

    def handed_in(self, sandbox: Sandbox) -> bool:
        """Return whether the command ``submit`` was called in a sandbox, by what ran in its shell or on its terminal."""
        ...

    def session(self, task: PublicTask, budget: int) -> Session:
        """Begin a conversation with the task's User Agent."""
        ...

    def public_files(self, task: PublicTask) -> Mapping[str, bytes]:
        """Return the public cases as files: path in the workspace -> content."""
        ...

    def snapshot(self, sandbox: Sandbox, *, live: bool) -> Any:
        """Take the workspace as a submission; unless ``live``, end what runs in the sandbox first."""
        ...

    def score(self, task: PublicTask, submission: Any) -> Report:
        """Score a submission in a fresh sandbox."""
        ...

    def without_times(self, report: Report) -> Report:
        """Return a report that is equal for equal behaviour: without the times it took."""
        ...

    def public_rate(self, task: PublicTask, submission: Any) -> float:
        """Return the share of the public cases that a submission passes."""
        ...

    def close(self) -> None:
        """Give back what is held between episodes."""
        ...
