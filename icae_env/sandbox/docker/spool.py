"""How commands are started inside a container: a spool folder that its init reads (standard library only).

``docker exec`` costs 60 ms and leaves the command running when its client dies. So the container's init is a small bash loop that
reads job names from a FIFO in ``/dev/icae``, a tmpfs of its own. Each job is a script there, and FIFOs carry its streams and its
exit code straight to the host, which opens them through ``/proc/PID/root``. Pseudo-terminals are allocated by the host on the
container's own devpts, so the host holds a real terminal and no daemon stands between.

Started by root, the init is uid 0 with nothing but SETUID, SETGID and SETPCAP: commands can neither signal, trace nor read it, and
each of them runs as uid 1000 without any capability. Otherwise the init has the caller's own uid and none.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import shlex
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

SPOOL = "/dev/icae"
CONTROL = "ctl"
NO_TOOLS = 97
"""Exit code of an init whose image lacks a program it needs."""

INIT = """\
PATH=/usr/sbin:/usr/bin:/sbin:/bin
again=$1
for p in mkfifo setsid setpriv env; do type -P "$p" >/dev/null || exit 97; done
cd /dev/icae || exit 98
[ -p ctl ] || mkfifo -m 600 ctl || exit 98
exec 3<>ctl >/dev/null 2>&1 </dev/null || exit 98
trap 'exec -a icae-init /bin/bash --norc --noprofile -c "$again" icae-init "$again"' EXIT
set -m
while :; do
  read -r n <&3 || continue
  { trap - EXIT; [ -p "$n.s" ] || exit; exec 9<>"$n.s" 3>&-; . "./$n"; } &
