"""Wrong input: a message with the mend on stderr, exit code 2, no traceback; the machine's faults: exit code 3."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest
from icae_program import document, icae, process

from icae_env.tasks import find_task

TASKS = ("Valid names: ", "bracex, ", "ssf, ", "stockholm")
RUN = ("run", "--task", "bracex", "--agent", "noop")
WRONG: dict[str, tuple[tuple[str, ...], str | tuple[str, ...]]] = {
    "demo task": (("demo", "--task", "brasex"), TASKS),
    "demo level": (("demo", "--level", "L9"), "L1, L2, L3, ground, recovered"),
    "demo sandbox": (("demo", "--sandbox", "bubble"), "bubblewrap, docker"),
    "tasks": (("tasks", "nope"), TASKS),
    "tasks level": (("tasks", "bracex", "--level", "hard"), "L1, L2, L3"),
    "run task": (("run", "--task", "nope", "--agent", "noop"), TASKS),
    "run level": ((*RUN, "--level", "L4"), "L1, L2, L3"),
    "run agent": (("run", "--task", "bracex", "--agent", "gold"), ("Did you mean 'golden'", "noop, ", "scripted")),
    "run agent module": (("run", "--task", "bracex", "--agent", "no_such_module:Agent"), "cannot be imported"),
    "run agent class": (("run", "--task", "bracex", "--agent", "json:Agent"), "has no 'Agent'"),
    "run agent option": ((*RUN, "-o", "speed=3"), "speed"),
    "run option form": ((*RUN, "-o", "speed"), "name=value"),
    "run sandbox": ((*RUN, "--sandbox", "dokcer"), "Did you mean 'docker'"),
    "run image": ((*RUN, "--image", "pyhton"), "Did you mean 'python'"),
    "evaluate task": (("evaluate", ".", "--task", "nope"), TASKS),
    "evaluate folder": (("evaluate", "/no/such/folder", "--task", "bracex"), "no such submission"),
    "evaluate suite": (("evaluate", ".", "--task", "bracex", "--suite", "all"), "native, public"),
    "validate": (("validate", "nope"), TASKS),
    "validate nothing": (("validate",), (*TASKS[1:], "or --all")),
    "images build": (("images", "build", "pyton"), "Did you mean 'python'"),
    "images build nothing": (("images", "build"), ("base, ", "node, ", "python, ")),
    "images builder": (("images", "build", "base", "--builder", "podman"), "auto, docker, mmdebstrap"),
    "images remove": (("images", "remove", "nope"), "There is no built image 'nope'"),
    "play seed": (("play", "--seed", "-1"), "greater than or equal to 0"),
    "play level": (("play", "--level", "L0"), "L1, L2, L3"),
}  # fmt: skip


def _several(parts: str | tuple[str, ...]) -> tuple[str, ...]:
    return (parts,) if isinstance(parts, str) else parts


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_explained(name: str) -> None:
    arguments, parts = WRONG[name]
    done = icae(*arguments)
    assert done.exit_code == 2
    for part in _several(parts):
        assert part in done.stderr
    assert "Error: " in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_told_as_json_too(name: str) -> None:
    arguments, parts = WRONG[name]
    done = icae(*arguments, "--json")
    assert done.exit_code == 2
    for part in _several(parts):
        assert part in document(done)["error"]["message"]


def test_a_path_that_the_system_refuses_is_named_with_a_mend() -> None:
    done = icae("evaluate", "a" * 300, "--task", "bracex")
    assert done.exit_code == 2
    assert "File name too long. Mend: give a shorter path." in done.stderr


@pytest.mark.bubblewrap
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("demo",), "no action file for the task 'unplayed'. Mend: play one of bracex, "),
        (("run", "--agent", "scripted"), "the agent 'scripted' cannot play it. Mend: it plays bracex, "),
    ],
    ids=["demo", "run"],
)
def test_a_task_without_a_script_names_those_that_have_one(
    command: tuple[str, ...], said: str, bubblewrap: list[str], tmp_path: Path
) -> None:
    found = find_task("bracex")
    copytree(found.folder, tmp_path / "tasks" / "unplayed")
    copytree(found.user_agent, tmp_path / "user_agent_data" / "unplayed")
    spec = tmp_path / "tasks" / "unplayed" / "task.toml"
    spec.write_text(spec.read_text().replace('id = "bracex"', 'id = "unplayed"'))
    done = icae(*command, "--task", "unplayed", *bubblewrap, env={"ICAE_TASKS_PATH": str(tmp_path)})
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_traceback_is_shown_on_request() -> None:
    for arguments in (("--debug", "tasks", "nope"), ("tasks", "nope", "--debug")):
        done = process(*arguments)
        assert done.returncode != 0
        assert "Traceback" in done.stderr
        assert "UnknownNameError" in done.stderr


def test_an_unknown_option_is_explained() -> None:
    done = process("run", "--tusk", "bracex")
    assert done.returncode == 2
    assert "--tusk" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unforeseen_fault_is_one_line_without_debug(tmp_path: Path) -> None:
    (tmp_path / "broken_agent.py").write_text(
        "class Broken:\n    name, privileged = 'broken', False\n    def __init__(self):\n        raise KeyError('x')\n"
    )
    done = process(
        "run", "--task", "bracex", "--agent", "broken_agent:Broken", env={"PYTHONPATH": f"{tmp_path}"}
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "KeyError" in done.stderr
    assert "--debug" in done.stderr


@pytest.mark.parametrize("file", ["task.toml", "prd/L1.md", "cases/native/amounts.json"])
def test_a_damaged_task_folder_is_named_with_file_and_mend(file: str, copied_task: Path) -> None:
    (copied_task / file).write_text("{")
    done = icae("validate", "copied", "--json", env={"ICAE_TASKS_PATH": str(copied_task.parents[1])})
    assert done.exit_code != 0
    assert str(copied_task / file) in json.dumps(document(done))
    listed = document(icae("tasks", "--json", env={"ICAE_TASKS_PATH": str(copied_task.parents[1])}))["tasks"]
    broken = next(task for task in listed if task["id"] == "copied")
    assert ("error" in broken) == (file != "prd/L1.md")


@pytest.fixture
def copied_task(tmp_path: Path) -> Path:
    """A task folder of our own, in a data root of its own."""
    from shutil import copytree

    from icae_env.tasks import find_task

    found = find_task("bracex")
    folder = tmp_path / "root" / "tasks" / "copied"
    copytree(found.folder, folder)
    copytree(found.user_agent, tmp_path / "root" / "user_agent_data" / "copied")
    spec = (folder / "task.toml").read_text()
    (folder / "task.toml").write_text(spec.replace('id = "bracex"', 'id = "copied"'))
    return folder


def test_a_sandbox_that_does_not_work_is_the_machines_fault(tmp_path: Path) -> None:
    env = {"DOCKER_HOST": f"unix://{tmp_path}/no.sock"}
    done = process(*RUN, "--sandbox", "docker", "--json", env=env)
    assert done.returncode == 3
    told = json.loads(done.stdout)
    episode = told["episodes"][0]
    assert (episode["status"], episode["reward"]) == ("infra", None)
    assert (episode["task"], episode["level"]) == ("bracex", "L1")
    assert "docker" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = icae(*RUN, "--image", "host", "--sandbox", "bubblewrap", "--out", str(tmp_path / "file" / "below"))
    assert done.exit_code == 2
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "arguments",
    [("run",), ("run", "--task", "bracex"), (*RUN, "--repeats", "0"), (*RUN, "--bogus"), ("nope",), ("task", "new", "x")],
)  # fmt: skip
def test_a_command_line_that_cannot_be_parsed_is_told_as_json_too(arguments: tuple[str, ...]) -> None:
    done = process(*arguments, "--json")
    assert done.returncode == 2
    assert document(done)["error"]["message"] in done.stderr.replace("\n", " ")


AGENTS = """
class Sound:
    name, privileged = "sound", False
    def begin(self, brief): pass
    def act(self, observation): return {"type": "submit"}
