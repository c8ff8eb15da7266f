"""pexpect over a descriptor that somebody else owns, with bounded memory."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from pexpect import EOF, fdpexpect

if TYPE_CHECKING:
    _Spawn = fdpexpect.fdspawn[bytes]
else:  # generic in the stubs alone
    _Spawn = fdpexpect.fdspawn

_NOISE = 1 << 20
"""Bytes of unmatched terminal output kept; a mark is far shorter."""


class TtyStream(_Spawn):
    """Expect marks in a terminal's byte stream."""

    _before: BytesIO

    def __init__(self, fd: int) -> None:
        """Watch ``fd``; closing it stays its owner's business."""
        super().__init__(fd, timeout=None, maxread=65_536, searchwindowsize=8192, use_poll=True)
        self.delaybeforesend = None
        self.ended = False

    def send_line(self, line: str) -> None:
        """Send one line; a terminal that has gone away is noticed by the next expect."""
        try:
            self.send(line.encode("utf-8", "surrogateescape") + b"\n")
        except OSError:
            self.ended = True

    def read_nonblocking(self, size: int = 1, timeout: float | None = -1) -> bytes:
        """Read as pexpect does, but forget old output that nothing waits for."""
        if self._before.tell() > _NOISE:
            self._before = BytesIO()
        try:
            data: bytes = super().read_nonblocking(size, timeout)
        except (EOF, OSError):
            self.ended = True
            raise EOF("the terminal is closed") from None
        return data

    def isalive(self) -> bool:
        """Return True: liveness is judged by the process, not by the descriptor."""
        return True
