"""icae demo: a whole episode, for a person and for a machine."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pexpect
import pytest
from icae_program import ICAE, document, icae, process

BARE = {"HOME": "/tmp", "LANG": "C", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@pytest.mark.bubblewrap
def test_the_demo_shows_every_part_of_an_episode(bubblewrap: list[str]) -> None:
    begun = time.monotonic()
    done = process("demo", *bubblewrap)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - begun < 60
    for part in (
        "Label shorthand", "ask the user", "the user answers", "edit: create solution.py", "both examples are right",
        "submit", "overall", "Hidden constraints", "Reward 1.000",
    ):  # fmt: skip
        assert part in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.bubblewrap
def test_the_demo_tells_the_same_as_json(bubblewrap: list[str]) -> None:
    told = document(icae("demo", *bubblewrap, "--json"))
    assert (told["status"], told["reward"], told["agent"]) == ("ok", 1.0, "scripted")
    kinds = [step["action"]["type"] for step in told["transcript"]]
    assert {"bash", "ask_user", "edit"} <= set(kinds)
    assert kinds[-1] == "submit"
    assert len(kinds) == told["steps"]
    assert kinds.count("ask_user") == told["questions"] == 16
    assert all(step["text"] for step in told["transcript"])
    assert {gap["status"] for gap in told["gaps"]["constraints"]} == {"implemented"}


@pytest.mark.bubblewrap
@pytest.mark.parametrize("task", ["ssf", "stockholm"])
def test_the_demo_plays_every_task(task: str, bubblewrap: list[str]) -> None:
    done = icae("demo", "--task", task, *bubblewrap, "--json")
    assert done.exit_code == 0, done.stderr
    assert document(done)["reward"] > 0.5


@pytest.mark.bubblewrap
def test_the_demo_needs_no_programs_on_the_path(bubblewrap: list[str], tmp_path: Path) -> None:
    """Nothing but Python: no bwrap, no docker, no tmux."""
    done = process("demo", *bubblewrap, "--json", env={**BARE, "PATH": str(tmp_path)}, only=True)
    assert done.returncode == 0, done.stderr
    assert document(done)["reward"] == 1.0


@pytest.mark.bubblewrap
def test_the_demo_is_coloured_on_a_terminal(bubblewrap: list[str]) -> None:
    variables = {**os.environ, "TERM": "xterm-256color"}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        variables.pop(name, None)
    child = pexpect.spawn(
        ICAE[0], [*ICAE[1:], "demo", *bubblewrap], env=variables, dimensions=(40, 120), timeout=60
    )
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert b"\x1b[1;35mask the user" in child.before
    assert b"Reward 1.000" in child.before
