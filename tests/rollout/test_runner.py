"""Runs on sandboxes in memory: retries, limits, resuming, agents that fail."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest
from run_parts import Unsteady

from icae_env.errors import ConfigError
from icae_env.llm.limits import ModelLimits
from icae_env.llm.prices import Price, Prices
from icae_env.rollout.engine import LocalEngine
from icae_env.rollout.plan import Selection, make_plan
from icae_env.rollout.run import play_run
from icae_env.rollout.runner import Runner
from icae_env.rollout.store import Run
from icae_env.rollout.writer import RunWriter


def config(**given):
    selection = {"tasks": ("bracex",), "agents": ("noop",), "sandbox": "fake", "image": "host"}
    return make_plan(Selection(**{**selection, **given})).config


def run(folder, wanted, *, workers=2, retries=2, resume=False, **options):
    """As ``play_run``, without pauses between attempts."""
    writer, engine = RunWriter(folder, wanted, resume=resume), LocalEngine(workers)
    try:
        return Runner(writer, engine, workers=workers, retries=retries, pause=0.01, **options).run()
    finally:
        engine.close()
        writer.close()


def script(tmp_path, *completions):
    file = tmp_path / "script.json"
    file.write_text(json.dumps(list(completions)))
    return f"scripted:{file}"


class Seen:
    def __init__(self):
        self.ends, self.ticks = [], 0

    def begin(self, config, done):
        self.before = [row.key.id for row in done]

    def ended(self, row, again):
        self.ends.append((row.key.id, row.status, again))

    def tick(self, running, spent):
        self.ticks += 1


def test_rows_come_in_the_order_of_the_plan_whatever_ended_first(tmp_path):
    result = play_run(config(tasks=("all",), repeats=2), tmp_path / "run", workers=8)
    assert [row.key for row in result.rows] == list(Run(tmp_path / "run").config.episodes)
    assert {row.status for row in result.rows} == {"ok"}
    assert result.stopped is None
    assert result.unplayed == ()
    first = result.rows[0]
    assert (first.reward, first.resolved, first.native, first.coverage, first.fallback_rate, first.budget_used) == (
        0.0, False, 0.0, 0.0, None, 0.0
    )  # fmt: skip
    assert (first.sandbox, first.image, first.language) == ("fake", "fake", "python")
    assert first.gaps is None  # or the memory of a long run would grow by all of them
    assert {gap.status for gap in Run(tmp_path / "run").episodes()[0].row.gaps.constraints} == {"missed"}


def test_what_failed_on_the_hosts_side_is_played_again_and_told(tmp_path):
    Unsteady.failures = 3
    seen = Seen()
    result = run(tmp_path / "run", config(sandbox="run_parts:Unsteady"), retries=3, watcher=seen)
    (row,) = result.rows
    assert (row.status, row.attempts) == ("ok", 4)
    assert seen.ends == [(row.key.id, "infra", True)] * 3 + [(row.key.id, "ok", False)]
    (episode,) = Run(tmp_path / "run").episodes()
    assert sorted(path.name for path in (episode.folder / "attempts").iterdir()) == ["1", "2", "3"]


def test_what_fails_every_time_is_no_score_and_is_played_by_resuming(tmp_path):
    Unsteady.failures = 3
    wanted = config(sandbox="run_parts:Unsteady", repeats=2)
    result = run(tmp_path / "run", wanted, workers=1, retries=0)
    assert [(row.status, row.reward) for row in result.rows] == [("infra", None)] * 2
    assert "It did not start." in result.rows[0].error
    seen = Seen()
    result = run(tmp_path / "run", wanted, workers=1, retries=1, resume=True, watcher=seen)
    assert [(row.status, row.attempts) for row in result.rows] == [("ok", 3), ("ok", 2)]
    again = Seen()
    run(tmp_path / "run", wanted, resume=True, watcher=again)
    assert again.before == [row.key.id for row in result.rows]
    assert again.ends == []


def test_a_model_that_refuses_is_not_asked_again(tmp_path):
    model = script(tmp_path, {"error": "request"})
    result = run(tmp_path / "run", config(agents=("run_parts:Thinking",), models=(model,)))
    (row,) = result.rows
    assert (row.status, row.attempts) == ("infra", 1)
    assert row.error.startswith("ModelRequestError")


def test_one_failing_agent_does_not_end_the_run(tmp_path):
    result = play_run(config(agents=("run_parts:Raising", "noop")), tmp_path / "run")
    assert [(row.status, row.end) for row in result.rows] == [("ok", "agent_error"), ("ok", "submit")]
    failed = Run(tmp_path / "run").episodes()[0]
    assert "LookupError: no idea" in (failed.folder / "agent_error.txt").read_text()
    assert failed.row.error.endswith("failed in act(): LookupError: no idea")


def test_what_only_playing_can_tell_to_be_wrong_ends_the_run_and_keeps_what_is_over(tmp_path):
    wanted = config(agents=("noop", "golden"), language="rust")
    with pytest.raises(ConfigError, match="golden of 'bracex' is written in python"):
        play_run(wanted, tmp_path / "run", workers=1)
    noop, golden = Run(tmp_path / "run").episodes()
    assert noop.row.status == "ok"
    assert golden.row is None


def test_the_use_of_the_model_is_in_the_row(tmp_path):
    usage = {"input_tokens": 100, "output_tokens": 10}
    model = script(tmp_path, {"text": "echo", "usage": usage}, {"text": "submit", "usage": usage})
    prices = Prices(models={"scripted:*": Price(input=1.0, output=10.0)})
    (row,) = play_run(
        config(agents=("run_parts:Thinking",), models=(model,)), tmp_path / "run", prices=prices
    ).rows
    assert (row.model_use.calls, row.model_use.usage.input_tokens, row.steps) == (2, 200, 2)
    assert row.model_use.cost == pytest.approx(2 * (100 + 10 * 10) / 1e6)
    types = [line.type for line in Run(tmp_path / "run").episodes()[0].trajectory()]
    assert types == ["reset", "model", "step", "model", "step"]


def test_a_limit_of_an_episode_ends_it_with_a_score(tmp_path):
    model = script(tmp_path, {"text": "echo", "usage": {"input_tokens": 60, "output_tokens": 0}, "times": 0})
    wanted = config(agents=("run_parts:Thinking",), models=(model,), episode_limits=ModelLimits(tokens=100))
    (row,) = play_run(wanted, tmp_path / "run").rows
    assert (row.status, row.end, row.model_use.calls) == ("ok", "limit:tokens", 2)


def test_a_limit_of_the_run_stops_it_and_a_higher_one_goes_on(tmp_path):
    usage = {"input_tokens": 60, "output_tokens": 0}
    model = script(tmp_path, {"text": "echo", "usage": usage}, {"text": "submit", "usage": usage})
    given = {"agents": ("run_parts:Thinking",), "models": (model,), "repeats": 5}
    wanted = config(**given, run_limits=ModelLimits(tokens=240))
    result = play_run(wanted, tmp_path / "run", workers=1)
    assert len(result.rows) == 2
    assert len(result.unplayed) == 3
    assert "limit of the run is used up: 240 of 240 tokens" in result.stopped
    result = play_run(config(**given), tmp_path / "run", resume=True)
    assert [row.status for row in result.rows] == ["ok"] * 5
    assert [row.model_use.calls for row in result.rows] == [2] * 5


def test_what_is_wrong_with_a_model_is_known_before_anything_is_played(tmp_path):
    model = script(tmp_path, {"text": "submit"})
    agents = ("run_parts:Thinking",)
    for given, said in (
        ({"agents": agents, "models": ("scripted:/none.json",)}, "none.json"),
        ({"agents": agents, "models": (model,), "run_limits": ModelLimits(cost=1.0)}, "price"),
        ({"run_limits": ModelLimits(cost=1.0)}, "no agent uses one"),
    ):
        with pytest.raises(ConfigError, match=said):
            play_run(config(**given), tmp_path / "run")
        assert not (tmp_path / "run").exists()


def limited(folder, size):
    """Play on a disk that is full as soon as a file has some size: the system refuses in the middle of a line."""
    program = f"""
