"""A memory limit for one bubblewrap sandbox, by a control group written by hand (cgroup v1 or v2).

As root on v1 and v2, and without root where the caller's own v2 group is delegated to it with the memory controller. Elsewhere no
group can be made; the sandbox then limits each process's data segment instead and says so.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from functools import cache
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_serial = itertools.count()


class MemoryGroup:
    """One control group with a memory limit in bytes."""

    def __init__(self, path: Path, version: int) -> None:
        self.path, self._version = path, version
        self._events = -1

    @property
    def procs(self) -> str:
        """The file a process writes its number to in order to join."""
        return str(self.path / "cgroup.procs")

    def join(self, pid: int) -> None:
        """Move a process into the group.

        Raises:
            OSError: It is gone.
        """
        with open(self.procs, "wb", buffering=0) as procs:  # noqa: PTH123 - unbuffered, for each sandbox
            procs.write(b"%d" % pid)

    def killed(self) -> bool:
        """Return whether the kernel has killed a process in the group for want of memory."""
        name = "memory.events" if self._version == 2 else "memory.oom_control"
        with contextlib.suppress(OSError):
            if self._events < 0:  # kept open, for this is asked after every command
                self._events = os.open(self.path / name, os.O_RDONLY | os.O_CLOEXEC)
            for line in os.pread(self._events, 4096, 0).splitlines():
                key, _, value = line.partition(b" ")
                if key == b"oom_kill":
                    return int(value) > 0
        return False

    def remove(self) -> None:
        """Remove the group; its processes must have ended or be ending."""
        if self._events >= 0:
            os.close(self._events)
            self._events = -1
        for _ in range(100):
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.001)
            else:
                return


@cache
def parent() -> tuple[Path, int] | None:
    """Return the directory to make groups in and the cgroup version, or None where that is impossible."""
    for candidate, version in _candidates():
        with contextlib.suppress(OSError):
            candidate.mkdir(exist_ok=True)
            if version == 2:
                _enable_memory(candidate)
            probe = candidate / f"probe-{os.getpid()}"
            probe.mkdir()
            usable = (probe / _limit_name(version)).exists() and os.access(probe / "cgroup.procs", os.W_OK)
            probe.rmdir()
            if usable:
                return candidate, version
    return None


def _candidates() -> list[tuple[Path, int]]:
    if (_ROOT / "cgroup.controllers").exists():  # unified hierarchy
        own = _own_group()
        places = [_ROOT / "icae_env"] if os.geteuid() == 0 else []
        if own is not None:
            places.append(own.parent / "icae_env")
        return [(place, 2) for place in places]
    return [(_ROOT / "memory" / "icae_env", 1)] if os.geteuid() == 0 else []


def _own_group() -> Path | None:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            if line.startswith("0::/") and len(line) > 4:
                return _ROOT / line[4:]
    return None


def _enable_memory(group: Path) -> None:
    for place in (group.parent, group):
        with contextlib.suppress(OSError):
            (place / "cgroup.subtree_control").write_text("+memory")


def _limit_name(version: int) -> str:
    return "memory.max" if version == 2 else "memory.limit_in_bytes"


def make(limit: int) -> MemoryGroup | None:
    """Make a group with a memory limit in bytes, or return None where none can be made."""
    place = parent()
    if place is None:
        return None
    folder, version = place
    group = MemoryGroup(folder / f"{os.getpid()}-{next(_serial)}", version)
    try:
        group.path.mkdir()
        (group.path / _limit_name(version)).write_text(str(limit))
        swap = group.path / ("memory.swap.max" if version == 2 else "memory.memsw.limit_in_bytes")
        if swap.exists():
            swap.write_text("0" if version == 2 else str(limit))
    except OSError:
        group.remove()
        return None
    return group
