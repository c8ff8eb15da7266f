"""The agent that is any program: a command in the sandbox, which works there by itself until it ends.

``icae run --agent 'command:my-agent --task "$ICAE_TASK"'`` runs that bash text in ``/workspace``. The task lies in
``/workspace/start.md``; the variable ``ICAE_TASK`` names the file, and standard input gives its text. ``ask-user "..."`` asks the
user and ``submit`` hands in; when the command ends without it, the workspace is handed in as it is. What it prints is kept in the
trajectory, in pieces of the length that one observation may have.

A sandbox has no network, so a program that asks a model over the network cannot play this way: let it play over MCP
(``icae mcp``), or wrap it in an agent class. The program itself has to be in the image, or be made by the command.
"""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import Any, ClassVar

from icae_env.env.observations import Observation
from icae_env.errors import ConfigError
from icae_env.rollout.agent import Brief

_FOLDER = "/tmp/icae-command"
_SCRIPT = Path(__file__).with_suffix(".sh")
_RUNNING, _TIME_UP = 75, 124
"""Exit codes of the script: the command still runs; its time was up."""
_SHARE = 0.8
"""Of a bash action's time, what one look at the command may take."""
_SHORTEST = 10.0
"""Seconds of a look, where the limits leave the choice."""


class CommandAgent:
    """Run a command in the sandbox and hand in what it leaves; each look at it is one action.

    Args:
        command: The bash text.
        seconds: Wall time that it may take; default: all of the episode's.
    """

    name: ClassVar[str] = "command"
    privileged: ClassVar[bool] = False
    argument: ClassVar[str] = "command"

    def __init__(self, command: str, seconds: str | float | None = None) -> None:
        if not command.strip():
            raise ConfigError(
                "There is no command.", field="--agent", mend="write it as 'command:PROGRAM ...'."
            )
        self._command = command
        self._seconds = _positive(seconds) if seconds is not None else None
        self._look = ""
        self._started = False
        self.ended: str | None = None

    def begin(self, brief: Brief) -> None:
        """Note the limits."""
        limits = brief.limits
        if self._seconds is None:
            self._seconds = limits.seconds
        # So long that the actions last as long as the episode, so short that one fits into a bash action's time.
        even = max(_SHORTEST, 1.2 * limits.seconds / limits.steps)
        seconds = max(1, math.floor(min(even, _SHARE * limits.command_seconds)))
        self._look = f"bash {_FOLDER}/agent.sh follow {seconds}"

    def act(self, observation: Observation) -> dict[str, Any]:
        """Start the command, look at it while it runs, then hand in."""
        if not self._started:
            self._started = True
            return {"type": "bash", "command": f"{self._start()}\n{self._look}"}
        code = int(observation["exit_code"])
        if code == _RUNNING:
            return {"type": "bash", "command": self._look}
        self.ended = "limit:command" if code == _TIME_UP else None
        return {"type": "submit"}

    def _start(self) -> str:
        assert self._seconds is not None
        # The texts come as arguments of a builtin, which has no limit on their length.
        files = {"command": self._command + "\n", "agent.sh": _SCRIPT.read_text("utf-8")}
        lines = [f"mkdir -p {_FOLDER}"]
        lines += [f"printf %s {shlex.quote(text)} >{_FOLDER}/{name}" for name, text in files.items()]
        lines.append(f"setsid bash {_FOLDER}/agent.sh run {self._seconds:g} </dev/null >/dev/null 2>&1 &")
        return "\n".join(lines)


def _positive(seconds: str | float) -> float:
    try:
        value = float(seconds)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ConfigError(f"'{seconds}' is no number of seconds.", field="seconds", mend="give one above 0.")
    return value
