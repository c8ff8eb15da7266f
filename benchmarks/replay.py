"""Replay of 500 trivial cases, beside a bare loop of the same processes on the host."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from icae_env.evaluation import Submission, evaluate
from icae_env.selection import open_backend
from icae_env.tasks.models import Case, HiddenTask, Protocol, TaskSource, TaskSpec

CASES = 500
PYTHON = Path("/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable)
"""The baseline's interpreter: the distribution's, as in the images."""
RUN = b"""#!/usr/bin/env python3
import sys

print(sys.stdin.read().strip()[::-1])
"""
TEST = b"""#!/bin/bash
mkdir -p "rcb_tests/stdout/$2"
python3 - "$2" <<'END'
import json, pathlib, subprocess, sys
suite = sys.argv[1]
for file in sorted(pathlib.Path("rcb_tests", suite).glob("*.json")):
    for index, case in enumerate(json.loads(file.read_text())["cases"]):
        done = subprocess.run(["./run"], input=json.dumps(case["input"]) + "\\n", capture_output=True, text=True)
        pathlib.Path("rcb_tests/stdout", suite, f"{file.stem}@{index:03d}.txt").write_text(done.stdout)
END
"""


def _task(protocol: Protocol) -> HiddenTask:
    source = TaskSource(registry="other", package="none", version="0", licence="CC0-1.0")
    spec = TaskSpec(
        id="trivial",
        title="Reverse",
        domain="text",
        language="python",
        image="python",
        protocol=protocol,
        source=source,
    )
    cases = tuple(
        Case(
            id=f"c-{n}",
            suite="native",
            stem="all",
            index=n,
            input=f"text {n}",
            expected_output=f'"text {n}"'[::-1],
        )
        for n in range(CASES)
    )
    return HiddenTask(spec=spec, folder=Path(), cases=cases)


def _bare(folder: Path) -> float:
    """Return the seconds of a serial loop on the host over the same program, started in the same way, and the same inputs."""
    environment = {"PATH": f"{PYTHON.parent}:/usr/bin:/bin"}
    begun = time.perf_counter()
    for n in range(CASES):
        text = json.dumps(f"text {n}") + "\n"
        subprocess.run(
            [folder / "run"], input=text, capture_output=True, text=True, check=True, env=environment
        )
    return time.perf_counter() - begun


def replay(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Measure both protocols."""
    rows: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, closing(open_backend(sandbox)) as backend:
        folder = Path(name)
        (folder / "run").write_bytes(RUN)
        (folder / "run").chmod(0o755)
        for protocol in ("rcb", "stdin"):
            submission = Submission.of({"run": (RUN, 0o755), "rcb_tests/test.sh": (TEST, 0o755)}, (), ())
            bare = _bare(folder)
            begun = time.perf_counter()
            report = evaluate(_task(protocol), submission, backend, image=image, workers=2)
            seconds = time.perf_counter() - begun
            assert report.reward == 1.0, report.status
            row = {
                "seconds": round(seconds, 2),
                "baseline": "serial loop on the host",
                "baseline_seconds": round(bare, 2),
            }
            if protocol == "rcb":
                rows["rcb_500"] = {**row, "times_baseline": round(seconds / bare, 2), "reach": "<= 1.2"}
            else:
                rows["stdin_500"] = {**row, "throughput": round(bare / seconds, 2), "reach": ">= 1.4"}
    return rows
