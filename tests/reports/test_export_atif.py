"""Episodes in ATIF, by our models and by the validator of the framework that the format comes from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile import TEXT
from page_maker import reset_line, step_line
from pydantic import ValidationError
from run_maker import add_files, key, make_run, row, use
from talk_maker import begin, lines, model_line

from icae_env.env.actions import ACTION_TYPES
from icae_env.llm.base import Message
from icae_env.reports import load_rows
from icae_env.reports.export import Trajectory, atif
from icae_env.reports.export.atif import Observation, Result, Step
from icae_env.reports.export.writing import write_export

HARBOR = "harbor==0.26.0"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with an episode of a model, one of an agent without, one of hostile texts and one that only began."""
    spoken = key(model="openai/m", options={"style": "tools"})
    bare, wild, begun, never = key("ssf", agent="scripted"), key("wild"), key("begun"), key("never")
    folder = make_run(
        tmp_path / "run",
        [row(spoken, 0.5, model_use=use()), row(bare, 1.0), row(wild, None, error=TEXT)],
        [begun, never],
    )
    add_files(folder, spoken, lines(), None)
    played = [
        step_line(0, {"type": "bash", "command": "ls"}, "run.py"),
        step_line(1, {"type": "submit"}, "Over.", -1, end="submit"),
    ]
    add_files(folder, bare, [reset_line(), *played], None)
    add_files(folder, wild, [reset_line(TEXT), step_line(0, {"type": "bash", "command": TEXT}, TEXT)], None)
    add_files(folder, begun, [begin(), model_line(0, 0, [], Message(role="assistant", text="I ..."))], None)
    return folder


def exported(run: Path, task: str) -> Trajectory:
    (entry,) = (entry for entry in load_rows([run]).entries if entry.key.task == task)
    found = atif(entry, version="1.2.3")
    assert found is not None
    return found


def test_calls_results_and_metrics_are_told(run: Path) -> None:
    found = exported(run, "bracex")
    assert [step.source for step in found.steps] == ["system", "user", "agent", "agent", "agent", "agent"]
    look, empty, broken, over = found.steps[2:]
    assert look.tool_calls is not None and look.observation is not None and look.metrics is not None
    assert [(call.tool_call_id, call.function_name, call.arguments) for call in look.tool_calls] == [
        ("a", "bash", {"command": "ls"}), ("b", "ask_user", {"question": "UTC?"}),
    ]  # fmt: skip
    assert [(item.source_call_id, item.content) for item in look.observation.results] == [
        ("a", "run.py"),
        ("b", "Yes."),
    ]
    assert look.observation.results[1].extra is not None
    assert look.observation.results[1].extra["revealed"] == ["zone"]
    assert (look.message, look.reasoning_content, look.model_name) == ("I look.", "hm", "m-1")
    assert (look.metrics.prompt_tokens, look.metrics.completion_tokens, look.metrics.cost_usd) == (
        100,
        10,
        None,
    )
    assert empty.metrics is not None
    assert (empty.metrics.completion_tokens, empty.metrics.cost_usd) == (None, 0.01)
    assert broken.tool_calls is not None and broken.observation is not None
    assert broken.tool_calls[0].arguments == {"unparsed": '{"command": '}
    assert broken.observation.results[0].source_call_id == "c"
    assert over.observation is not None and over.observation.results[0].extra is not None
    assert over.observation.results[0].extra["end"] == "submit"
    sums = found.final_metrics
    assert sums is not None and sums.extra is not None
    assert (sums.total_prompt_tokens, sums.total_cost_usd, sums.total_steps, sums.extra["reward"]) == (
        1000,
        0.01,
        6,
        0.5,
    )
    assert (found.agent.name, found.agent.version, found.agent.model_name) == ("react", "1.2.3", "openai/m")
    assert {tool["function"]["name"] for tool in found.agent.tool_definitions or ()} == set(ACTION_TYPES)


def test_an_agent_without_a_model_has_steps_without_calls_of_one(run: Path) -> None:
    found = exported(run, "ssf")
    assert [(step.source, step.llm_call_count) for step in found.steps] == [
        ("user", None),
        ("agent", 0),
        ("agent", 0),
    ]
    assert found.steps[1].tool_calls is not None
    assert found.steps[1].tool_calls[0].arguments == {"command": "ls"}
    document = found.document()
    assert "metrics" not in document["steps"][1]
    assert "total_cost_usd" not in document["final_metrics"]


def test_an_episode_of_which_nothing_was_written_is_left_out(run: Path) -> None:
    assert [entry.key.task for entry in load_rows([run]).entries if atif(entry, version="1") is None] == [
        "never"
    ]
    assert exported(run, "begun").extra == {
        "task": "begun", "level": "L1", "language": "unknown", "seed": 0, "status": "unfinished", "sandbox": "bubblewrap",
        "image": "python",
    }  # fmt: skip


def test_our_models_hold_the_rules() -> None:
    good = Step(step_id=1, source="user", message="x")
    for wrong in (
        {"source": "user", "message": "", "reasoning_content": "no"},
        {"source": "agent", "message": "", "llm_call_count": 0, "reasoning_content": "no"},
        {"source": "agent", "message": "", "observation": Observation(results=(Result(source_call_id="z"),))},
        {"source": "agent", "message": "", "unknown": 1},
    ):
        with pytest.raises(ValidationError):
            Step(step_id=1, **wrong)
    for steps in ((), (good, good), (good.model_copy(update={"step_id": 2}),)):
        with pytest.raises(ValidationError):
            Trajectory(agent={"name": "a", "version": "1"}, steps=steps)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The framework's wheel: its validator needs nothing but pydantic, so that the wheel alone is enough on any Python."""
    folder = tmp_path_factory.mktemp("harbor")
    options = ["--no-deps", "--only-binary=:all:", "--python-version", "3.13", "-q", "-d", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, HARBOR], check=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    return wheel


def validate(harbor: Path, file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harbor.utils.trajectory_validator", str(file)],
        env={**os.environ, "PYTHONPATH": str(harbor)}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.network
def test_the_validator_of_the_framework_accepts_them(run: Path, harbor: Path, tmp_path: Path) -> None:
    entries = load_rows([run]).entries
    assert write_export(entries, "atif", tmp_path / "out", version="1.2.3") == 4
    files = sorted((tmp_path / "out").iterdir())
    assert [json.loads(file.read_text())["schema_version"] for file in files] == ["ATIF-v1.8"] * 4
    for file in files:
        done = validate(harbor, file)
        assert done.returncode == 0, done.stderr
    damaged = json.loads(files[0].read_text())
    damaged["steps"][0]["step_id"] = 7
    (tmp_path / "damaged.json").write_text(json.dumps(damaged))
    assert validate(harbor, tmp_path / "damaged.json").returncode == 1
