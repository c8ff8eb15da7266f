"""The options of icae run, and what it shows while it goes."""

from __future__ import annotations

import io
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from icae_program import document, icae, process
from rich.console import Console

from icae_env.cli.progress import RunDisplay, clock
from icae_env.llm.base import Usage
from icae_env.llm.limits import ModelUse
from icae_env.rollout.job import Progress
from icae_env.rollout.plan import Selection, make_plan
from icae_env.rollout.store import EpisodeRow, Run

RUN = ("run", "--task", "bracex", "--agent", "noop", "--sandbox", "fake", "--image", "host")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--engine", "cluster"), "no engine 'cluster'"),
        (("--resume",), "name it with --out DIR"),
        (("--env-option", "stepz=3"), "Valid names: command_seconds, output_chars"),
        (("--env-option", "steps=none"), "--env-option steps"),
        (("--env-option", "router=none"), "no router 'none'"),
        (("--max-cost", "0"), "--max-cost"),
        (("--max-cost", "1"), "no agent uses one"),
        (("--model", "openai/x"), "uses a model"),
        (("--model-option", "x"), "--model-option"),
        (("--agent-option", "scripted.script=x"), "'scripted', which is not played"),
        (("--prices", "none.toml"), "none.toml"),
        (("--watch", "--engine", "ray"), "cannot be watched"),
        (("--out", "pyproject.toml"), "This is a file"),
    ],
)
def test_wrong_options_are_explained(
    options: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    done = icae(*RUN, *options, "--json")
    assert done.exit_code == 2
    assert said in document(done)["error"]["message"]


def test_part_of_a_selection_is_no_selection(tmp_path: Path) -> None:
    assert icae(*RUN, "--out", str(tmp_path / "run")).exit_code == 0
    done = icae("run", "--out", str(tmp_path / "run"), "--resume", "--level", "L2")
    assert done.exit_code == 2
    assert "no task and no agent" in done.stderr


def test_the_environment_can_be_limited(tmp_path: Path) -> None:
    done = icae(
        *RUN,
        "--env-option",
        "questions=3",
        "--env-option",
        "public_cases=true",
        "--out",
        str(tmp_path / "run"),
    )
    assert done.exit_code == 0, done.stderr
    run = Run(tmp_path / "run")
    assert run.config.env == {"questions": 3, "public_cases": True}
    first = next(run.episodes()[0].trajectory())
    assert first.observation.questions_left == 3


def test_a_model_plays_and_its_use_is_told(tmp_path: Path) -> None:
    usage = {"input_tokens": 100, "output_tokens": 10}
    script = [
        {"tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}], "usage": usage},
        {"tool_calls": [{"name": "submit", "arguments": {}}], "usage": usage},
    ]
    (tmp_path / "script.json").write_text(json.dumps(script))
    (tmp_path / "prices.toml").write_text('[models."scripted:*"]\ninput = 10.0\noutput = 100.0\n')
    given = (
        "run",
        "-t",
        "bracex",
        "-a",
        "react",
        "-m",
        f"scripted:{tmp_path / 'script.json'}",
        "-n",
        "2",
        "-s",
        "fake",
    )
    done = icae(*given, "-i", "host", "--prices", str(tmp_path / "prices.toml"), "--json")
    assert done.exit_code == 0, done.stderr
    for episode in document(done)["episodes"]:
        assert (episode["end"], episode["steps"], episode["model_use"]["calls"]) == ("submit", 2, 2)
        assert episode["model_use"]["cost"] == pytest.approx(2 * (100 * 10 + 10 * 100) / 1e6)


def test_an_agent_that_prints_does_not_spoil_the_document(tmp_path: Path) -> None:
    (tmp_path / "loud_agent.py").write_text(
        "class Loud:\n    name, privileged = 'loud', False\n    def begin(self, brief):\n        print('begun')\n"
        "    def act(self, observation):\n        return {'type': 'submit'}\n"
    )
    given = ("run", "-t", "bracex", "-a", "loud_agent:Loud", "-s", "fake", "-i", "host", "--json")
    done = process(*given, env={"PYTHONPATH": f"{tmp_path}"})
    assert document(done)["episodes"][0]["status"] == "ok"
    assert "begun" in done.stderr


def test_without_out_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(RunDisplay, "begin", lambda *_: made.extend(tmp_path.rglob("run.json")))
    assert icae(*RUN).exit_code == 0
    assert len(made) == 1
    assert list(tmp_path.iterdir()) == []


def _row(key: object, reward: float | None) -> EpisodeRow:
    return EpisodeRow(
        key=key, status="infra" if reward is None else "ok", reward=reward, end="submit", steps=7, questions=2, seconds=3.0,
        started=datetime.now(UTC), error="It broke." if reward is None else None,
    )  # fmt: skip


@pytest.mark.parametrize("table", [True, False])
def test_a_run_is_shown_as_it_goes(table: bool) -> None:
    config = make_plan(Selection(tasks=("bracex",), agents=("noop",), repeats=4)).config
    stream = io.StringIO()
    console = Console(
        file=stream, width=120, height=30, force_terminal=table, color_system=None, markup=False
    )
    with RunDisplay(console, table=table) as display:
        display.begin(config, [_row(config.episodes[0], 0.25)])
        display.ended(_row(config.episodes[1], None), again=True)
        display.ended(_row(config.episodes[1], 0.75), again=False)
        display.ended(_row(config.episodes[2], None), again=False)
        use = ModelUse(calls=1, usage=Usage(input_tokens=1200, output_tokens=34), cost=1.5)
        running = Progress(
            id=config.episodes[3].id, state="playing", started=time.time() - 60, seconds=3600.5, steps=12, most_steps=200,
            questions=3, most_questions=16, use=use, has_model=True,
        )  # fmt: skip
        display.tick([running], use)
    shown = stream.getvalue()
    assert "1 of 4 episodes have a score already." in shown
    assert "not measured, to be played again: It broke." in shown
    assert "[3/4] bracex-L1-noop-s2: not measured: It broke." in shown
    if table:
        for said in (
            "12/200",
            "3/16",
            "$1.50",
            "59:0",
            "3 of 4 over, 1 running, mean reward 0.500, 1 not measured",
            "1,234 tokens",
        ):
            assert said in shown
    else:
        assert "[2/4] bracex-L1-noop-s1: reward 0.750 in 3.0 s" in shown
        assert "\x1b" not in shown


def test_times_are_written_as_on_a_clock() -> None:
    assert [clock(seconds) for seconds in (5.9, 65, 3661)] == ["0:05", "1:05", "1:01:01"]
