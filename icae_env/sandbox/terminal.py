"""A real screen for interactive programs: one tmux session on the host whose pane runs a shell inside the sandbox.

tmux and libtmux stay on the host, so images need neither. The tmux server is private to this process, is started with an empty
configuration and an empty environment, and dies with the process.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from icae_env.errors import SandboxDiedError, SandboxUnavailableError
from icae_env.sandbox.base import WORKSPACE, Sandbox
from icae_env.sandbox.launch.client import launcher

if TYPE_CHECKING:
    import libtmux

_SHELL = ("/bin/bash", "--norc", "--noprofile", "-i")
KEYS = (
    "Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "Insert", "Delete", "Tab", "Enter", "Esc", "Space",
    "Backspace",
    *(f"F{number}" for number in range(1, 13)),
)  # fmt: skip
"""Names of keys in angle brackets, besides ``<C-x>`` and ``<M-x>`` with any letter."""
_TMUX_NAMES = {"Esc": "Escape", "Backspace": "BSpace", "Insert": "IC", "Delete": "DC"}
_KEY = re.compile(rf"<((?:[CM]-[a-zA-Z\\\]^_@])|{'|'.join(KEYS)})>")
REST_SECONDS = 1.0
"""Seconds after which a screen that keeps changing is read all the same."""
_QUIET = 0.06
"""Seconds without a change after which the screen counts as settled."""
_POLL = 0.015
_OPEN_SECONDS = 2.0
_ATTEMPTS = 5
"""Screens that are opened one after another when each ends at once."""
_AT_ONCE = 2000
"""Characters typed with one command; tmux takes no more than 16 KB."""
ENDS_AT_ONCE = "[The terminal ends as soon as it is opened: what runs in the sandbox kills it.]"
_serial = itertools.count()
_opening = threading.Lock()
"""libtmux changes os.environ for a moment when it opens a session."""


class _Server:
    """This process's tmux server, started with its first session."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="icae-tmux-"))
        self.socket = self.folder / "socket"
        self.pid = os.getpid()
        kill = [
            "/bin/sh",
            "-c",
            'tmux -S "$1/socket" kill-server 2>/dev/null; rm -rf "$1"',
            "sh",
            str(self.folder),
        ]
        launcher().at_exit(
            f"tmux-{self.folder}", ["/usr/bin/env", f"PATH={os.environ.get('PATH', os.defpath)}", *kill]
        )
        self._kill = kill
        atexit.register(self.close)

    def libtmux(self) -> libtmux.Server:
        import libtmux  # noqa: PLC0415 - first use

        return libtmux.Server(socket_path=str(self.socket), config_file=os.devnull)

    def close(self) -> None:
        if self.pid == os.getpid():
            subprocess.run(self._kill, check=False)


_guard = threading.Lock()
_servers: dict[int, _Server] = {}


def _server() -> _Server:
    with _guard:
        if os.getpid() not in _servers:
            _servers.clear()
            _servers[os.getpid()] = _Server()
        return _servers[os.getpid()]


def split_keys(keys: str) -> Iterator[tuple[str, bool]]:
    """Yield (text, True) for what is typed and (tmux key name, False) for keys named in angle brackets."""
    for index, part in enumerate(_KEY.split(keys.encode("utf-8", "replace").decode())):
        if index % 2:
            yield _TMUX_NAMES.get(part, part), False
            continue
        for number, text in enumerate(part.split("\0")):
            if number:
                yield "C-Space", False  # what a terminal sends for it is NUL, which no argument can hold
            if text:
                yield text, True


def available() -> bool:
    """Return whether terminals can be had on this host."""
    return shutil.which("tmux") is not None


