"""What a call of a companion's program leaves behind: processes and files (runs in its init; standard library only)."""

import base64
import json
import os
import signal
import stat

_MOST_BYTES = 1 << 20
"""Of all contents together."""


def kill_all() -> None:
    """Kill every process but the init, whatever it did to detach."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_session(leader: int) -> None:
    """Kill what is left of the session of a process that has ended, while other calls run."""
    for name in os.listdir("/proc"):
        if name.isdigit() and _session(name) == leader:
            try:
                os.kill(int(name), signal.SIGKILL)
            except ProcessLookupError:
                pass


def _session(name: str) -> int:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[3])
    except OSError:
        return -1


def changes(root: str, since: int, until: int, *, most: int, size: int):
    """Return the regular files below a folder that were changed within a time, and a memory file with what they hold.

    Args:
        root: The folder.
        since: Nanoseconds, as the file system's clock has them.
        until: And the last.
        most: Entries looked at; what comes after them is left out.
        size: Bytes of a file's content that are returned; a longer file is named without its content.
    """
    found: dict[str, str | None] = {}
    pending = [root]
    left, room = most, _MOST_BYTES
    while pending and left > 0:
        try:
            entries = os.scandir(pending.pop())
        except OSError:
            continue
        with entries:
            for entry in entries:
                left -= 1
                if left <= 0:
                    break
                try:
                    info = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISDIR(info.st_mode):
                    pending.append(entry.path)
                elif stat.S_ISREG(info.st_mode) and since <= info.st_ctime_ns <= until:
                    found[entry.path] = content = _content(entry.path, min(size, room))
                    room -= len(content or "")
    memory = os.memfd_create("changes", os.MFD_CLOEXEC)
    with open(os.dup(memory), "wb") as file:
        file.write(json.dumps(found).encode())
    return {}, [memory]


def _content(path: str, size: int) -> str | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or os.fstat(fd).st_size > size:
            return None
        return base64.b64encode(os.pread(fd, size, 0)).decode()
    finally:
        os.close(fd)
