"""Make a used container as good as new, or find that it cannot be.

A container costs 100 ms to start and 60 to remove, a case often takes 5. What a command can leave behind is its processes, what it
wrote to the writable folders, System V and POSIX message queues and shared memory, and sockets that linger after their process:
the first two are removed, the last two looked for. The init is out of reach of any command when root started the container;
otherwise it is not, and nothing is ever used twice.
"""

from __future__ import annotations

import ctypes
import os
import threading
from itertools import pairwise
from pathlib import Path

from icae_env.sandbox.docker.container import Container
from icae_env.sandbox.docker.limits import identity, mode, writable_places

_CLONE_NEWIPC = 0x08000000
_QUEUES = "/dev/mqueue"
_DOCKERS = ("/dev/shm", _QUEUES)
_IPC = ("/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg")
_SOCKETS = ("inuse", "tw")  # in use; closed, but holding their port for another minute


def wipe(container: Container) -> bool:
    """Remove all that commands left in a container.

    Returns:
        Whether it may be used again; if not, the caller destroys it.
    """
    if os.geteuid() != 0 or container.config.network:
        return False
    if not container.alive() or not container.processes.kill_all(patience=2.0):
        return False
    try:
        for place in (*writable_places(container.config.limits), _QUEUES):
            _empty(container, place)
    except OSError:
        return False
    return not _lingers(container)


def _empty(container: Container, place: str) -> None:
    uid, gid = identity()
    fd = os.open(
        f"/proc/{container.init}/root{place}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    )
    try:
        if place not in _DOCKERS:  # those are root's, so that no command can have changed them
            os.fchown(fd, uid, gid)
            os.fchmod(fd, mode(place))
        for name in os.listxattr(fd) if place != _QUEUES else ():
            os.removexattr(fd, name)
        for entry in os.listdir(fd):  # noqa: PTH208 - by descriptor
            container.files.remove(f"{place}/{entry}")
        if os.listdir(fd):  # noqa: PTH208
            raise OSError(f"{place} could not be emptied")
    finally:
        os.close(fd)


def _lingers(container: Container) -> bool:
    # The tables of sockets themselves take milliseconds to read: they are the host's, filtered.
    for name in ("sockstat", "sockstat6"):
        statistics = Path(f"/proc/{container.init}/net/{name}")
        words = statistics.read_text().split() if statistics.exists() else []
        if any(key in _SOCKETS and count != "0" for key, count in pairwise(words)):
            return True
    return _system_v_objects(container.init)


def _system_v_objects(init: int) -> bool:
    """Return whether the container holds System V memory, semaphores or queues, or whether that cannot be seen.

    The kernel shows them to a thread of that IPC namespace only; a thread may join one for itself.
    """
    found = [True]

    def look() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        namespace = os.open(f"/proc/{init}/ns/ipc", os.O_RDONLY | os.O_CLOEXEC)
        try:
            if libc.setns(namespace, _CLONE_NEWIPC) == 0:
                found[0] = any(Path(table).read_bytes().count(b"\n") > 1 for table in _IPC)
        finally:
            os.close(namespace)

    thread = threading.Thread(target=look, name="icae-docker-ipc")  # it ends in that namespace
    thread.start()
    thread.join()
    return found[0]
