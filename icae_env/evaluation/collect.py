"""Read the output files of an ``rcb`` run out of a sandbox, trusting nothing that lies there."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Sequence
from pathlib import PurePosixPath

from icae_env.errors import SandboxDiedError
from icae_env.evaluation.replay import Answer, all_missing, output_limit
from icae_env.evaluation.walk import OUTPUTS
from icae_env.sandbox.base import HOME, WORKSPACE, Files, Sandbox
from icae_env.tasks.models import Case, Suite

_PROBE, _PROBE_SIZE = ".icae-probe", 64 * 1024


def collect(
    sandbox: Sandbox, suite: Suite, cases: Sequence[Case], *, any_index: bool, ended_well: bool
) -> dict[str, Answer]:
    """Return the outputs of some cases that ran as one suite, by case id.

    Args:
        sandbox: Where they ran; every process in it is killed first.
        suite: The suite's directory name.
        cases: In the order of the suite's files; a case's index is its position among those of its stem.
        any_index: Accept any zero padding and count from the lowest index present (upstream's rule), in
            place of exactly ``{stem}@{index:03d}.txt`` from 0.
        ended_well: Whether the command that wrote them exited with 0; if not, the sandbox must prove that it
            was not the host that ended it.

    Raises:
        SandboxDiedError: The sandbox went away during the run or while it was read.
    """
    if sandbox.alive():
        sandbox.kill_all()
        answers = _outputs(sandbox, suite, cases, any_index=any_index)
        complete = ended_well and all(answer.kind == "output" for answer in answers.values())
        if complete or _works(sandbox):
            return answers
    elif _works(sandbox):
        raise SandboxDiedError("The sandbox says that it is gone, and yet it runs commands.")
    return all_missing(cases, "no output: the submission ended its own sandbox")


def _works(sandbox: Sandbox) -> bool:
    """Return whether the sandbox still runs commands; False when what ran inside has ended it.

    A sandbox that the host is just killing loses its processes and files shortly before it counts as dead,
    so a missing output proves nothing until a command has run after it.

    Raises:
        SandboxDiedError: It is gone by the host's doing.
    """
    for pause in (0.0, 0.1, 0.4):
        time.sleep(pause)
        if sandbox.run(["true"], timeout=10.0).exit_code == 0:
            return True
    return False


def _outputs(sandbox: Sandbox, suite: Suite, cases: Sequence[Case], *, any_index: bool) -> dict[str, Answer]:
    folder = WORKSPACE / OUTPUTS / suite
    try:
        problem = _folder_problem(sandbox.files, folder)
        if problem is not None:
            return all_missing(cases, problem)
        names = _names(sandbox.files, folder, cases, any_index=any_index)
        return {case.id: _read(sandbox.files, folder / names[case.id], output_limit(case)) for case in cases}
    except OSError as error:
        return all_missing(cases, f"the outputs cannot be read: {error.strerror}")


def disk_full(sandbox: Sandbox) -> bool:
    """Return whether one of the places a program writes to is full, so that later outputs may be cut or empty."""
    for place in (WORKSPACE, HOME, PurePosixPath("/tmp")):
        probe = place / _PROBE
        try:
            sandbox.files.write(probe, bytes(_PROBE_SIZE))
            sandbox.files.remove(probe)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                return True
    return False


def _folder_problem(files: Files, folder: PurePosixPath) -> str | None:
    for place in (folder.parent.parent, folder.parent, folder):
        try:
            kind = files.stat(place).kind
        except FileNotFoundError:
            return f"no output: {place} does not exist"
        if kind != "directory":
            return f"no output: {place} is a {kind}, not a directory"
    return None


def _names(files: Files, folder: PurePosixPath, cases: Sequence[Case], *, any_index: bool) -> dict[str, str]:
    listed = files.list(folder) if any_index else []
    found: dict[str, dict[int, str]] = {}
    names: dict[str, str] = {}
    position: dict[str, int] = {}
    for case in cases:
        index = position[case.stem] = position.get(case.stem, -1) + 1
        names[case.id] = f"{case.stem}@{index:03d}.txt"
        if any_index:
            if case.stem not in found:
                found[case.stem] = _indexed(listed, case.stem)
            present = found[case.stem]
            names[case.id] = present.get(min(present, default=0) + index, names[case.id])
    return names


def _indexed(listed: Sequence[str], stem: str) -> dict[int, str]:
    """Return index -> file name; of two names for one index the longer padding wins."""
    pattern = re.compile(re.escape(stem) + r"@([0-9]{1,9})\.txt")
    matches = (pattern.fullmatch(name) for name in sorted(listed, key=len))
    return {int(match[1]): match[0] for match in matches if match}


def _read(files: Files, path: PurePosixPath, most: int) -> Answer:
    try:
        info = files.stat(path)
        if info.kind != "file":
            return Answer(kind="refused", detail=f"the output {path.name} is a {_NAMES[info.kind]}")
        data = files.read(path, limit=most + 1) if info.size <= most else None
    except FileNotFoundError:
        return Answer(kind="missing", detail=f"no output {path.name}")
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EINVAL, errno.ELOOP):
            return Answer(
                kind="refused", detail=f"the output {path.name} cannot be read: {os.strerror(error.errno)}"
            )
        raise
    if data is None or len(data) > most:
        return Answer(kind="refused", detail=f"the output {path.name} is larger than {most} bytes")
    return Answer(kind="output", output=data)


_NAMES = {"directory": "directory", "link": "link", "other": "special file"}
