"""The examples run as they stand, and what they print is what they claim."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from real_sandboxes import works_or_skip

ROOT = Path(__file__).resolve().parents[1]
WHERE = ("--sandbox", "bubblewrap", "--image", "host")


def run(name: str, *arguments: str, cwd: Path) -> str:
    """Run an example from another directory, with warnings as errors, and return what it prints."""
    works_or_skip("bubblewrap")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name), *arguments], capture_output=True, text=True,
        timeout=240, check=False, cwd=cwd, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.mark.bubblewrap
def test_the_policy_gradient_climbs_and_prints_its_curve(tmp_path: Path) -> None:
    out = tmp_path / "curve.json"
    arguments = ("--iterations", "4", "--episodes", "8", "--envs", "4", "--out", str(out))
    printed = run("policy_gradient.py", *arguments, *WHERE, cwd=tmp_path)
    curve = json.loads(out.read_text("utf-8"))
    assert [line.split()[1] for line in printed.splitlines()] == ["0", "1", "2", "3"]
    assert [point["iteration"] for point in curve] == [0, 1, 2, 3]
    assert all(math.isfinite(value) for point in curve for value in point.values())
    assert all(0 <= point["pass_rate"] <= 1 and 0 <= point["return"] <= 1.3 + 1e-9 for point in curve)
    # Same seed, same actions, same rewards: it does not depend on the machine.
    assert curve[-1]["return"] > curve[0]["return"]


@pytest.mark.bubblewrap
def test_rollouts_on_one_loop_are_all_measured(tmp_path: Path) -> None:
    *lines, total = map(
        json.loads, run("async_rollouts.py", "--episodes", "8", *WHERE, cwd=tmp_path).splitlines()
    )
    assert sorted(line["number"] for line in lines) == list(range(8))
    assert (total["episodes"], total["measured"]) == (8, 8)
    assert total["steps"] == sum(len(line["rewards"]) for line in lines)
    assert all(line["rewards"][-1] == line["pass_rate"] > 0.7 for line in lines)
    assert sum(sum(line["rewards"][:-1]) for line in lines) > 0, "no question was paid for"


def test_what_the_page_names_exists() -> None:
    page = (ROOT / "examples" / "README.md").read_text("utf-8")
    for file in sorted((ROOT / "examples").glob("*.py")):
        assert f"`{file.name}`" in page
