"""mini-swe-agent's own program and its deterministic model play episodes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from icae_env.integrations.mini_swe import CONFIG, SENTINEL, ICAEEnvironment
from icae_env.rollout.store import Run
from icae_env.tasks import load_public

pytestmark = pytest.mark.skipif(
    find_spec("minisweagent") is None,
    reason="mini-swe-agent is not installed; mend: pip install 'icae-env[mini-swe]'",
)


def turn(*commands: str) -> dict[str, Any]:
    """Return an answer of the model with these commands."""
    actions = [{"command": command} for command in commands]
    return {"role": "assistant", "content": "I go on.", "extra": {"actions": actions, "cost": 0.0}}


def writes(program: list[dict[str, str]]) -> list[str]:
    """Return commands that write the files of a program."""
    return [
        f"mkdir -p $(dirname {item['path']}); cat > {item['path']} <<'END_OF_FILE'\n{item['text']}END_OF_FILE"
        for item in program
    ]


def mini(tmp_path: Path, place: dict[str, str], turns: list[dict[str, Any]], *options: str) -> dict[str, Any]:
    """Run the program ``mini`` and return the trajectory that it saves."""
    model = {
        "model_class": "deterministic",
        "model_name": "deterministic",
        "outputs": turns,
        "cost_per_call": 0.0,
    }
    environment = {"task": "bracex", "out": str(tmp_path / "run"), **place}
    (tmp_path / "own.yaml").write_text(
        json.dumps({"model": model, "environment": environment})
    )  # JSON is YAML
    variables = {
        **os.environ, "MSWEA_CONFIGURED": "true", "MSWEA_GLOBAL_CONFIG_DIR": str(tmp_path / "global"),
        "MSWEA_SILENT_STARTUP": "1", "MSWEA_COST_TRACKING": "ignore_errors",
    }  # fmt: skip
    command = [sys.executable, "-m", "minisweagent", *options, "-c", str(tmp_path / "own.yaml")]
    done = subprocess.run(
        [*command, "-y", "--exit-immediately", "-o", str(tmp_path / "trajectory.json")], capture_output=True, text=True,
        timeout=240, check=False, env=variables, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    saved: dict[str, Any] = json.loads((tmp_path / "trajectory.json").read_text())
    return saved


def test_its_program_plays_an_episode_to_a_score(
    tmp_path: Path, place: dict[str, str], program: list[dict[str, str]]
) -> None:
    turns = [
        turn(
            "cd /tmp && export LOST=1; ask-user 'May a step be negative?'",
            'pwd; echo "lost:$LOST pager:$PAGER"; (exit 3)',
        ),
        turn(*writes(program)),
        turn("submit"),
    ]
    saved = mini(tmp_path, place, turns, "-c", str(CONFIG))
    told = [message["content"] for message in saved["messages"]]
    assert load_public("bracex", "L1").prd.rstrip() in told[1]
    assert "15 questions left" in "".join(told)
    assert "<returncode>3</returncode>\n<output>\n/workspace\nlost: pager:cat\n" in "".join(told)
    assert saved["info"]["exit_status"] == "Submitted"
    assert saved["info"]["icae"]["reward"] == 1.0
    (episode,) = Run(tmp_path / "run").episodes()
    row = episode.row
    assert row is not None and row.model_dump(mode="json") == saved["info"]["icae"]
    assert (row.key.agent, row.end, row.questions, row.steps) == (
        "mini-swe-agent",
        "submit",
        1,
        len(program) + 3,
    )


def test_its_own_configuration_and_sentinel_hand_in(
    tmp_path: Path, place: dict[str, str], program: list[dict[str, str]]
) -> None:
    turns = [
        turn("cat start.md"),
        *(turn(command) for command in writes(program)),
        turn(f"echo {SENTINEL}; echo done"),
    ]
    kind = "environment.environment_class=icae_env.integrations.mini_swe.ICAEEnvironment"
    saved = mini(
        tmp_path,
        place,
        turns,
        "-c",
        "mini.yaml",
        "-c",
        kind,
        "-t",
        "Do the job that /workspace/start.md describes.",
    )
    assert (saved["info"]["exit_status"], saved["info"]["submission"]) == ("Submitted", "done\n")
    assert saved["info"]["icae"]["reward"] == 1.0


def test_an_agent_that_ends_without_handing_in_is_scored(tmp_path: Path, place: dict[str, str]) -> None:
    saved = mini(tmp_path, place, [turn("true"), turn("true")], "-c", str(CONFIG), "-c", "agent.step_limit=1")
    assert saved["info"]["exit_status"] == "LimitsExceeded" and saved["info"]["icae"] is None
    (episode,) = Run(tmp_path / "run").episodes()
    assert episode.row is not None
    assert (episode.row.end, episode.row.reward, episode.row.steps) == ("disconnected", 0.0, 2)


def test_limits_of_the_episode_end_the_agent(place: dict[str, str]) -> None:
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.models.test_models import DeterministicModel

    environment = ICAEEnvironment(task="bracex", steps=3, timeout=0.5, **place)
    large = f": {'x' * 300_000}; echo long"
    model = DeterministicModel(outputs=[turn("sleep 5"), turn(large), turn("true"), turn("true")])
    agent = DefaultAgent(
        model, environment, system_template="{{system}}", instance_template="{{start}} {{task}}"
    )
    assert agent.run("go")["exit_status"] == "LimitsExceeded"
    assert "<returncode>124</returncode>" in agent.messages[3]["content"]
    assert "long" in agent.messages[5]["content"]
    assert "step limit of 3 actions" in agent.messages[-1]["content"]
    assert environment.row is not None and environment.row.end == "steps"
    assert environment.serialize()["info"]["icae"]["reward"] == 0.0
    environment.close()
