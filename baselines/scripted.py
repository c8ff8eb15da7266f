"""The agent that plays an action file: a folder with ``actions.json`` and the texts it names.

An action of type ``edit`` may name a file of the folder in ``text_file``; its content becomes ``text``. So a script reads like
what happens and the program it writes stays a program.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from icae_env.errors import ConfigError
from icae_env.rollout.agent import Brief

SCRIPTS = Path(__file__).parent / "scripts"


class ScriptedAgent:
    """Play one action after the other; when they are used up, submit."""

    name: ClassVar[str] = "scripted"
    privileged: ClassVar[bool] = False

    def __init__(self, script: str | Path | None = None) -> None:
        """Choose the folder; None takes the one that ships for the task."""
        self._script = script
        self._actions: list[dict[str, Any]] = []

    def plays(self, task: str) -> bool:
        """Return whether there is a script for a task."""
        return self._script is not None or task in played()

    def begin(self, brief: Brief) -> None:
        """Read the actions.

        Raises:
            ConfigError: There is no script for the task, or it is malformed.
        """
        if self._script is None and brief.task.id not in played():
            raise ConfigError(
                f"The agent 'scripted' has no action file for the task '{brief.task.id}'.",
                field="task",
                mend=f"play one of {', '.join(played())}, or give it the folder of a script of your own.",
            )
        folder = Path(self._script) if self._script is not None else SCRIPTS / brief.task.id
        self._actions = list(reversed(read_script(folder)))

    def act(self, observation: Any) -> dict[str, Any]:
        """Return the next action."""
        return self._actions.pop() if self._actions else {"type": "submit"}


def played() -> list[str]:
    """Return the ids of the tasks that a script ships for."""
    return sorted(folder.name for folder in SCRIPTS.iterdir() if (folder / "actions.json").is_file())


def read_script(folder: Path) -> list[dict[str, Any]]:
    """Return a script's actions with the named texts filled in.

    Raises:
        ConfigError: A file is missing or not a list of objects.
    """
    file = folder / "actions.json"
    try:
        actions = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"There is no such action file: {error.strerror}.",
            file=file,
            mend="write one, or name another folder.",
        ) from error
    except ValueError as error:
        raise ConfigError(
            f"It is not JSON: {error}.", file=file, mend="mend the syntax at that place."
        ) from error
    if not isinstance(actions, list) or not all(isinstance(action, dict) for action in actions):
        raise ConfigError(
            "It is not a list of action objects.", file=file, mend='write [{"type": ...}, ...].'
        )
    return [_filled(action, folder, file, index) for index, action in enumerate(actions)]


def _filled(action: dict[str, Any], folder: Path, file: Path, index: int) -> dict[str, Any]:
    if "text_file" not in action:
        return action
    rest = {key: value for key, value in action.items() if key != "text_file"}
    source = folder / str(action["text_file"])
    try:
        return {**rest, "text": source.read_text("utf-8")}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The text '{source.name}' cannot be read: {error}.", file=file, field=f"{index}.text_file"
        ) from error
