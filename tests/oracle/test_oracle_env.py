"""An oracle task in the environment: what it begins with, its probes, a sandbox that is replaced, and what a run keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from oracle_task import write_oracle_task

from icae_env import make_env
from icae_env.env.env import ICAEEnv
from icae_env.errors import SandboxDiedError
from icae_env.oracle.reference import install_reference
from icae_env.paths import TASKS_PATH_VARIABLE
from icae_env.sandbox.base import Backend
from icae_env.sandbox.images.store import HOME_VARIABLE, data_home


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task folder, and a data home of its own that knows the machine's images."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "images").symlink_to(data_home() / "images")
    made = write_oracle_task(tmp_path / "data")
    monkeypatch.setenv(TASKS_PATH_VARIABLE, str(tmp_path / "data"))
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    return made


@pytest.fixture
def env(folder: Path, real: Backend, image: str) -> Iterator[ICAEEnv]:
    with closing(make_env("echoes", sandbox=real, image=image)) as made:
        yield made


def bash(env: ICAEEnv, command: str) -> str:
    return env.step({"type": "bash", "command": command})[0]["text"]


def test_an_episode_from_the_documentation_to_a_score(env: ICAEEnv) -> None:
    obs, _ = env.reset(seed=0)
    assert "./executable" in obs["text"] and "prints what it is given" in obs["text"]
    assert bash(env, "ls; ls -R docs; cat docs/more/LINK") == (
        "docs\nexecutable\nstart.md\ndocs:\nREADME\nmore\n\ndocs/more:\nLINK\nPrints its arguments.\n"
    )
    env.phase = "spec"
    assert bash(env, "./executable args; echo $?") == "[./executable]\n[args]\n3\n"
    bash(env, "./executable bad; ./executable exit 0")
    assert [(p.step, p.phase, p.argv[1:], p.exit_code) for p in env.probes] == [
        (2, "spec", ("args",), 3), (3, "spec", ("bad",), 2), (3, "spec", ("exit", "0"), 0),
    ]  # fmt: skip
    program = '#!/bin/sh\n[ "$1" = args ] || exit 2\nprintf "[%s]\\n" "$0" "$@"; exit 3\n'
    env.step({"type": "edit", "op": "create", "path": "main.sh", "text": program})
    env.step(
        {
            "type": "edit",
            "op": "create",
            "path": "compile.sh",
            "text": "cp main.sh executable; chmod +x executable\n",
        }
    )
    assert bash(env, "bash compile.sh; ./executable args") == "[./executable]\n[args]\n"
    _, reward, terminated, _, info = env.step({"type": "submit"})
    assert (reward, terminated) == (1.0, True), info["report"]
    assert len(env.probes) == 3
    env.reset(seed=0)
    assert env.probes == () and env.phase == ""


def test_the_reference_is_installed_once(folder: Path, real: Backend, image: str) -> None:
    first = install_reference(folder, real, image)
    assert set(first.program) == {"executable"} and set(first.docs) == {"README", "more/LINK"}
    (folder / "reference" / "kept" / "program").touch()
    assert install_reference(folder, real, image) == first
    kept = list((data_home() / "reference").iterdir())
    assert len(kept) == 1 and kept[0].stat().st_mode & 0o077 == 0
    assert "ELF" not in repr(first) and len(repr(first)) < 100


def test_a_sandbox_that_its_agent_has_ended_begins_anew(env: ICAEEnv) -> None:
    env.reset(seed=0)
    bash(env, "./executable exit 0; rm -rf docs executable")
    episode = env._episode
    assert episode is not None
    episode._replace_sandbox()
    assert bash(env, "cat docs/README; ./executable exit 7; echo $?") == "Prints its arguments.\n7\n"
    assert [p.argv[2] for p in env.probes] == ["0", "7"]


def test_nothing_of_the_reference_is_in_what_an_environment_shows(env: ICAEEnv) -> None:
    env.reset(seed=0)
    for part in (env, env._episode, env._wiring):
        assert "ELF" not in repr(vars(part))


def test_a_failure_of_the_serving_side_is_the_hosts(env: ICAEEnv) -> None:
    env.reset(seed=0)
    episode = env._episode
    assert episode is not None and episode._serving is not None
    episode._serving._companion.close()  # type: ignore[attr-defined]
    with pytest.raises(SandboxDiedError):
        bash(env, "./executable args")
