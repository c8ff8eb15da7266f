"""icae validate: what holds is proved, and what does not is found."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest
from icae_program import document, icae

from icae_env.rollout.examples import ground_examples
from icae_env.tasks import find_task

pytestmark = [pytest.mark.network, pytest.mark.slow, pytest.mark.timeout(900)]


def checks(told: dict[str, object]) -> dict[str, dict[str, object]]:
    (task,) = told["tasks"]  # type: ignore[misc]
    return {check["name"]: check for check in task["checks"]}


def test_a_task_that_ships_holds(place: list[str]) -> None:
    done = icae("validate", "bracex", *place, "--json")
    told = document(done)
    assert done.exit_code == 0, told
    assert told["ok"]
    found = checks(told)
    assert len(found) == 7
    assert {check["ok"] for name, check in found.items() if name != "scripted agent"} == {True}
    assert "1.000, 1.000, 1.000, identical outputs" in str(found["golden, 3 times"]["detail"])


@pytest.fixture
def spoilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a task, to be spoilt."""
    found = find_task("bracex")
    folder = tmp_path / "tasks" / "spoilt"
    copytree(found.folder, folder)
    copytree(found.user_agent, tmp_path / "user_agent_data" / "spoilt")
    spec = (folder / "task.toml").read_text()
    (folder / "task.toml").write_text(spec.replace('id = "bracex"', 'id = "spoilt"'))
    monkeypatch.setenv("ICAE_TASKS_PATH", str(tmp_path))
    return folder


def test_every_fault_of_a_spoilt_task_is_found(spoilt: Path, tmp_path: Path, bubblewrap: list[str]) -> None:
    records = tmp_path / "user_agent_data" / "spoilt" / "L1.json"
    data = json.loads(records.read_text())
    first = data["oracle_data"]["hidden_constraints"][0]
    cases_file = next(
        file
        for file in (spoilt / "cases").rglob("*.json")
        if f'"{first["witnesses"][1]["case"]}"' in file.read_text()
    )
    cases = json.loads(cases_file.read_text())
    case = next(case for case in cases["cases"] if case["id"] == first["witnesses"][1]["case"])
    case["expected_output"] = first["witnesses"][1]["naive_output"]
    cases_file.write_text(json.dumps(cases))
    # What only the user may tell stands in what every agent reads.
    prd = spoilt / "prd" / "L1.md"
    prd.write_text(
        prd.read_text() + "\n" + data["oracle_data"]["hidden_constraints"][2]["oracle_response"] + "\n"
    )
    ground = spoilt / "prd" / "ground.md"
    ground.write_text(
        ground.read_text() + '\n```case\n{"input": {"op": "count", "text": "{a,b}"}, "output": "3"}\n```\n'
    )
    done = icae("validate", "spoilt", *bubblewrap, "--json")
    assert done.exit_code == 1
    found = checks(document(done))
    wrong = {name for name, check in found.items() if check["ok"] is False}
    assert {
        "witnesses",
        "golden, 3 times",
        "examples of the ground PRD",
        "no hidden text in the sandbox",
    } <= wrong
    assert found["doing nothing"]["ok"]
    assert case["id"] in str(found["golden, 3 times"]["detail"])
    assert "/workspace/start.md" in str(found["no hidden text in the sandbox"]["detail"])
    assert f"prd-example-{len(ground_examples('bracex')) + 1}" in str(
        found["examples of the ground PRD"]["detail"]
    )
    assert found["scripted agent"]["ok"] is None


def test_a_golden_that_cannot_be_installed_is_not_measured(spoilt: Path, bubblewrap: list[str]) -> None:
    (spoilt / "golden" / "install.sh").write_text("echo no such package >&2\nexit 9\n")
    done = icae("validate", "spoilt", *bubblewrap, "--json")
    assert done.exit_code == 3
    golden = checks(document(done))["golden, 3 times"]
    assert golden["infra"]
    assert "no such package" in str(golden["detail"])
    assert "exit 9" in str(golden["detail"])