class Raises(Sound):
    def act(self, observation): raise ValueError("boom")
class Exits(Sound):
    def begin(self, brief): raise SystemExit(0)
class Idle:
    name, privileged = "idle", False
    def begin(self, brief): pass
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [("Raises", "failed in act(): ValueError: boom"), ("Exits", "failed in begin(): SystemExit")],
)
def test_a_fault_of_an_agent_is_told_as_its_own(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "my_agents.py").write_text(AGENTS)
    given = ("run", "--task", "bracex", "-s", "fake", "-i", "host", "-a", f"my_agents:{name}")
    done = process(*given, "--json")
    assert done.returncode == 0, done.stderr
    (episode,) = document(done)["episodes"]
    assert (episode["status"], episode["end"], episode["reward"]) == ("ok", "agent_error", 0.0)
    assert said in episode["error"]
    assert "fault of icae_env" not in done.stderr


def test_an_agent_that_lacks_a_part_is_refused(tmp_path: Path) -> None:
    (tmp_path / "my_agents.py").write_text(AGENTS)
    done = process("run", "--task", "bracex", "-s", "fake", "-i", "host", "-a", "my_agents:Idle", "--json")
    assert done.returncode == 2
    assert "has no act" in document(done)["error"]["message"]


def test_debug_changes_neither_exit_code_nor_document() -> None:
    done = process("tasks", "nope", "--json", "--debug")
    assert done.returncode == 2
    assert document(done)["error"]["type"] == "UnknownNameError"
    assert "Traceback" in done.stderr


def test_a_folder_of_episodes_is_no_submission(tmp_path: Path) -> None:
    done = icae(*RUN, "--image", "host", "--sandbox", "bubblewrap", "--out", "kept", "--json")
    kept = document(done)["episodes"][0]["report"]["submission"]["sha256"]
    whole = icae("evaluate", "kept", "--task", "bracex")
    assert whole.exit_code == 2
    assert "episodes/bracex-L1-noop-s0" in whole.stderr
    again = icae(
        "evaluate", "kept/episodes/bracex-L1-noop-s0", "--task", "bracex", "--image", "host", "--json"
    )
    assert document(again)["report"]["submission"]["sha256"] == kept
