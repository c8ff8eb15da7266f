"""What the client in the workspace and the server say to each other over a socket (see ``client.c``).

The client sends ``ICAE``, a length and that many bytes: flags, the signals it ignores, the size of its screen, and strings that end
in NUL: its directory, its kind of terminal, its arguments. A file or /dev/null that is its standard input comes along as a
descriptor. The answer is ``G``, a set of pipes and the pipes themselves. Then messages of 4 bytes go to the client (``I``: standard
input is wanted; ``X``: how it ended) and messages of 6 bytes to the server (``S``: a signal; ``W``: another size of the screen).
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import stat
import struct
import time
from typing import NamedTuple

from icae_env.sandbox.launch.messages import receive

IN_TTY, OUT_TTY, ERR_TTY, SAME, FILE_IN, NO_IN, KEYS = (1 << n for n in range(7))
SIGNALS = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
)  # fmt: skip
"""Those that are passed on."""
_SIGNALS = (signal.SIGPIPE, *SIGNALS)
INPUT, OUT, ERR, SCREEN, TYPED = range(5)
"""Pipes, in the order in which they are passed."""
_HEADER = struct.Struct("<4sI")
_FACTS = struct.Struct("<BBHH")
_MOST_BYTES = 2_200_000
"""Of a request: what the kernel lets a program be started with, and a little."""
_NULL_DEVICE = os.makedev(1, 3)


class ForgedError(Exception):
    """What came is not what the client sends."""


class Request(NamedTuple):
    """A call as the client tells it."""

    flags: int
    ignored: tuple[int, ...]
    """Signals that the client was started to ignore."""
    rows: int
    columns: int
    cwd: bytes
    term: bytes
    argv: tuple[bytes, ...]
    stdin: int
    """A descriptor, which belongs to the receiver; -1: none came along."""

    @property
    def terminal(self) -> bool:
        """Whether any of its streams is a terminal."""
        return bool(self.flags & (IN_TTY | OUT_TTY | ERR_TTY))


def receive_request(connection: socket.socket, seconds: float) -> Request:
    """Read a request, all of it within some seconds.

    Raises:
        ForgedError: It is not one.
        OSError: It did not come.
    """
    deadline = time.monotonic() + seconds
    connection.settimeout(seconds)
    first, fds = receive(connection, _HEADER.size)
    try:
        length = _length(first + _more(connection, _HEADER.size - len(first), deadline))
        return _parse(_more(connection, length, deadline), fds)
    except BaseException:
        for fd in fds:
            os.close(fd)
        raise


def _length(header: bytes) -> int:
    mark, length = _HEADER.unpack(header)
    if mark != b"ICAE" or not _FACTS.size < length <= _MOST_BYTES:
        raise ForgedError("no request")
    return int(length)


def _more(connection: socket.socket, length: int, deadline: float) -> bytes:
    body = bytearray()
    while len(body) < length:
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        part = connection.recv(min(length - len(body), 1 << 16))
        if not part:
            raise ForgedError("it ended too early")
        body += part
    return bytes(body)


def _parse(body: bytes, fds: list[int]) -> Request:
    flags, mask, rows, columns = _FACTS.unpack_from(body)
    words = body[_FACTS.size :].split(b"\0")
    if len(words) < 4 or words[-1] != b"":
        raise ForgedError("its strings are incomplete")
    if len(fds) != bool(flags & FILE_IN) or (fds and not _is_harmless(fds[0])):
        raise ForgedError("its standard input is not what it says")
    cwd, term, *argv = words[:-1]
    ignored = tuple(number for bit, number in enumerate(_SIGNALS) if mask & 1 << bit)
    return Request(flags, ignored, rows, columns, cwd, term, tuple(argv), fds[0] if fds else -1)


def _is_harmless(fd: int) -> bool:
    """Return whether a descriptor is a file or /dev/null, opened for reading alone."""
    info = os.fstat(fd)
    kind = stat.S_ISREG(info.st_mode) or (stat.S_ISCHR(info.st_mode) and info.st_rdev == _NULL_DEVICE)
    mode = fcntl.fcntl(fd, fcntl.F_GETFL)
    return kind and mode & os.O_ACCMODE == os.O_RDONLY and not mode & os.O_PATH


def send_pipes(connection: socket.socket, pipes: dict[int, int]) -> None:
    """Give the client its ends of the pipes, which stay the caller's to close."""
    numbers = sorted(pipes)
    mask = sum(1 << number for number in numbers)
    socket.send_fds(connection, [bytes((ord("G"), mask, 0, 0))], [pipes[number] for number in numbers])


def send_wanted(connection: socket.socket) -> None:
    """Tell the client that standard input is wanted."""
    connection.sendall(b"I\0\0\0")


def send_end(connection: socket.socket, code: int) -> None:
    """Tell the client how the program ended: its exit code, or negative, a signal."""
    connection.sendall(bytes((ord("X"), int(code < 0), abs(code) & 0xFF, 0)))
