"""Find out whether a running program waits for input.

The client must not read from its standard input what the program never reads: in ``while read line; do ./executable "$line"; done``
the loop's own lines are there. Nobody can see that a pipe has a waiting reader; but the kernel says which call a process sleeps in.
"""

from __future__ import annotations

import os
import platform

_READING: dict[str, frozenset[bytes]] = {
    # read, poll, readv, select, epoll_wait, pselect6, ppoll, splice, epoll_pwait, epoll_pwait2, sendfile, recvfrom
    "x86_64": frozenset(b"0 7 19 23 232 270 271 275 281 441 40 45".split()),
    # read, readv, sendfile, pselect6, ppoll, splice, epoll_pwait, epoll_pwait2, recvfrom
    "aarch64": frozenset(b"63 65 71 72 73 76 22 441 207".split()),
}
_CALLS = _READING.get(platform.machine(), frozenset())
_PLACES = (b"read", b"poll", b"select", b"wait_woken", b"splice", b"recv")
_MOST = 64
"""Processes and threads looked at."""


def waits_for_input(pid: int) -> bool:
    """Return whether any thread of a process or its descendants sleeps in a call that reads or waits for data.

    Where that cannot be told, it is taken to be so.

    Args:
        pid: The host's number of the process.
    """
    if not _CALLS or pid <= 0:
        return True
    pending, looked = [str(pid)], 0
    while pending and looked < _MOST:
        process = pending.pop()
        try:
            threads = os.listdir(f"/proc/{process}/task")  # noqa: PTH208 - quicker
        except OSError:
            continue
        for thread in threads[:_MOST]:
            looked += 1
            folder = f"/proc/{process}/task/{thread}"
            try:
                if _reads(folder):
                    return True
                pending += _read(f"{folder}/children").decode().split()
            except OSError:
                continue
    return False


def _reads(folder: str) -> bool:
    """Return whether a thread sleeps in a call that reads; without root, the kernel's own place of sleep has to do."""
    try:
        return _read(f"{folder}/syscall").partition(b" ")[0] in _CALLS
    except PermissionError:
        asleep = _read(f"{folder}/stat").rpartition(b")")[2].split()[0] == b"S"
        place = _read(f"{folder}/wchan")
        return asleep and (place in (b"", b"0") or any(word in place for word in _PLACES))


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)
