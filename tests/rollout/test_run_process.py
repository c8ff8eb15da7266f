"""Runs on real sandboxes that are killed, interrupted, or begun twice."""

from __future__ import annotations

import json
import os
import signal

import pytest
from real_sandboxes import works_or_skip
from run_parts import waited
from run_process import finish, played, rows, start, table

from icae_env.rollout.store import Run
from icae_env.sandbox.process_tree import descendants, everything

PLACE = ("--sandbox", "bubblewrap", "--image", "host")
SELECTION = ("-t", "bracex,stockholm", "-a", "scripted", "-n", "4", "--workers", "2", *PLACE)

pytestmark = pytest.mark.bubblewrap


@pytest.fixture(autouse=True)
def _works():
    works_or_skip("bubblewrap")


def test_a_killed_run_is_resumed_to_the_table_of_an_unbroken_one(tmp_path):
    code, _, err = finish(start(*SELECTION, "--out", tmp_path / "whole"))
    assert code == 0, err
    broken = tmp_path / "broken"
    process = start(*SELECTION, "--out", broken)
    waited(lambda: len(rows(broken)) >= 3)
    children = descendants({process.pid}, everything()) - {process.pid}
    process.send_signal(signal.SIGKILL)
    finish(process)
    before = rows(broken)
    kept = {name: (broken / "episodes" / name / "episode.json").read_bytes() for name in before}
    assert 3 <= len(before) < 8
    for episode in Run(broken).episodes():  # readable, however it was left
        assert {line.type for line in episode.trajectory()} <= {"reset", "step"}
        assert (episode.report is not None) or episode.row is None
    waited(lambda: not children & set(everything()))
    code, out, err = finish(start(*SELECTION, "--out", broken, "--resume", "--json"))
    assert code == 0, err
    assert f"{len(before)} of 8 episodes have a score already" in err
    assert table(broken) == table(tmp_path / "whole")
    assert [item["reward"] for item in json.loads(out)["episodes"]] == [row[2] for row in table(broken)]
    for name, row in kept.items():
        assert (broken / "episodes" / name / "episode.json").read_bytes() == row
        assert played(broken)[name] == 1
    assert all(row.attempts == played(broken)[name] for name, row in rows(broken).items())


def test_resuming_needs_no_selection_and_refuses_another(tmp_path):
    code, _, err = finish(start("-t", "bracex", "-a", "noop", *PLACE, "--out", tmp_path / "run"))
    assert code == 0, err
    code, _, err = finish(
        start("-t", "stockholm", "-a", "noop", *PLACE, "--out", tmp_path / "run", "--resume")
    )
    assert code == 2
    assert "asked for only now: stockholm-L1-noop-s0" in err
    code, out, err = finish(start("--out", tmp_path / "run", "--resume", "--json"))
    assert code == 0, err
    assert [item["task"] for item in json.loads(out)["episodes"]] == ["bracex"]


def test_two_processes_cannot_write_one_run(tmp_path):
    begun, go, out = tmp_path / "begun", tmp_path / "go", tmp_path / "run"
    selection = (
        "-t",
        "bracex",
        "-a",
        "run_parts:Slow",
        "-o",
        f"begun={begun}",
        "-o",
        f"go={go}",
        *PLACE,
        "--out",
        out,
    )
    first = start(*selection)
    waited(begun.exists)
    code, _, err = finish(start(*selection, "--resume"))
    assert code == 2
    assert f"This run is being written by process {first.pid} on " in err
    go.touch()
    assert finish(first)[0] == 0
    assert [row.status for row in rows(out).values()] == ["ok"]
    assert finish(start(*selection, "--resume"))[0] == 0


def test_ctrl_c_ends_running_episodes_and_their_sandboxes(tmp_path):
    begun, out = tmp_path / "begun", tmp_path / "run"
    agents = ("-a", "noop,run_parts:Blocking", "-o", f"run_parts:Blocking.begun={begun}")
    process = start("-t", "bracex", *agents, *PLACE, "--workers", "2", "--out", out, "--json")
    waited(begun.exists)
    waited(lambda: len(rows(out)) == 1)
    children = descendants({process.pid}, everything()) - {process.pid}
    process.send_signal(signal.SIGINT)
    code, text, err = finish(process, 30.0)
    assert code == 130, err
    assert "interrupted" in err
    assert "Traceback" not in err
    document = json.loads(text)
    assert [item["agent"] for item in document["episodes"]] == ["noop"]
    assert [item["agent"] for item in document["unplayed"]] == ["run_parts:Blocking"]
    assert not children & set(everything())
    assert [row.status for row in rows(out).values()] == ["ok"]


def test_a_second_ctrl_c_ends_the_process_at_once(tmp_path):
    begun, out = tmp_path / "begun", tmp_path / "run"
    process = start(
        "-t",
        "bracex",
        "-a",
        "run_parts:Blocking",
        "-o",
        f"begun={begun}",
        *PLACE,
        "--workers",
        "2",
        "--out",
        out,
    )
    waited(begun.exists)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    waited(lambda: process.poll() is not None or os.kill(process.pid, signal.SIGINT))
    code, _, err = finish(process)
    assert code == 130
    assert "interrupted twice" in err
    assert rows(out) == {}
