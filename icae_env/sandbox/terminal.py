"""A real screen for interactive programs: one tmux session on the host whose pane runs a shell inside the sandbox.

tmux and libtmux stay on the host, so images need neither. The tmux server is private to this process, is started with an empty
configuration and an empty environment, and dies with the process.
"""

from __future__ import annotations

import atexit
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
    for index, part in enumerate(_KEY.split(keys)):
        if index % 2:
            yield _TMUX_NAMES.get(part, part), False
        elif part:
            yield part, True


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
        self._session: libtmux.Session | None = None
        self._pane: libtmux.Pane | None = None

    def send(self, keys: str = "", *, enter: bool = False, wait: float | None = None) -> str:
        """Type keys and return the screen.

        Args:
            keys: Text typed as it is; names in angle brackets press keys: ``<C-c>``, ``<Up>``, ``<Esc>``, ``<F1>`` (KEYS).
            enter: Press Enter afterwards.
            wait: Seconds until the screen is read; None: until it is at rest, at most REST_SECONDS.

        Returns:
            The screen's rows without trailing blanks, separated by newlines.
        """
        before = self.screen()
        for part, literal in split_keys(keys):
            self._command("send-keys", *(["-l", "--"] if literal else ["--"]), part)
        if enter:
            self._command("send-keys", "Enter")
        if wait is not None:
            time.sleep(wait)
            return self.screen()
        return self._settle(before, REST_SECONDS, typed=bool(keys or enter))

    def screen(self) -> str:
        """Return what the screen shows now."""
        return "\n".join(line.rstrip() for line in self._command("capture-pane", "-p")).rstrip("\n")

    def close(self) -> None:
        """End the screen and what runs on it."""
        if self._session is not None:
            try:
                self._session.cmd("kill-session")
            finally:
                self._session = self._pane = None

    def _settle(self, before: str, wait: float, *, typed: bool) -> str:
        begun = changed = time.monotonic()
        last, reacted = before, not typed
        while (now := time.monotonic()) < begun + wait:
            time.sleep(_POLL)
            screen = self.screen()
            if screen != last:
                last, changed, reacted = screen, time.monotonic(), True
            elif reacted and now - changed >= _QUIET:
                break
        return last

    def _command(self, *words: str) -> list[str]:
        """Give tmux a command for the pane; a screen whose shell has ended gets a fresh one first."""
        for _ in range(2):
            if self._session is None or self._pane is None:
                self._session, self._pane = self._open()
                self._settle("", _OPEN_SECONDS, typed=True)
            done = self._pane.cmd(*words)
            if not done.stderr:
                return list(done.stdout)
            self._session = self._pane = None
        raise SandboxDiedError("No terminal can be had in this sandbox: " + " ".join(done.stderr))

    def _open(self) -> tuple[libtmux.Session, libtmux.Pane]:
        columns, rows = self._size
        command = shlex.join(["exec", *self._sandbox.attach_argv(_SHELL, cwd=self._cwd)]).replace(
            "exec", "exec env -i", 1
        )
        name = f"t{id(self)}"
        environment = dict.fromkeys(("TMUX", "TMUX_PANE"), "")
        session = (
            _server()
            .libtmux()
            .new_session(
                session_name=name, x=columns, y=rows, window_command=command, environment=environment
            )
        )
        session.cmd("set-option", "status", "off")
        session.cmd("resize-window", "-x", str(columns), "-y", str(rows))
        pane = session.active_pane
        if pane is None:
            raise SandboxDiedError("The terminal ended as soon as it was opened.")
        return session, pane
