"""Beginning and ending episodes, and many of them at once."""

from __future__ import annotations

import statistics
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import icae_env
from benchmarks.timing import compared, median, once
from icae_env.sandbox.base import SandboxConfig
from icae_env.selection import open_backend


def bare_true(rounds: int) -> float:
    """Return the time of a bare `true` on the host."""
    return median(lambda: subprocess.run(["true"], check=True), rounds)


def reset(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Measure reset to the first observation, reset to the end of the first command, and close."""
    rounds = min(rounds, 40 if sandbox == "bubblewrap" else 10)
    begins, firsts, ends = [], [], []
    with closing(icae_env.make_env(task="bracex", sandbox=sandbox, image=image)) as env:
        env.reset(seed=0)
        episode = env.unwrapped
        for _ in range(rounds):
            episode._drop_episode("over")
            begins.append(once(lambda: env.reset(seed=0)))
            firsts.append(begins[-1] + once(lambda: env.step({"type": "bash", "command": "echo x"})))
            ends.append(once(lambda: episode._drop_episode("over")))
    bare = bare_true(20)
    cold = sandbox == "bubblewrap"
    rows = {
        "reset": compared(statistics.median(begins), bare, "true", 15.0 if cold else 300.0),
        "reset_and_first_command": compared(statistics.median(firsts), bare, "true"),
        "close": compared(statistics.median(ends), bare, "true", 3.0 if cold else None),
    }
    return {**rows, **(pooled(image, rounds) if sandbox == "docker" else {})}


def pooled(image: str, rounds: int) -> dict[str, Any]:
    """Measure a docker reset from the warm pool."""
    from icae_env.sandbox.docker import DockerBackend

    with (
        closing(DockerBackend(pool=4)) as backend,
        closing(icae_env.make_env(task="bracex", sandbox=backend, image=image)) as env,
    ):
        env.reset(seed=0)
        times = []
        for _ in range(rounds):
            env.unwrapped._drop_episode("over")
            time.sleep(1.0)  # let the pool fill again: an episode takes longer than this
            times.append(once(lambda: env.reset(seed=0)))
    return {"reset_from_pool": compared(statistics.median(times), bare_true(20), "true", 15.0)}


def proportional_kib(pids: list[int]) -> int:
    """Return the PSS of processes in KiB."""
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total


def live(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Measure 64 live episodes with a shell each: time to start, and memory outside Python."""
    from icae_env.sandbox.process_tree import descendants, everything
    from icae_env.sandbox.shell import Shell

    if sandbox != "bubblewrap":
        return {}
    import os

    count = 64
    with closing(open_backend(sandbox)) as backend:
        with backend.create(SandboxConfig(image=image)):
            pass
        processes = everything()
        before = descendants({os.getpid()}, processes)
        begun = time.perf_counter()
        boxes = [backend.create(SandboxConfig(image=image)) for _ in range(count)]
        for box in boxes:
            box.start()
        started = (time.perf_counter() - begun) * 1000
        shells = [Shell(box) for box in boxes]
        for shell in shells:
            shell.run("true")
        ready = (time.perf_counter() - begun) * 1000
        pids = descendants({os.getpid()}, everything()) - before
        memory = proportional_kib(sorted(pids)) / 1024 / count
        begun = time.perf_counter()
        for box in boxes:
            box.close()
        ended = (time.perf_counter() - begun) * 1000
        left = descendants({os.getpid()}, everything()) - before
    row = {
        "start_ms": round(started),
        "with_shells_ms": round(ready),
        "close_ms": round(ended),
        "left": len(left),
    }
    return {"live_64": {**row, "reach_start_ms": 2000, "pss_mib_each": round(memory, 2), "reach_mib": 3.0}}
