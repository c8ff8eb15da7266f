"""A seeded soak: thousands of generated actions at one live episode on each sandbox.

After every batch a plain command and an edit must work, and nothing may have grown without bound. ``ICAE_SOAK_STEPS`` sets the
number of actions on each sandbox, ``ICAE_SOAK_SEED`` the seed. A failure prints the actions of its batch and those before it.
"""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from real_sandboxes import EACH, place_or_skip
from soak_actions import ACTIONS

import icae_env
from icae_env.sandbox import terminal
from icae_env.sandbox.base import MIB, Limits
from icae_env.sandbox.launch import client

STEPS = int(os.environ.get("ICAE_SOAK_STEPS", "2000"))
SEED = int(os.environ.get("ICAE_SOAK_SEED", "1"))
BATCH = 40
ROUND = 2000
LIMITS = Limits(memory=512 * MIB, processes=96, workspace=64 * MIB, scratch=32 * MIB)
GROWTH = 64 * MIB
"""Bytes by which this process may grow after the first batches."""


class Watch:
    """Memory and descriptors of this process and of the launcher."""

    def __init__(self) -> None:
        self.first: dict[str, tuple[int, int]] = {}

    def look(self) -> dict[str, tuple[int, int]]:
        pids = {"main": os.getpid()}
        current = client._current
        if current is not None:
            pids["launcher"] = current._process.pid
        return {name: (_memory(pid), _descriptors(pid)) for name, pid in pids.items()}

    def check(self) -> None:
        now = self.look()
        if not self.first:
            self.first = now
        for name, (memory, descriptors) in now.items():
            was_memory, was_descriptors = self.first.get(name, (memory, descriptors))
            assert memory - was_memory < GROWTH, (
                f"{name} grew from {was_memory // MIB} to {memory // MIB} MiB"
            )
            assert descriptors - was_descriptors <= 12, (
                f"{name} had {was_descriptors} descriptors open and has {descriptors}"
            )


def _memory(pid: int) -> int:
    return _status(pid, "VmRSS") * 1024


def _descriptors(pid: int) -> int:
    try:
        return len([*Path(f"/proc/{pid}/fd").iterdir()])
    except PermissionError:  # only root may look into the launcher; the size of its table tells of many
        return _status(pid, "FDSize")


def _status(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


class Soak:
    """The episode under test and what has been done to it."""

    def __init__(self, where: dict[str, str]) -> None:
        self.where, self.done, self.batches = where, 0, 0
        self.history: list[Any] = []
        self.mark = str(10**8 + secrets.randbelow(10**8))
        self.watch = Watch()
        self.env = icae_env.make_env(
            "bracex",
            steps=10**9,
            seconds=10**6,
            questions=50,
            command_seconds=1.0,
            restarts=10**9,
            resources=LIMITS,
            **where,
        )
        self.env.reset(seed=SEED)

    def batch(self, actions: list[Any]) -> None:
        """Throw some actions at the episode, then see that it still works."""
        self.history = (self.history + actions)[-4 * BATCH :]
        try:
            for action in actions:
                began = time.monotonic()
                obs, reward, terminated, truncated, _ = self.env.step(action)
                assert obs in self.env.observation_space
                assert (reward, terminated, truncated) == (0.0, False, False), obs["text"]
                assert time.monotonic() - began < 30, "a step took more than 30 s"
                self.done += 1
            self.probe()
        except BaseException as error:
            error.add_note(
                f"seed {SEED}, {self.where}, after {self.done} steps; the last actions:\n"
                + "\n".join(map(repr, self.history))
            )
            raise
        self.batches += 1
        if self.batches > 4:
            self.watch.check()

    def probe(self) -> None:
        """Assert that a new shell, an edit and a background process work."""
        command = f"cd /workspace; chmod 755 /workspace; sleep {self.mark} & builtin echo probe $((40+2))"
        for _ in range(6):
            self.env.step(
                {"type": "bash", "command": "exit"}
            )  # what was set in the old shell may hide the answer
            obs, *_ = self.env.step({"type": "bash", "command": command})
            if obs["text"].endswith("probe 42\n"):
                break
        assert obs["text"].endswith("probe 42\n"), obs["text"]
        obs, *_ = self.env.step({"type": "edit", "op": "create", "path": "/tmp/probe", "text": "p"})
        full = "full" in obs["text"] or "denied" in obs["text"] or "directory" in obs["text"]
        assert int(obs["exit_code"]) == 0 or full, obs["text"]

    def finish(self) -> None:
        """Submit, and see that it is scored and that nothing is left."""
        try:
            _, reward, terminated, _, info = self.env.step({"type": "submit"})
            assert terminated and reward == 0.0 and info["report"].status == "ok"
        finally:
            self.env.close()
        deadline = time.monotonic() + 10
        while _on_host(self.mark):
            assert time.monotonic() < deadline, f"processes left: {_on_host(self.mark)}"
            time.sleep(0.1)


def _on_host(word: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and word.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


@pytest.fixture(params=EACH)
def where(request: pytest.FixtureRequest) -> dict[str, str]:
    return place_or_skip(request.param)


@pytest.mark.slow
@pytest.mark.timeout(max(900, STEPS))
def test_nothing_wedges_crashes_or_leaks(where: dict[str, str]) -> None:
    if not terminal.available():
        pytest.skip("tmux is not installed; mend: apt-get install tmux")
    soak = Soak(where)

    def drive(round_seed: int) -> None:
        @seed(round_seed)
        @settings(
            max_examples=ROUND // BATCH,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.lists(ACTIONS, min_size=BATCH, max_size=BATCH))
        def one_round(actions: list[Any]) -> None:
            if soak.done < STEPS:
                soak.batch(actions)

        one_round()

    began = time.monotonic()
    try:
        for number in range(4 * -(-STEPS // ROUND)):
            drive(
                SEED + number
            )  # one run of hypothesis ends early once it has seen too many examples that are too large
        assert soak.done >= STEPS
    finally:
        print(
            f"\n{where['sandbox']}: {soak.done} steps in {time.monotonic() - began:.0f} s, now {soak.watch.look()}, at first {soak.watch.first}"
        )
        soak.finish()
