"""Name the process that something belongs to, so that what a killed one left can be told from what is in use."""

from __future__ import annotations

import os
from pathlib import Path

OWNER_LABEL = "icae_env.owner"
"""Label of every container: ``<pid>:<start time in clock ticks since boot>`` of the process it belongs to."""


def start_time(pid: int) -> str | None:
    """Return a process's start time in clock ticks since boot, or None when there is no such process (or a zombie)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name may hold spaces and brackets; what counts follows its last bracket.
    state, *fields = text.rpartition(")")[2].split()
    return None if state in "ZX" else fields[18]


def owner(pid: int | None = None) -> str:
    """Return the label's value for a process; None means this one."""
    number = pid or os.getpid()
    return f"{number}:{start_time(number)}"


def alive(label: str) -> bool:
    """Return whether the process a label names still runs; a number given to another process meanwhile does not count."""
    pid, _, started = label.partition(":")
    return pid.isdigit() and start_time(int(pid)) == started
