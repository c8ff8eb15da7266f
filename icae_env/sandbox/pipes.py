"""Collect what a started process prints until it ends, within a time and a size limit."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

from icae_env.sandbox.base import Completed
from icae_env.sandbox.launch.client import Child

_DRAIN = 0.2
"""Seconds after the end in which what is already in the pipes is still read."""


class _Stream:
    def __init__(self, fd: int, limit: int) -> None:
        self.fd, self.limit = fd, limit
        self.parts: list[bytes] = []
        self.kept = 0
        self.dropped = False

    def take(self) -> bool:
        """Read once; return False at end of file or when nothing is there."""
        try:
            part = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return False
        room = self.limit - self.kept
        if len(part) > room:
            self.dropped = True
        if room > 0:
            self.parts.append(part[:room])
            self.kept += len(part[:room])
        return bool(part)


def collect(
    child: Child, stdout: int, stderr: int, *, timeout: float, output_limit: int, kill: Callable[[], None]
) -> Completed:
    """Read both pipes until ``child`` ends or its time is up.

    Args:
        child: The started process.
        stdout: Our end of its standard output; it stays open.
        stderr: Our end of its standard error; it stays open.
        timeout: Seconds; then ``kill`` is called.
        output_limit: Bytes kept of each stream; the rest is read and dropped, so that the process does not block.
        kill: Ends the process and all that belongs to it.
    """
    begun = time.monotonic()
    streams = {fd: _Stream(fd, output_limit) for fd in (stdout, stderr)}
    poller = select.poll()
    for fd in streams:
        os.set_blocking(fd, False)
        poller.register(fd, select.POLLIN)
    poller.register(child.status_fd, select.POLLIN)
    timed_out = ended = False
    while not ended:
        left = begun + timeout - time.monotonic()
        events = poller.poll(max(left, 0.0) * 1000)
        for fd, _ in events:
            if fd == child.status_fd:
                ended = True
            elif not streams[fd].take():
                poller.unregister(fd)
        if not ended and left <= 0:  # even while there is output: a flood must not put off the end
            timed_out = ended = True
            kill()
    code = child.wait(10.0)
    _drain(list(streams.values()))
    out, err = streams[stdout], streams[stderr]
    return Completed(
        exit_code=124 if timed_out else (137 if code is None else code),
        stdout=b"".join(out.parts), stderr=b"".join(err.parts),
        timed_out=timed_out, truncated=out.dropped or err.dropped, seconds=time.monotonic() - begun,
    )  # fmt: skip


def _drain(streams: list[_Stream]) -> None:
    deadline = time.monotonic() + _DRAIN
    for stream in streams:
        while time.monotonic() < deadline and stream.take():
            pass