done
"""
"""The init. It runs itself anew when bash gives up, which it does when it cannot fork for want of processes."""

_DROP = "setpriv --reuid={uid} --regid={gid} --clear-groups --bounding-set=-all --inh-caps=-all "
_KILLED_FIRST = 500
"""What commands add to their badness when memory runs out, so that the init is never the one to go."""
_TIOCGPTN, _TIOCSPTLCK = 0x80045430, 0x40045431
_SUFFIXES = ("", ".s", ".p", ".i", ".o", ".e")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


def init_command() -> list[str]:
    """Return the command of a container whose init serves a spool; its environment is empty."""
    return ["/usr/bin/env", "-i", "/bin/bash", "--norc", "--noprofile", "-c", INIT, "icae-init", INIT]


class Spool:
    """The host's end of one container's spool; safe to use from many threads."""

    def __init__(
        self, folder: int, terminals: int, control: int, *, uid: int, gid: int, drop: bool, tag: str
    ) -> None:
        self._folder, self._terminals, self._control = folder, terminals, control
        self._uid, self._gid, self._drop, self._tag = uid, gid, drop, tag
        self._serial = itertools.count(1)

    @classmethod
    def open(cls, init: int, *, uid: int, gid: int, drop: bool, tag: str, wait: float = 10.0) -> Spool:
        """Open the spool of the container whose init is the host's process ``init``.

        Args:
            init: Process number on the host.
            uid: User that commands run as.
            gid: Group that commands run as.
            drop: Whether the init is root, so that commands have to change their user.
            tag: Prefix of this client's job names, unlike any other client's.
            wait: Seconds to wait for the init to get ready.

        Raises:
            OSError: The process is gone, or does not get ready in time.
        """
        root = f"/proc/{init}/root"
        folder = os.open(root + SPOOL, _FOLDER)
        try:
            terminals = os.open(root + "/dev/pts", _FOLDER)
        except OSError:
            os.close(folder)
            raise
        deadline = time.monotonic() + wait
        while True:
            try:
                # Read and write: a FIFO then opens at once, whether or not the init is there yet.
                control = os.open(
                    CONTROL, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder
                )
                return cls(folder, terminals, control, uid=uid, gid=gid, drop=drop, tag=tag)
            except OSError:
                if time.monotonic() > deadline or not os.path.exists(root):  # noqa: PTH110 - standard library only, and fast
                    os.close(folder)
                    os.close(terminals)
                    raise
            time.sleep(0.0005)

    def close(self) -> None:
        """Release the descriptors; a second call does nothing."""
        for fd in (self._folder, self._terminals, self._control):
            if fd >= 0:
                os.close(fd)
        self._folder = self._terminals = self._control = -1

    def start(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, stdin: bytes = b"") -> Started:
        """Start a command with its output on FIFOs.

        Args:
            argv: Program and arguments.
            env: The whole environment.
            cwd: Folder to start in.
            stdin: All of its standard input.

        Raises:
            OSError: The spool is gone or full.
        """
        name = f"{self._tag}{next(self._serial)}"
        with contextlib.ExitStack() as undo:
            undo.callback(self.forget, name)
            status, out, err = (self._fifo(undo, name + suffix) for suffix in (".s", ".o", ".e"))
            source = "/dev/null"
            if stdin:
                source = f"{name}.i"
                self._write(source, stdin, mode=0o666)  # a command may open /dev/stdin, which is this file
            ready = f"[ -p {name}.o ] && [ -p {name}.e ] || exit 126"
            streams = f"exec <{source} >{name}.o 2>{name}.e || exit 126"
            self._submit(name, f"{ready}\n{streams}", "setsid ", _words(argv, env, cwd))
            undo.pop_all()
        return Started(name, status, (out, err))

    def start_on_terminal(
        self, argv: Sequence[str], env: Mapping[str, str], cwd: str, *, rows: int, columns: int
    ) -> Started:
        """Start a command as session leader on a new pseudo-terminal, whose host side is the one descriptor returned."""
        name = f"{self._tag}{next(self._serial)}"
        with contextlib.ExitStack() as undo:
            undo.callback(self.forget, name)
            master = os.open("ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=self._terminals)
            undo.callback(os.close, master)
            (number,) = struct.unpack("I", fcntl.ioctl(master, _TIOCGPTN, bytes(4)))
            if self._drop:  # the init opens it by its group, the command owns it
                os.chown(str(number), self._uid, 0, dir_fd=self._terminals, follow_symlinks=False)
                os.chmod(str(number), 0o660, dir_fd=self._terminals)
            fcntl.ioctl(master, _TIOCSPTLCK, struct.pack("i", 0))
            resize(master, rows, columns)
            status = self._fifo(undo, name + ".s")
            self._submit(
                name,
                f"exec <>/dev/pts/{number} >&0 2>&0 || exit 126",
                "setsid --ctty ",
                _words(argv, env, cwd),
            )
            undo.pop_all()
        return Started(name, status, (master,))

    def inner_number(self, name: str) -> int | None:
        """Return a job's process number inside the container, or None when it has not begun."""
        try:
            fd = os.open(name + ".p", _READ, dir_fd=self._folder)
        except OSError:
            return None
        with os.fdopen(fd, "rb") as file:
            text = file.read(32).strip()
        return int(text) if text.isdigit() else None

    def forget(self, name: str) -> None:
        """Remove a job's files; a job that has not begun by then never begins."""
        for suffix in _SUFFIXES:
            with contextlib.suppress(OSError):
                os.unlink(name + suffix, dir_fd=self._folder)

    def _fifo(self, undo: contextlib.ExitStack, name: str) -> int:
        os.mkfifo(name, 0o600, dir_fd=self._folder)
        # A command may open /dev/stderr, which is this FIFO; the folder keeps its name from other commands.
        if self._drop:
            os.chmod(name, 0o666, dir_fd=self._folder)
        fd = os.open(name, _READ, dir_fd=self._folder)
        undo.callback(os.close, fd)
        return fd

    def _write(self, name: str, content: bytes, *, mode: int = 0o600) -> None:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=self._folder)
        with os.fdopen(fd, "wb") as file:
            os.fchmod(fd, mode)
            file.write(content)

    def _submit(self, name: str, streams: str, session: str, words: Sequence[str]) -> None:
        drop = _DROP.format(uid=self._uid, gid=self._gid) if self._drop else ""
        script = (
            f"( {streams}\necho {_KILLED_FIRST} >/proc/self/oom_score_adj\necho $BASHPID >{name}.p\nexec 9>&-\n"
            f"exec {session}{drop}env {shlex.join(words)} )\necho $? >&9\n"
        )
        self._write(name, os.fsencode(script))
        os.write(self._control, name.encode() + b"\n")


class Started(NamedTuple):
    """One command started through a spool, with the host's ends of its FIFOs."""

    name: str
    status: int
    """Gives the exit code as decimal text; end of file when what waited for it was killed too."""
    streams: tuple[int, ...]
    """Standard output and error, or the terminal."""


def resize(terminal: int, rows: int, columns: int) -> None:
    """Give a terminal its size in characters."""
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def _words(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> list[str]:
    """Return env's arguments. It runs after the privileges are gone: no PATH or LD_PRELOAD of a command ever reaches the init."""
    words = ["-i", "-C", cwd, *(f"{key}={value}" for key, value in env.items())]
    if "=" in argv[0]:  # env would take it for a variable
        words += ["/bin/bash", "-c", 'exec "$0" "$@"']
    return words + list(argv)
