"""What the scenario tests share: short words for actions, and what they leave on the host."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Any

TASK = "bracex"
SUBMIT = {"type": "submit"}
INTERRUPT = {"type": "terminal", "keys": "<C-c>", "enter": False}


def bash(command: str) -> dict[str, Any]:
    return {"type": "bash", "command": command}


def keys(text: str, *, enter: bool = True, wait: float | None = None) -> dict[str, Any]:
    return {"type": "terminal", "keys": text, "enter": enter, "wait": wait}


def create(path: str, text: str) -> dict[str, Any]:
    return {"type": "edit", "op": "create", "path": path, "text": text}


def view(path: str) -> dict[str, Any]:
    return {"type": "edit", "op": "view", "path": path}


def ask(question: str) -> dict[str, Any]:
    return {"type": "ask_user", "question": question}


class Play:
    """A running episode: each call is one step, checked to be a valid observation and to leave the episode running."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.obs, self.info = env.reset(seed=0)

    def do(self, action: Any) -> str:
        """Take a step and return what it showed."""
        self.obs, reward, terminated, truncated, self.info = self.env.step(action)
        assert self.obs in self.env.observation_space
        assert not terminated and not truncated, self.obs["text"]
        assert reward == 0.0
        return self.obs["text"]

    def bash(self, command: str) -> str:
        return self.do(bash(command))

    def edit(self, action: dict[str, Any]) -> tuple[bool, str]:
        """Take a step and return whether the edit was done, and the message."""
        text = self.do(action)
        return self.code == 0, text

    def answers(self) -> None:
        """Assert that shell and edits work: this is what hostile scenes end with."""
        assert self.bash("echo still $((40+2))") == "still 42\n"
        assert self.edit(create("/tmp/answers", "x"))[0], self.obs["text"]

    def settles(self, tries: int = 3) -> None:
        """As ``answers``, where what was started before may cost another restart or two first."""
        for _ in range(tries):
            if self.bash("echo ok") == "ok\n":
                break
        self.answers()

    def submit(self) -> float:
        self.obs, reward, terminated, _, self.info = self.env.step(SUBMIT)
        assert terminated and self.info["end"] == "submit"
        return reward

    @property
    def code(self) -> int:
        return int(self.obs["exit_code"])

    @property
    def files(self) -> Any:
        """The files of the sandbox, for what no action shows exactly."""
        return self.env.unwrapped._episode.sandbox.files


def marker() -> str:
    """Return a word that no other process has on its command line, usable as a number of seconds."""
    return str(10**8 + secrets.randbelow(10**8))


def on_host(word: str) -> list[int]:
    """Return the numbers of all live processes of the machine with ``word`` on their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and word.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


def eventually(condition: Any, seconds: float = 5.0) -> bool:
    """Return whether a condition comes true within a time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
