"""Runs with Ray on this machine."""

from __future__ import annotations

import json
import os
import signal

import pytest
from real_sandboxes import works_or_skip
from run_parts import waited
from run_process import finish, played, rows, start

pytest.importorskip("ray", reason="ray is not installed; mend: pip install 'icae-env[ray]'")
pytestmark = [pytest.mark.bubblewrap, pytest.mark.slow]


def test_a_killed_actor_loses_no_finished_episode_and_its_own_is_played_elsewhere(tmp_path):
    works_or_skip("bubblewrap")
    begun, go, out = tmp_path / "begun", tmp_path / "go", tmp_path / "run"
    process = start(
        "-t", "bracex", "-a", "noop,scripted,run_parts:Slow", "-o", f"run_parts:Slow.begun={begun}",
        "-o", f"run_parts:Slow.go={go}", "-n", "2", "--seed", "3", "--workers", "2", "--engine", "ray",
        "-s", "bubblewrap", "-i", "host", "--out", out, "--json",
    )  # fmt: skip
    try:
        waited(
            lambda: begun.exists() and len({line.split()[2] for line in begun.read_text().splitlines()}) == 2
        )
        assert len(rows(out)) == 4
        _, seed, pid = begun.read_text().splitlines()[0].split()
        os.kill(int(pid), signal.SIGKILL)
        waited(lambda: len({line.split()[2] for line in begun.read_text().splitlines()}) == 3)
        go.touch()
    finally:
        code, text, err = finish(process)
    assert code == 0, err
    found = json.loads(text)["episodes"]
    assert [(item["agent"], item["seed"], item["status"]) for item in found] == [
        (agent, seed, "ok") for agent in ("noop", "scripted", "run_parts:Slow") for seed in (3, 4)
    ]
    assert [item["reward"] for item in found] == [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    assert "not measured, to be played again: Its worker was lost." in err
    again = {item["seed"]: item["attempts"] for item in found if item["agent"] == "run_parts:Slow"}
    assert again == {int(seed): 2, 7 - int(seed): 1}
    assert sorted(played(out).values()) == [1, 1, 1, 1, 1, 2]


def test_ctrl_c_ends_a_run_with_ray(tmp_path):
    works_or_skip("bubblewrap")
    begun, out = tmp_path / "begun", tmp_path / "run"
    process = start(
        "-t", "bracex", "-a", "run_parts:Blocking", "-o", f"begun={begun}", "--engine", "ray", "-s", "bubblewrap",
        "-i", "host", "--out", out, "--json",
    )  # fmt: skip
    waited(begun.exists)
    process.send_signal(signal.SIGINT)
    code, text, err = finish(process, 60.0)
    assert code == 130, err
    assert len(json.loads(text)["unplayed"]) == 1
    assert rows(out) == {}
