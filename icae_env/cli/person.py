"""A person as the agent: each line typed at the prompt becomes an action."""

from __future__ import annotations

import base64
import binascii
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console

from icae_env.cli.live import show_prd
from icae_env.env.observations import Observation
from icae_env.rollout.agent import Brief

HELP = """\
  ls -la            any text runs in the episode's bash
  ?QUESTION         asks the user
  :view PATH        shows a file or a directory with line numbers
  :edit PATH        opens a file in your $EDITOR (two actions); without one,
                    type its new lines and end with a lone .
  :keys TEXT        types into a terminal of its own and shows its screen;
                    :keys alone only looks
  :prd              shows the requirements again (no action)
  :help, ?          shows this (no action)
  :submit           hands in and ends the episode
  :quit, Ctrl-D     leaves without a score, as Ctrl-C does"""


class Left(BaseException):
    """Say that the person leaves the episode without a score; no ``Exception``, so that it is not taken for the agent's fault."""


class Person:
    """Turn typed lines into actions.

    Args:
        console: Where prompts and hints go.
        read: Returns the next line for a prompt; raises EOFError when there is none.
    """

    name: ClassVar[str] = "person"
    privileged: ClassVar[bool] = False

    def __init__(self, console: Console, read: Callable[[str], str]) -> None:
        self._console, self._read = console, read
        self._prd = ""
        self._editing: str | None = None
        """The file whose content the last action fetched."""

    def begin(self, brief: Brief) -> None:
        """Show how to play."""
        self._prd = brief.task.prd
        self._console.print(HELP + "\n", style="cyan")

    def act(self, observation: Observation) -> dict[str, Any]:
        """Return what the person types.

        Raises:
            Left: The person leaves.
        """
        if self._editing is not None:
            path, self._editing = self._editing, None
            action = self._edited(path, observation)
            if action is not None:
                return action
        while True:
            action = self._typed(self._line(observation))
            if action is not None:
                return action

    def _line(self, observation: Observation) -> str:
        left = f"{int(observation['steps_left'])} actions, {int(observation['questions_left'])} questions"
        try:
            return self._read(f"[{left}] > ")
        except EOFError:
            raise Left from None

    def _typed(self, line: str) -> dict[str, Any] | None:
        text = line.strip()
        if text == "?":
            return self._command("help", "")
        if text.startswith("?"):
            return {"type": "ask_user", "question": text[1:].strip()}
        if (
            not text.startswith(":") or text == ":" or text.startswith(": ")
        ):  # ": x" is bash's own null command
            return {"type": "bash", "command": line} if text else None
        command, _, rest = text[1:].partition(" ")
        return self._command(command, rest.strip())

    def _command(self, command: str, rest: str) -> dict[str, Any] | None:
        match command:
            case "submit":
                return {"type": "submit"}
            case "quit" | "q":
                raise Left
            case "view":
                return {"type": "edit", "op": "view", "path": rest or "."}
            case "edit" if rest:
                return self._open(rest)
            case "keys":
                return {"type": "terminal", "keys": rest, "enter": bool(rest)}
            case "prd":
                show_prd(self._console, self._prd)
            case "help":
                self._console.print(HELP, style="cyan")
            case _:
                known = "needs a path" if command == "edit" else "is no command of this game"
                self._console.print(f"':{command}' {known}; :help lists them.", style="red")
        return None

    def _open(self, path: str) -> dict[str, Any]:
        if _editor() is None:
            return {"type": "edit", "op": "create", "path": path, "text": self._lines()}
        self._editing = path
        # The content comes as base64, so that it stays what it is on its way through the screen.
        return {
            "type": "bash",
            "command": f"! [ -e {shlex.quote(path)} ] || base64 -w 0 < {shlex.quote(path)}",
        }

    def _lines(self) -> str:
        lines = []
        try:
            while (line := self._read(". ")) != ".":
                lines.append(line + "\n")
        except EOFError:
            raise Left from None
        return "".join(lines)

    def _edited(self, path: str, observation: Observation) -> dict[str, Any] | None:
        editor = _editor()
        try:
            old = base64.b64decode(observation["text"], validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            self._console.print(
                "This file cannot be edited here: it is too large or no text. Use bash.", style="red"
            )
            return None
        if int(observation["exit_code"]) != 0 or editor is None:
            return None
        with tempfile.TemporaryDirectory(prefix="icae-play-") as folder:
            file = Path(folder, Path(path).name or "file")
            file.write_bytes(old.encode("utf-8"))
            subprocess.run([*editor, str(file)], check=False)
            new = file.read_bytes().decode("utf-8", "replace")
        if new == old and old:
            self._console.print("Nothing was changed.", style="dim")
            return None
        return {"type": "edit", "op": "create", "path": path, "text": new}


def _editor() -> list[str] | None:
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    return shlex.split(chosen) if chosen and sys.stdin.isatty() else None
