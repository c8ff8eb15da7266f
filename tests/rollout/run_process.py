"""``icae run`` as a process of its own, to kill, interrupt and run twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from icae_env.rollout.store import EpisodeRow, Run

HERE = Path(__file__).parent
PROGRAM = [sys.executable, "-c", "from icae_env.cli.main import main; main()", "run"]


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start a run; the caller waits for it."""
    path = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path}, start_new_session=True,
    )  # fmt: skip


def finish(process: subprocess.Popen[str], seconds: float = 120.0) -> tuple[int, str, str]:
    """Wait for a run and return exit code, stdout and stderr; one that takes too long is killed."""
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    return process.returncode, out, err


def rows(folder: Path) -> dict[str, EpisodeRow]:
    """Return the rows that a run directory holds at this moment."""
    if not (folder / "run.json").exists():
        return {}
    return {item.key.id: item.row for item in Run(folder).episodes() if item.row is not None}


def table(folder: Path) -> list[tuple[object, ...]]:
    """Return what a run came to, without times."""
    return [
        (row.key.id, row.status, row.reward, row.end, row.steps, row.questions, row.native, row.enhanced, row.coverage,
         row.gaps and row.gaps.counts)
        for row in rows(folder).values()
    ]  # fmt: skip


def played(folder: Path) -> dict[str, int]:
    """Return how often each episode was begun, over all attempts."""
    return {
        item.key.id: sum(
            file.read_bytes().count(b'{"type": "reset"') for file in item.folder.rglob("trajectory.jsonl")
        )
        for item in Run(folder).episodes()
    }
