"""icae task: check, new, record."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from icae_program import document, icae

from icae_env.tasks import find_task


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of a task that lies in no known data root."""
    found = find_task("bracex")
    folder = tmp_path / "root" / "tasks" / "copied"
    copytree(found.folder, folder)
    copytree(found.user_agent, tmp_path / "root" / "user_agent_data" / "copied")
    spec = (folder / "task.toml").read_text()
    (folder / "task.toml").write_text(spec.replace('id = "bracex"', 'id = "copied"'))
    return folder


def test_check_passes_a_task_that_ships() -> None:
    done = icae("task", "check", "bracex", "ssf", "--no-replay")
    assert done.exit_code == 0, done.output
    assert "bracex: all holds" in done.stdout
    assert "ssf: all holds" in done.stdout


def test_check_names_file_field_and_mend(copied: Path) -> None:
    (copied / "prd" / "ground.md").write_text("Print `zork`.\n")
    done = icae("task", "check", str(copied), "--no-replay")
    assert done.exit_code == 1
    assert "tasks/copied/prd/ground.md: line 1" in done.stdout
    assert "`zork` is said neither by the PRD of L1" in done.stdout
    assert "Mend: say it in prd/L1.md" in done.stdout
    told = document(icae("task", "check", str(copied), "--no-replay", "--json"))
    assert told["ok"] is False
    (task,) = told["tasks"]
    assert {"file", "field", "message", "mend"} == set(task["faults"][0])
    assert task["replayed"] == []


def test_check_goes_on_after_a_folder_that_cannot_be_read(copied: Path) -> None:
    (copied / "task.toml").write_text("id = 1\n")
    done = icae("task", "check", str(copied), "ssf", "--no-replay")
    assert done.exit_code == 1
    assert "copied: 1 thing to mend" in done.stdout
    assert "ssf: all holds" in done.stdout


def test_check_needs_a_task_that_exists() -> None:
    assert icae("task", "check").exit_code == 2
    done = icae("task", "check", "no-such", "--no-replay")
    assert done.exit_code == 2
    assert "There is no task 'no-such'" in done.output


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_check_runs_the_golden(copied: Path, place: list[str]) -> None:
    done = icae("task", "check", str(copied), *place, "--json")
    told = document(done)
    assert done.exit_code == 0, told
    (task,) = told["tasks"]
    names = [item["name"] for item in task["replayed"]]
    assert names == [
        "golden, 3 times",
        "doing nothing",
        "examples of the ground PRD",
        "no hidden text in the sandbox",
    ]


def test_new_makes_a_task_that_check_and_record_work_on(tmp_path: Path, bubblewrap: list[str]) -> None:
    done = icae("task", "new", "my-task", "--language", "python", "--dir", str(tmp_path))
    assert done.exit_code == 0, done.output
    folder = tmp_path / "tasks" / "my-task"
    assert str(folder / "task.toml") in done.stdout
    assert "export ICAE_TASKS_PATH=" in done.stdout
    checked = icae("task", "check", str(folder), "--no-replay")
    assert checked.exit_code == 1
    assert "tasks/my-task/prd/ground.md: line 3\n  This is still to be written:" in checked.stdout
    assert icae("task", "new", "my-task", "--language", "python", "--dir", str(tmp_path)).exit_code == 2
    cases = folder / "cases" / "enhanced" / "empty.json"
    cases.write_text(cases.read_text().replace("(empty)", "nothing"))
    differs = icae("task", "record", str(folder), "--check", *bubblewrap)
    assert differs.exit_code == 1
    assert "recorded 'nothing\\n'" in differs.stdout
    assert "printed  '(empty)\\n'" in differs.stdout
    told = document(icae("task", "record", str(folder), "--json", *bubblewrap))
    assert [item["case"] for item in told["differences"]] == ["empty-01"]
    assert told["written"] == [str(cases.resolve())]
    assert icae("task", "record", str(folder), "--check", *bubblewrap).exit_code == 0
