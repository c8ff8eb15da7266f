"""What every command has in common, and the commands that list things."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from icae_program import document, icae, process

import icae_env
from icae_env.tasks import load_hidden, load_public, task_ids

COMMANDS = ("demo", "tasks", "agents", "run", "evaluate", "validate", "images", "doctor", "play")


def test_help_names_every_command() -> None:
    done = icae("--help")
    assert done.exit_code == 0
    for name in COMMANDS:
        assert name in done.stdout


@pytest.mark.parametrize("command", [*COMMANDS, "images build", "images list", "images remove"])
def test_every_command_has_help_json_and_debug(command: str) -> None:
    done = icae(*command.split(), "--help")
    assert done.exit_code == 0
    if command != "images":
        assert "--json" in done.stdout
        assert "--debug" in done.stdout


def test_help_is_quick() -> None:
    times = []
    for _ in range(3):
        begun = time.monotonic()
        assert process("--help").returncode == 0
        times.append(time.monotonic() - begun)
    assert min(times) < 2.0


def test_the_version_is_the_packages() -> None:
    assert icae("--version").stdout.strip() == icae_env.__version__


def test_tasks_lists_each_task_with_its_counts() -> None:
    tasks = document(icae("tasks", "--json"))["tasks"]
    assert [task["id"] for task in tasks] == task_ids()
    for task in tasks:
        hidden = load_hidden(task["id"])
        assert {"id", "kind", "language", "domain"} <= set(task)
        assert {"L1", "L2", "L3"} <= set(task["levels"])
        assert task["native"] == task["cases"]["native"] == len(hidden.suite("native"))
        assert task["enhanced"] == task["cases"]["enhanced"] == len(hidden.suite("enhanced"))
        assert task["constraints"]["L1"] > task["constraints"]["L2"] > task["constraints"]["L3"] > 0
    table = icae("tasks").stdout
    assert all(name in table for name in task_ids())


def test_a_task_is_shown_with_its_prd_and_nothing_hidden() -> None:
    shown = document(icae("tasks", "bracex", "--level", "L2", "--json"))
    assert shown["prd"] == load_public("bracex", "L2").prd
    assert "expected_output" not in str(shown)
    assert load_public("bracex", "L2").prd.splitlines()[0] in icae("tasks", "bracex", "--level", "L2").stdout


def test_agents_that_ship_are_listed() -> None:
    agents = {agent["name"]: agent for agent in document(icae("agents", "--json"))["agents"]}
    assert {"golden", "noop", "scripted"} <= set(agents)
    assert agents["golden"]["privileged"]
    assert not agents["scripted"]["privileged"]
    assert "golden" in icae("agents").stdout


def test_images_are_listed_whether_built_or_not() -> None:
    images = {image["name"]: image for image in document(icae("images", "list", "--json"))["images"]}
    assert {"host", "base", "python", "node"} <= set(images)
    assert all(
        image["digest"].startswith("sha256:")
        for image in images.values()
        if image["built"] and image["name"] != "host"
    )
    assert "python" in icae("images", "list").stdout


def test_doctor_says_what_works() -> None:
    done = icae("doctor", "--json")
    found = document(done)
    assert {"platform", "sandbox bubblewrap", "sandbox docker"} <= {
        check["name"] for check in found["checks"]
    }
    assert done.exit_code == (0 if found["ok"] else 3)
    assert all(check["ok"] or check["mend"] or check["detail"] for check in found["checks"])
    assert "sandbox bubblewrap" in icae("doctor", "--reap").stdout


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -c 'from icae_env.cli.main import main; main()' tasks ssf | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
