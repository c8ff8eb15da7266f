"""The processes of one container, seen and signalled from the host.

The control group lists them all, whatever they did to hide or to detach. A signal goes through a pidfd whose process is looked up
in the group again after it was opened, so that a reused number can never hit a process of the host.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """One process, numbered as the host does."""

    pid: int
    inner: int
    """Its number inside the container."""
    parent: int
    session: int
    started: int
    """Clock ticks since the host's boot."""


Table = dict[int, Process]


class Processes:
    """The process group of one container."""

    def __init__(self, init: int, container: str) -> None:
        """Find the container's control group.

        Args:
            init: The host's number of its init.
            container: The container's full id.

        Raises:
            OSError: The process is gone, or its control group cannot be seen here.
        """
        self.init, self._container = init, container.encode()
        self._list = _group(init, container)

    def numbers(self) -> list[int]:
        """Return the numbers of all live processes but the init; empty when the container is gone."""
        try:
            listed = Path(self._list).read_bytes().split()
        except OSError:
            return []
        return [pid for pid in map(int, listed) if pid != self.init]

    def table(self) -> Table:
        """Return what runs, zombies and the init left out."""
        found = (_read(pid) for pid in self.numbers())
        return {process.pid: process for process in found if process}

    def signal(self, pid: int, number: int) -> None:
        """Send a signal to one process of the container; nothing happens when it has gone."""
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        try:
            if self._container in Path(f"/proc/{pid}/cgroup").read_bytes():
                signal.pidfd_send_signal(fd, number)
        except (ProcessLookupError, FileNotFoundError):
            pass
        finally:
            os.close(fd)

    def kill(self, choose: Callable[[Table], Iterable[int]], *, patience: float = 5.0) -> bool:
        """Kill the chosen processes until none is left; return whether that succeeded within ``patience`` seconds."""
        deadline = time.monotonic() + patience
        while chosen := list(choose(self.table())):
            for pid in chosen:
                self.signal(pid, signal.SIGKILL)
            if time.monotonic() > deadline:
                return False
            time.sleep(0.0002)
        return True

    def kill_all(self, *, patience: float = 10.0) -> bool:
        """Kill everything but the init, faster than it can multiply; return whether nothing is left."""
        deadline = time.monotonic() + patience
        rounds = 0
        while pids := self.numbers():
            rounds += 1
            if rounds > 20 and not self.table():  # zombies that the init has yet to reap
                return True
            for pid in pids:
                self.signal(pid, signal.SIGKILL)
            if time.monotonic() > deadline:
                return False
            time.sleep(0.0002)
        return True


def leader(table: Table, inner: int) -> Process | None:
    """Return the process that has the number ``inner`` inside."""
    return next((process for process in table.values() if process.inner == inner), None)


def below(table: Table, top: Process) -> set[int]:
    """Return the descendants of a process and the members of its session, itself left out."""
    members = {process.pid for process in table.values() if process.session == top.session}
    return _with_descendants(table, members | {top.pid}) - {top.pid}


def orphans(table: Table, init: int, top: Process) -> set[int]:
    """Return the detached processes that began after ``top`` did, with their descendants.

    What waits for a command is a child of the init too, but in the init's own session.
    """
    loose = {
        process.pid
        for process in table.values()
        if process.parent == init and process.session != init and process.started >= top.started
    }
    return _with_descendants(table, loose)


def _with_descendants(table: Table, pids: set[int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process.pid)
    found, pending = set(pids), list(pids)
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in found:
                found.add(child)
                pending.append(child)
    return found


def _read(pid: int) -> Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        status = Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()
    if fields[0] in (b"Z", b"X"):
        return None
    _, _, after = status.partition(b"\nNSpid:")
    inner = int(after.partition(b"\n")[0].split()[-1])
    return Process(
        pid=pid, inner=inner, parent=int(fields[1]), session=int(fields[3]), started=int(fields[19])
    )


def _group(init: int, container: str) -> str:
    root = Path("/sys/fs/cgroup")
    for line in Path(f"/proc/{init}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if container in path:
            for folder in (root / controllers.removeprefix("name="), root):
                file = folder / path.lstrip("/") / "cgroup.procs"
                if file.exists():
                    return str(file)
    raise FileNotFoundError(f"the control group of container {container[:12]} cannot be seen below {root}")
