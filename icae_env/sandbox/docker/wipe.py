"""Make a used container as good as new, or find that it cannot be.

A container costs 100 ms to start and 60 to remove, a case often takes 5. What a command can leave behind is its processes, what it
wrote to the writable folders, System V and POSIX message queues and shared memory, and sockets that linger after their process:
the first two are removed, the last two looked for. The init is out of reach of any command when root started the container;
otherwise it is not, and nothing is ever used twice.
"""

from __future__ import annotations

import os
from pathlib import Path

from icae_env.sandbox.base import BASE_ENV
from icae_env.sandbox.docker.container import Container
from icae_env.sandbox.docker.limits import identity, mode, writable_places
from icae_env.sandbox.docker.run import run_in

_QUEUES = "/dev/mqueue"
_DOCKERS = ("/dev/shm", _QUEUES)
_IPC = ("/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg")
_SOCKETS = ("tcp", "tcp6", "udp", "udp6", "raw", "raw6", "udplite", "udplite6")


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
    for name in _SOCKETS:
        table = Path(f"/proc/{container.init}/net/{name}")
        if table.exists() and table.read_bytes().count(b"\n") > 1:
            return True
    # Only a process of the container sees its System V objects: one header line each when there is none.
    seen = run_in(
        container, ["cat", *_IPC], stdin=b"", env=BASE_ENV, cwd="/", timeout=10.0, output_limit=1 << 16
    )
    return seen.exit_code != 0 or seen.stdout.count(b"\n") != len(_IPC)
