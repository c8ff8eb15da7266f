"""Run measurements and print them as JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.episodes import live, reset
from benchmarks.oracle import oracle
from benchmarks.replay import replay
from benchmarks.report import report
from benchmarks.runs import run
from benchmarks.steps import ask, edit, step

ALL: dict[str, Callable[..., dict[str, Any]]] = {
    "step": step, "reset": reset, "edit": edit, "ask": ask, "replay": replay, "live": live,
    "oracle": oracle, "run": run, "report": report,
}  # fmt: skip


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*ALL, []], help="all by default")
    parser.add_argument("--sandbox", default="bubblewrap", choices=["bubblewrap", "docker"])
    parser.add_argument("--image", default="python")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--episodes", type=int, default=500, help="of the measurement of a run's memory")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results = {}
    for name in options.names or ALL:
        print(name, file=sys.stderr)
        more = {"episodes": options.episodes} if name == "run" else {}
        results.update(ALL[name](options.sandbox, options.image, options.rounds, **more))
    document = {
        "sandbox": options.sandbox, "image": options.image, "machine": platform.machine(), "cores": os.cpu_count(),
        "kernel": platform.release(), "load_average": os.getloadavg()[0], "results": results,
    }  # fmt: skip
    text = json.dumps(document, indent=2)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
