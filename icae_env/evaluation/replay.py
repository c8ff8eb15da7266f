"""Run a submission on cases in fresh sandboxes and bring back what it printed.

What enters a sandbox is the submission and the inputs, never an expectation. An error of type SandboxError
is the host's fault and makes the case ``infra``; everything else that goes wrong inside (crash, hang, full
disk, killed processes) is the submission's own and costs only the cases it concerns.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.errors import SandboxError
from icae_env.evaluation.submission import Submission
from icae_env.sandbox.base import MIB, Backend, Completed, Sandbox, SandboxConfig
from icae_env.tasks.models import Case, Comparison, TaskLimits

OUTPUT_LIMIT = 4 * MIB
"""Bytes of one case's output at most; a larger one counts as missing."""
_LEAST_LIMIT = 64 * 1024


class Answer(BaseModel):
    """What a submission gave for one case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["output", "missing", "refused", "timeout", "not_run", "infra"]
    """``refused``: there is something, but it is no acceptable output (a link, a FIFO, too large). ``not_run``: there is
    nothing to run."""
    output: bytes = b""
    """Standard output, where the kind is ``output``."""
    detail: str = ""
    seconds: float | None = None
    """Wall time where the case ran alone."""


@dataclass(frozen=True)
class Replay:
    """What all runs of one evaluation share."""

    backend: Backend
    config: SandboxConfig
    submission: Submission
    limits: TaskLimits
    comparison: Comparison
    workers: int
    """Sandboxes at the same time."""
    _live: dict[int, Sandbox] = field(default_factory=dict, repr=False)

    @contextmanager
    def tracked(self, sandbox: Sandbox) -> Iterator[None]:
        """Let ``interruptible`` know of a sandbox while it runs."""
        self._live[id(sandbox)] = sandbox
        try:
            yield
        finally:
            self._live.pop(id(sandbox), None)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """End what runs in the tracked sandboxes when the body is interrupted, so that its threads end."""
        try:
            yield
        except BaseException:
            for sandbox in tuple(self._live.values()):
                with suppress(SandboxError):
                    sandbox.kill_all()
            raise


def each_case(
    work: Callable[[Case], Answer], cases: Sequence[Case], *, workers: int, seconds: float | None = None
) -> dict[str, Answer]:
    """Run ``work`` on every case in a few threads and return the answers by case id.

    After the first host failure, and after ``seconds``, no further case is started: those left are ``infra``
    or ``timeout``.

    Args:
        work: Answers one case; a SandboxError becomes an ``infra`` answer.
        cases: In the order in which they are started.
        workers: Threads.
        seconds: Wall time within which cases are started.
    """
    broken = threading.Event()
    deadline = None if seconds is None else time.monotonic() + seconds

    def guarded(case: Case) -> Answer:
        if broken.is_set():
            return Answer(kind="infra", detail="not run: the host had failed before")
        if deadline is not None and time.monotonic() >= deadline:
            return Answer(kind="timeout", detail=f"not run: the cases before it took {seconds:g} s in all")
        try:
            return work(case)
        except SandboxError as error:
            broken.set()
            return Answer(kind="infra", detail=str(error))
        except BaseException:
            broken.set()
            raise

    with ThreadPoolExecutor(max_workers=max(1, min(workers, len(cases)))) as pool:
        try:
            answers = list(pool.map(guarded, cases))
        except BaseException:
            broken.set()  # an interrupt must not wait for all the cases that are queued
            raise
    return {case.id: answer for case, answer in zip(cases, answers, strict=True)}


def output_limit(case: Case) -> int:
    """Return the bytes of a case's output that are kept; no longer one can be right by any comparison.

    All outputs are held until they are compared, so hundreds of large wrong ones would fill the host's memory.
    """
    # Twice the bytes allow for CRLF, and a character has up to four.
    return min(OUTPUT_LIMIT, max(_LEAST_LIMIT, 8 * len(case.expected_output)))


def all_missing(cases: Sequence[Case], detail: str) -> dict[str, Answer]:
    """Return a ``missing`` answer for every case."""
    return {case.id: Answer(kind="missing", detail=detail) for case in cases}


def misfit(error: OSError) -> str | None:
    """Return why a submission does not fit into a sandbox's bounded workspace, or None where the host is to blame.

    Sparse files and hard links make a submission larger than the workspace it was taken from, so this is its own affair.
    """
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENAMETOOLONG):
        return None
    return f"the submission does not fit into a sandbox: {os.strerror(error.errno)}"


def ending(done: Completed) -> str:
    """Return how a command ended, with the last line it complained with."""
    last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
    return f"exit code {done.exit_code}" + (f", standard error ends: {last}" if last else "")
