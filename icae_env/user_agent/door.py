"""The commands ``ask-user`` and ``submit`` inside a sandbox, for agents that have a shell only.

Either leaves its message in a file and waits; while a command runs or keys are typed on the terminal, a thread on the
host looks for that file, asks the session and leaves the answer in another file. Nothing inside can hold the thread up: only
regular files are read, a few kilobytes at most, and each answered message counts against a bound of its own.
"""

from __future__ import annotations

import threading
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from icae_env.errors import SandboxError, UserAgentError
from icae_env.sandbox.base import HOME, Files
from icae_env.user_agent.session import Session

if TYPE_CHECKING:
    pass

BOX = PurePosixPath("/run/ask-user")
"""Where question and answer lie."""
COMMAND, SUBMIT = HOME / ".local/bin/ask-user", HOME / ".local/bin/submit"
HAND_IN = b"submit-"
"""How the name of a message begins that is no question but hands in."""
HANDED_IN = "Submitted. The episode is over once this command has ended."
MOST_BYTES = 10_000
"""Bytes of a message that are read; the session declines what is too long."""
MOST_MESSAGES = 500
"""Messages of one episode that are looked at, declined ones included, so that no loop can fill the host's log."""
FIRST_LOOK, INTERVAL = 0.005, 0.02
"""Seconds from a command's beginning to the first look, and between two looks."""


class AskUserDoor:
    """Answer what ``ask-user`` and ``submit`` say inside a sandbox, from the time it is opened until it is shut.

    Args:
        box: The sandbox's files.
        session: Who answers; its budget is shared with all other ways to ask.
    """

    def __init__(self, box: Files, session: Session) -> None:
        self._files, self._session = box, session
        self._open, self._end = threading.Event(), threading.Event()
        self._turn = threading.Lock()
        self._messages = 0
        self._handed_in = False
        self._last = b""
        self._failure: UserAgentError | None = None
        self._thread: threading.Thread | None = None

    def install(self) -> None:
        """Put the commands into the sandbox.

        Raises:
            OSError: There is no room for it, or something is in its place.
        """
        for command in (COMMAND, SUBMIT):
            self._files.write(command, _script(), mode=0o755)
        self._files.mkdir(BOX)

    def open(self) -> None:
        """Begin to answer."""
        if self._thread is None:
            self._end.clear()
            self._thread = threading.Thread(target=self._watch, name="icae ask-user", daemon=True)
            self._thread.start()
        self._open.set()

    def shut(self) -> None:
        """End answering, once an answer under way is given.

        Raises:
            UserAgentError: The session failed on a question; it was not charged.
        """
        self._open.clear()
        with self._turn:
            failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    @property
    def messages(self) -> int:
        """Messages looked at so far."""
        return self._messages

    @property
    def handed_in(self) -> bool:
        """Whether ``submit`` was called."""
        return self._handed_in

    def close(self) -> None:
        """End the thread, until the door is opened again; a second call does nothing."""
        self._end.set()
        self._open.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    def answer_one(self) -> bool:
        """Answer the message that waits, if one does; return whether."""
        if self._messages >= MOST_MESSAGES or self._failure is not None:
            return False
        try:
            message = self._files.read(BOX / "question", limit=MOST_BYTES)
        except (OSError, SandboxError):
            return False  # nothing there, or something that is no question
        # Each message bears another name, so it need not be removed: what lies there may be a trap by now.
        if message == self._last:
            return False
        self._last = message
        self._messages += 1
        name, _, question = message.partition(b"\n")
        if name.startswith(HAND_IN):
            self._handed_in = True
            return self._answer(name, "", HANDED_IN)
        try:
            reply = self._session.ask(question.decode("utf-8", "replace"))
        except UserAgentError as error:
            self._failure = error
            return False
        left = f"{reply.remaining} question{'' if reply.remaining == 1 else 's'} left"
        return self._answer(name, left, reply.text)

    def _answer(self, name: bytes, left: str, text: str) -> bool:
        try:
            self._files.write(BOX / "answer", b"\n".join((name[:100], left.encode(), text.encode())))
        except (OSError, SandboxError):
            return False  # the agent's own doing: a full disk, another thing in its place
        return True

    def _watch(self) -> None:
        while True:
            self._open.wait()
            self._end.wait(FIRST_LOOK)  # a sleep that the end cuts short
            while self._open.is_set() and not self._end.is_set():
                with self._turn:
                    if self._open.is_set():
                        self.answer_one()
                self._end.wait(INTERVAL)
            if self._end.is_set():
                return


def door_to(box: Files, session: Session) -> AskUserDoor | None:
    """Return a door for a sandbox, of which there is to be one only; None where the commands cannot be put into it.

    Args:
        box: The sandbox's files.
        session: Who answers.
    """
    door = AskUserDoor(box, session)
    try:
        door.install()
    except OSError:  # no room left, by the agent's own doing: all else goes on
        return None
    return door


@cache
def _script() -> bytes:
    return (files("icae_env.user_agent") / "ask_user.sh").read_bytes()
