"""Find and kill processes by their relations, read from the host's /proc.

Numbers are those of the host's PID namespace. A process may end between being seen and being killed, and its number may be used
again; a pidfd is opened first and the relation checked again before the signal is sent.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from typing import NamedTuple

_ROUNDS = 50


class ProcessInfo(NamedTuple):
    """What ``/proc/PID/stat`` says of one process."""

    pid: int
    parent: int
    group: int
    session: int
    foreground: int
    """Process group in the foreground of its terminal, -1 without one."""
    start: int
    """Start time in clock ticks since boot; with the number it names a process for good."""


def info(pid: int) -> ProcessInfo | None:
    """Return a process's relations, or None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return ProcessInfo(pid, int(fields[1]), int(fields[2]), int(fields[3]), int(fields[5]), int(fields[19]))


def everything() -> list[ProcessInfo]:
    """Return the relations of every process that can be seen."""
    found = (info(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return [each for each in found if each is not None]


def descendants(roots: set[int], processes: list[ProcessInfo]) -> set[int]:
    """Return the numbers of all children, grandchildren ... of ``roots``, without the roots."""
    children: dict[int, list[int]] = {}
    for each in processes:
        children.setdefault(each.parent, []).append(each.pid)
    found: set[int] = set()
    pending = list(roots)
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in found and child not in roots:
                found.add(child)
                pending.append(child)
    return found


def kill(process: ProcessInfo, number: int = signal.SIGKILL) -> None:
    """Send a signal to exactly this process; nothing happens when it is gone."""
    with contextlib.suppress(OSError):
        pidfd = os.pidfd_open(process.pid)
        try:
            now = info(process.pid)
            if now is not None and now.start == process.start:
                signal.pidfd_send_signal(pidfd, number)
        finally:
            os.close(pidfd)


def _kill_matching(select: Callable[[list[ProcessInfo]], set[int]]) -> None:
    """Stop all that match until no new ones appear, then kill them: what is stopped cannot fork away from the signal."""
    stopped: dict[int, ProcessInfo] = {}
    for _ in range(_ROUNDS):
        processes = everything()
        victims = select(processes)
        fresh = [each for each in processes if each.pid in victims and stopped.get(each.pid) != each]
        if not fresh:
            break
        for each in fresh:
            stopped[each.pid] = each
            kill(each, signal.SIGSTOP)
    for each in stopped.values():
        kill(each)


def kill_session(leader: int) -> None:
    """Kill a session leader, all in its session and all their descendants."""

    def select(processes: list[ProcessInfo]) -> set[int]:
        members = {each.pid for each in processes if leader in (each.session, each.pid)}
        return members | descendants(members, processes)

    _kill_matching(select)


def kill_foreground(leader: int) -> None:
    """Kill the foreground process group of a session leader's terminal and its descendants, but not the leader."""

    def select(processes: list[ProcessInfo]) -> set[int]:
        shell = info(leader)
        if shell is None or shell.foreground <= 0:
            return set()
        members = {
            each.pid for each in processes if each.group == shell.foreground and each.session == shell.session
        }
        return (members | descendants(members - {leader}, processes)) - {leader}

    _kill_matching(select)


def kill_namespace(init: int) -> None:
    """Kill everything in the PID namespace of ``init`` but the init itself."""
    inside = _namespace(init)

    def select(processes: list[ProcessInfo]) -> set[int]:
        return {each.pid for each in processes if each.pid != init and _namespace(each.pid) == inside}

    if inside is not None:
        _kill_matching(select)


def _namespace(pid: int) -> tuple[int, int] | None:
    try:
        found = os.stat(f"/proc/{pid}/ns/pid")
    except OSError:
        return None
    return found.st_dev, found.st_ino


def interrupt_foreground(leader: int) -> None:
    """Send SIGINT to the foreground process group of a session leader's terminal."""
    shell = info(leader)
    if shell is not None and shell.foreground > 0:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.foreground, signal.SIGINT)
