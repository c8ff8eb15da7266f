"""icae run and icae evaluate: real episodes on real sandboxes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from icae_program import document, icae, process

from icae_env.env.trajectory import ResetLine, StepLine, read_trajectory
from icae_env.evaluation import EvalReport, load_submission


@pytest.mark.network
def test_the_golden_gets_everything(place: list[str]) -> None:
    done = process("run", "--task", "bracex", "--agent", "golden", *place, "--json")
    assert done.returncode == 0, done.stderr
    (episode,) = document(done)["episodes"]
    assert (episode["task"], episode["reward"], episode["status"]) == ("bracex", 1.0, "ok")
    report = EvalReport.model_validate(episode["report"])
    assert report.resolved
    assert report.sandbox == place[1]
    assert report.image is not None
    assert report.image.name == place[3]


def test_doing_nothing_gets_nothing(place: list[str]) -> None:
    done = icae("run", "--task", "bracex", "--agent", "noop", *place, "--json")
    assert done.exit_code == 0, done.stderr
    (episode,) = document(done)["episodes"]
    assert (episode["task"], episode["reward"], episode["status"]) == ("bracex", 0.0, "ok")
    assert {case["outcome"] for case in episode["report"]["cases"]} == {"missing"}
    assert {gap["status"] for gap in episode["gaps"]["constraints"]} == {"missed"}


def test_kept_files_tell_the_episode_and_can_be_scored_again(place: list[str], tmp_path: Path) -> None:
    done = icae("run", "--task", "bracex", "--agent", "scripted", *place, "--out", str(tmp_path), "--json")
    assert done.exit_code == 0, done.stderr
    (episode,) = document(done)["episodes"]
    folder = tmp_path / "episodes" / "bracex-L1-scripted-s0"
    assert {file.name for file in folder.iterdir()} == {
        "episode.json", "report.json", "submission.tar.gz", "trajectory.jsonl",
    }  # fmt: skip
    report = EvalReport.model_validate_json((folder / "report.json").read_text())
    assert report == EvalReport.model_validate(episode["report"])
    first, *steps = read_trajectory(folder / "trajectory.jsonl")
    assert isinstance(first, ResetLine)
    assert len(steps) == episode["steps"]
    assert isinstance(steps[-1], StepLine)
    assert steps[-1].reward == episode["reward"]
    assert load_submission(folder / "submission.tar.gz").sha256 == report.submission.sha256
    again = icae("evaluate", str(folder / "submission.tar.gz"), "--task", "bracex", *place, "--json")
    assert again.exit_code == 0, again.stderr
    assert document(again)["reward"] == episode["reward"]
    assert EvalReport.model_validate(document(again)["report"]).fingerprint() == report.fingerprint()
    taken = icae("run", "--task", "bracex", "--agent", "scripted", *place, "--out", str(tmp_path))
    assert taken.exit_code == 2
    assert "holds a run already" in taken.stderr


def test_a_folder_is_scored_as_a_submission(bubblewrap: list[str], tmp_path: Path) -> None:
    tests = tmp_path / "rcb_tests"
    tests.mkdir()
    (tests / "test.sh").write_text(
        "mkdir -p rcb_tests/stdout/$2\nfor file in rcb_tests/$2/*.json; do\n  name=$(basename $file .json)\n"
        "  for n in 0 1 2 3 4 5 6 7 8 9; do echo '[]' > rcb_tests/stdout/$2/$name@00$n.txt; done\ndone\n"
    )
    done = icae("evaluate", str(tmp_path), "--task", "bracex", *bubblewrap, "--suite", "native", "--json")
    assert done.exit_code == 0, done.stderr
    report = EvalReport.model_validate(document(done)["report"])
    assert document(done)["reward"] is None  # a part of the suites has no overall rate
    assert report.suites.enhanced is None
    assert report.suites.native is not None
    assert 0 < report.suites.native.passed < report.suites.native.total
    shown = icae("evaluate", str(tmp_path), "--task", "bracex", *bubblewrap).stdout
    assert "overall" in shown
    assert "cases failed" in shown


def test_repeats_levels_and_tasks_multiply(bubblewrap: list[str]) -> None:
    done = icae(
        "run", "-t", "bracex", "-t", "stockholm", "-a", "noop", "-l", "L1", "-l", "ground", "-n", "2", "--seed", "5",
        *bubblewrap, "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    played = [(item["task"], item["level"], item["seed"]) for item in document(done)["episodes"]]
    tasks, levels = ("bracex", "stockholm"), ("L1", "ground")
    assert played == [(task, level, seed) for task in tasks for level in levels for seed in (5, 6)]
    assert [item["gaps"] is None for item in document(done)["episodes"]] == [False, False, True, True] * 2


def test_an_agent_of_ones_own_gets_its_options(bubblewrap: list[str], tmp_path: Path) -> None:
    (tmp_path / "own_agent.py").write_text(
        "class Writer:\n    name, privileged = 'writer', False\n"
        "    def __init__(self, text='none'):\n        self.left = [{'type': 'bash', 'command': f'echo {text}'}]\n"
        "    def begin(self, brief):\n        pass\n"
        "    def act(self, observation):\n        return self.left.pop() if self.left else {'type': 'submit'}\n"
    )
    done = process(
        "run", "-t", "bracex", "-a", "own_agent:Writer", "-o", "text=hello", *bubblewrap, "--watch", "--json",
        "--out", str(tmp_path / "out"), env={"PYTHONPATH": f"{tmp_path}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert document(done)["episodes"][0]["agent"] == "own_agent:Writer"
    assert "echo hello" in done.stderr
    (folder,) = (tmp_path / "out" / "episodes").iterdir()
    assert folder.name.startswith("bracex-L1-Writer-s0-")
    lines = (folder / "trajectory.jsonl").read_text().splitlines()
    assert json.loads(lines[1])["observation"]["text"].strip() == "hello"


def test_a_table_is_shown_to_a_person(bubblewrap: list[str]) -> None:
    done = icae("run", "-t", "bracex", "-a", "noop", *bubblewrap)
    assert done.exit_code == 0, done.stderr
    assert "0.000" in done.stdout
    assert "overall" in done.stdout
