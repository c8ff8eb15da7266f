"""Runs: what the runner adds to each step, whether many episodes keep the cores busy, and whether its memory stays flat."""

from __future__ import annotations

import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import icae_env
from benchmarks.timing import compared, once
from icae_env.rollout.plan import Selection, make_plan
from icae_env.rollout.run import play_run
from icae_env.rollout.store import EpisodeRow

ECHO = {"type": "bash", "command": "echo x"}
SUBMIT = {"type": "submit"}


class Echoing:
    """Do one command again and again, and note when each action is asked for."""

    name: ClassVar[str] = "echoing"
    privileged: ClassVar[bool] = False
    times: ClassVar[list[float]] = []

    def __init__(self, steps: str) -> None:
        self._left = int(steps)

    def begin(self, brief: Any) -> None:
        """Need nothing."""

    def act(self, observation: Any) -> dict[str, str]:
        """Return the command, or in the end the submit action."""
        Echoing.times.append(time.perf_counter())
        self._left -= 1
        return ECHO if self._left >= 0 else SUBMIT


def run(sandbox: str, image: str, rounds: int, episodes: int = 500) -> dict[str, Any]:
    """Measure the overhead of a step, 32 scripted episodes at once, and the memory over many episodes."""
    return {
        "run_step": _overhead(sandbox, image, rounds),
        "run_32_parallel": _parallel(sandbox, image),
        "run_memory": _memory(sandbox, image, episodes),
    }


def _played(
    sandbox: str, image: str, folder: Path, *, workers: int, **selection: Any
) -> tuple[EpisodeRow, ...]:
    plan = make_plan(Selection(tasks=("bracex",), sandbox=sandbox, image=image, **selection))
    return play_run(plan.config, folder, workers=workers).rows


def _overhead(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Compare a step between two looks of the agent with one of the bare environment; both alternate, for they drift."""
    bare, ours = [], []
    part = max(rounds // 5, 1)
    for _ in range(5):
        with closing(icae_env.make_env("bracex", sandbox=sandbox, image=image, steps=part + 10)) as env:
            env.reset(seed=0)
            env.step(ECHO)
            bare += [once(lambda: env.step(ECHO)) for _ in range(part)]
        Echoing.times.clear()
        with tempfile.TemporaryDirectory() as folder:
            _played(
                sandbox, image, Path(folder, "run"), workers=1, agents=("benchmarks.runs:Echoing",),
                agent_options={"steps": str(part + 1)}, env={"steps": part + 10},
            )  # fmt: skip
        moments = Echoing.times[1:]  # the first step opens the shell
        ours += [(after - before) * 1000 for before, after in itertools.pairwise(moments)]
    mine, theirs = statistics.median(ours), statistics.median(bare)
    return {
        **compared(mine, theirs, "the bare environment's step"),
        "added_ms": round(mine - theirs, 3),
        "reach_added_ms": 2.0,
    }


def _parallel(sandbox: str, image: str) -> dict[str, Any]:
    """Play 32 scripted episodes one after the other and all at once; both cores should be busy, and nothing be lost by it."""
    with tempfile.TemporaryDirectory() as folder:
        agents = {"agents": ("scripted",)}
        alone = (
            once(lambda: _played(sandbox, image, Path(folder, "1"), workers=1, repeats=8, **agents))
            / 8
            / 1000
        )
        with _cores() as use:
            begun = time.perf_counter()
            rows = _played(sandbox, image, Path(folder, "2"), workers=32, repeats=32, **agents)
            seconds = time.perf_counter() - begun
    return {
        "seconds": round(seconds, 2), "rewards": sorted({row.reward for row in rows}, key=str), "busy_share": use["busy"],
        "runner_share": use["own"], "serial_episode_seconds": round(alone, 3),
        "episodes_per_second": round(32 / seconds, 2), "speed_up": round(32 * alone / seconds, 2),
    }  # fmt: skip


@contextmanager
def _cores() -> Iterator[dict[str, float]]:
    """Measure the share of all cores' time that was not idle, and the share that this process used of it."""
    use: dict[str, float] = {}
    before, own, begun = _ticks(), time.process_time(), time.perf_counter()
    yield use
    passed, idle = (after - first for after, first in zip(_ticks(), before, strict=True))
    use["busy"] = round(1 - idle / passed, 3)
    use["own"] = round((time.process_time() - own) / (time.perf_counter() - begun) / (os.cpu_count() or 1), 3)


def _ticks() -> tuple[int, int]:
    numbers = [int(number) for number in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return sum(numbers), numbers[3] + numbers[4]


class _Sampled:
    """Sees a run, and takes the runner's memory at each episode's end."""

    def __init__(self) -> None:
        self.mib: list[float] = []

    def begin(self, config: Any, done: Any) -> None:
        """Need nothing."""

    def ended(self, row: EpisodeRow, again: bool) -> None:
        """Take a sample."""
        fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        self.mib.append(int(fields["VmRSS"].split()[0]) / 1024)

    def tick(self, running: Any, spent: Any) -> None:
        """Need nothing."""


def _memory(sandbox: str, image: str, episodes: int) -> dict[str, Any]:
    """Play many episodes; the runner's memory after the first tenth is compared with that at the end."""
    seen = _Sampled()
    plan = make_plan(
        Selection(tasks=("bracex",), agents=("noop",), repeats=episodes, sandbox=sandbox, image=image)
    )
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        play_run(plan.config, Path(folder, "run"), workers=4, watcher=seen)
        seconds = time.perf_counter() - begun
    warm = seen.mib[max(episodes // 10 - 1, 0)]
    return {
        "episodes": episodes, "seconds": round(seconds, 1), "rss_mib_after_a_tenth": round(warm, 1),
        "rss_mib_at_the_end": round(seen.mib[-1], 1), "rss_mib_most": round(max(seen.mib), 1),
        "kib_an_episode": round((seen.mib[-1] - warm) * 1024 / max(episodes * 0.9, 1), 2),
    }  # fmt: skip
