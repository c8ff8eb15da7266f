"""The probe log: what an agent asked its reference program, kept on the host, one line of JSON for each call."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from icae_env.errors import ConfigError
from icae_env.tasks.program_cases import Data

PROBES_FILE = "probes.jsonl"
"""Name of the log in an episode's folder."""
MOST_BYTES = 64 * 1024
"""Bytes kept of each stream and file of a call."""
MOST_PROBES = 20_000
"""Calls of one episode that are kept; what comes after is counted only."""


class Probe(BaseModel):
    """One call of the reference program."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    index: int
    """From 0, in the order of their beginnings."""
    step: int
    """The action that was carried out when it began, from 1."""
    phase: str = ""
    """Phase of the agent, such as ``spec``; empty where it has none."""
    argv: tuple[Data, ...]
    """With the name it was called by first."""
    cwd: str
    """Directory in the sandbox."""
    stdin: Data = ""
    """What it was given, or typed, up to MOST_BYTES."""
    files: Mapping[str, Data] = Field(default_factory=dict)
    """Files in the workspace, as they were before the call, that its arguments name: path in the workspace -> content."""
    written: Mapping[str, Data | None] = Field(default_factory=dict)
    """Files in the workspace that were made or changed meanwhile, or some milliseconds before, as they were afterwards; None:
    not kept."""
    stdout: Data = ""
    """What it printed, up to MOST_BYTES; on a terminal everything that it printed."""
    stderr: Data = ""
    exit_code: int
    """128 + n after signal n; 124 when its time was up."""
    seconds: float
    terminal: bool = False
    """Whether it ran on a terminal."""
    truncated: bool = False
    """Whether more was read or printed than is kept here."""
    note: str = ""
    """Why it was refused or ended, where the server did that."""


class ProbeLog:
    """The probes of one episode; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[int, Probe] = {}
        self._next = 0
        self.step = 0
        """The action that is carried out now, from 1."""
        self.phase = ""
        """The agent's phase."""

    def take_index(self) -> int:
        """Return the index of a call that begins now."""
        with self._lock:
            self._next += 1
            return self._next - 1

    def add(self, probe: Probe) -> None:
        """Keep a probe, unless there are too many."""
        with self._lock:
            if len(self._kept) < MOST_PROBES:
                self._kept[probe.index] = probe

    @property
    def count(self) -> int:
        """Calls so far, kept or not."""
        return self._next

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The probes that have ended, in the order of their beginnings."""
        with self._lock:
            return tuple(self._kept[index] for index in sorted(self._kept))


def write_probes(file: Path, probes: tuple[Probe, ...]) -> None:
    """Write a log."""
    file.write_text("".join(f"{probe.model_dump_json()}\n" for probe in probes), "utf-8")


def read_probes(file: Path) -> Iterator[Probe]:
    """Yield the probes of a log.

    Raises:
        ConfigError: It cannot be read.
    """
    try:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield Probe.model_validate_json(line)
    except (OSError, ValueError) as error:
        raise ConfigError(f"The probe log cannot be read: {error}.", file=file) from error