import resource
from icae_env.rollout.plan import Selection, make_plan
from icae_env.rollout.run import play_run
config = make_plan(Selection(tasks=("bracex",), agents=("noop",), sandbox="fake", image="host")).config
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {resource.RLIM_INFINITY}))
play_run(config, {str(folder)!r}, retries=0)
"""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_trajectory_that_cannot_be_written_on_is_no_score_and_has_no_half_line(tmp_path):
    done = limited(tmp_path / "run", 6_000)
    assert done.returncode == 0, done.stderr
    (episode,) = Run(tmp_path / "run").episodes()
    assert episode.row.status == "infra"
    assert "trajectory.jsonl cannot be written: File too large" in episode.row.error
    assert [line.type for line in episode.trajectory()] == ["reset"]
    assert (episode.folder / "trajectory.jsonl").read_bytes().endswith(b"\n")


def test_a_full_disk_ends_the_run_with_its_reason_and_leaves_nothing_half(tmp_path):
    done = limited(tmp_path / "run", 800)
    assert done.returncode == 1
    assert "InfraError: The run directory cannot be written: " in done.stderr
    (episode,) = Run(tmp_path / "run").episodes()
    assert episode.row is None
    assert list(episode.trajectory()) == []
    assert [path.stat().st_size for path in episode.folder.rglob("*") if path.is_file()] in ([], [0])