class Terminal:
    """One screen in one sandbox, opened on first use."""

    def __init__(
        self, sandbox: Sandbox, *, cwd: PurePosixPath | str = WORKSPACE, rows: int = 24, columns: int = 80
    ) -> None:
        """Attach to a started sandbox.

        Raises:
            SandboxUnavailableError: tmux is not installed on the host.
        """
        if not available():
            raise SandboxUnavailableError("terminal", "tmux is not installed.", mend="apt-get install tmux")
        self._sandbox, self._cwd, self._size = sandbox, cwd, (columns, rows)
        self._target = ""
        """Name of the tmux session, for tmux to match whole; none is used twice, as numbers of panes are."""
        self._process = os.getpid()

    def send(self, keys: str = "", *, enter: bool = False, wait: float | None = None) -> str:
        """Type keys and return the screen.

        A screen whose shell ends gets a fresh one; keys that were still to be typed then are dropped.

        Args:
            keys: Text typed as it is; names in angle brackets press keys: ``<C-c>``, ``<Up>``, ``<Esc>``, ``<F1>`` (KEYS).
            enter: Press Enter afterwards.
            wait: Seconds until the screen is read; None: until it is at rest, at most REST_SECONDS.

        Returns:
            The screen's rows without trailing blanks, separated by newlines.

        Raises:
            SandboxDiedError: The sandbox is gone.
        """
        before = self.screen()
        with contextlib.suppress(_EndedError):
            for part, literal in split_keys(keys):
                if literal:
                    self._type(part)
                else:
                    self._command("send-keys", "--", part)
            if enter:
                self._command("send-keys", "Enter")
        if wait is not None:
            time.sleep(wait)
            return self.screen()
        try:
            return self._settle(before, REST_SECONDS, typed=bool(keys or enter))
        except _EndedError:
            return self.screen()

    def screen(self) -> str:
        """Return what the screen shows now.

        Raises:
            SandboxDiedError: The sandbox is gone.
        """
        for attempt in range(_ATTEMPTS):
            try:
                if not self._target:
                    self._open()
                return self._look()
            except _EndedError:
                time.sleep(attempt * _POLL)  # a tmux server whose last screen has ended takes a moment to go
        if not self._sandbox.alive():
            raise SandboxDiedError("The sandbox is gone, and its terminal with it.")
        return ENDS_AT_ONCE

    def close(self) -> None:
        """End the screen and what runs on it."""
        target, self._target = self._target, ""
        if target and self._process == os.getpid():  # a forked child has only a copy
            _server().libtmux().cmd("kill-session", target=target)

    def _type(self, text: str) -> None:
        for begin in range(0, len(text), _AT_ONCE):
            part = text[begin : begin + _AT_ONCE]
            # A semicolon at the end of a word would be tmux's own.
            self._command("send-keys", "-l", "--", f"{part[:-1]}\\;" if part.endswith(";") else part)

    def _look(self) -> str:
        return "\n".join(line.rstrip() for line in self._command("capture-pane", "-p")).rstrip("\n")

    def _settle(self, before: str, wait: float, *, typed: bool) -> str:
        begun = changed = time.monotonic()
        last, reacted = before, not typed
        while (now := time.monotonic()) < begun + wait:
            time.sleep(_POLL)
            screen = self._look()
            if screen != last:
                last, changed, reacted = screen, time.monotonic(), True
            elif reacted and now - changed >= _QUIET:
                break
        return last

    def _command(self, *words: str) -> list[str]:
        """Give tmux a command for the screen."""
        if not self._target:
            raise _EndedError
        command, *rest = words
        done = _server().libtmux().cmd(command, *rest, target=self._target)
        if done.stderr:
            self._target = ""
            raise _EndedError
        return list(done.stdout)

    def _open(self) -> None:
        from libtmux.exc import LibTmuxException  # noqa: PLC0415 - first use

        columns, rows = self._size
        name = f"t{next(_serial)}"
        command = "exec env -i " + shlex.join(self._sandbox.attach_argv(_SHELL, cwd=self._cwd))
        environment = dict.fromkeys(("TMUX", "TMUX_PANE"), "")
        try:
            with _opening:
                _server().libtmux().new_session(
                    session_name=name, x=columns, y=rows, window_command=command, environment=environment
                )
        except (LibTmuxException, IndexError) as error:  # the second: it has ended before libtmux looked
            raise _EndedError from error
        self._target = f"={name}:"
        self._command("set-option", "status", "off")
        self._command("resize-window", "-x", str(columns), "-y", str(rows))
        self._settle("", _OPEN_SECONDS, typed=True)


class _EndedError(Exception):
    """The screen's shell has ended, and the screen with it."""
