"""icae task new: a folder that loads, plays and says what is still to be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from icae_env.construction import check_gate, new_task, scaffold
from icae_env.errors import ConfigError, UnknownNameError
from icae_env.tasks import SUITES, find_task, load_hidden, load_public
from icae_env.tasks.languages import LANGUAGE_IMAGES
from icae_env.user_agent import load_records


@pytest.mark.parametrize("protocol", ["rcb", "stdin"])
def test_a_new_task_loads_at_every_level(tmp_path: Path, protocol: str) -> None:
    folder = new_task("my-task", "C++", protocol, tmp_path / "not" / "yet")
    assert folder == tmp_path / "not" / "yet" / "tasks" / "my-task"
    spec = find_task(folder).spec
    assert (spec.language, spec.image, spec.protocol, spec.draft) == ("cpp", "cpp", protocol, True)
    for level in ("L1", "L2", "L3", "ground", "recovered"):
        assert "echo" in load_public(folder, level).prd
    hidden = load_hidden(folder)
    assert [len(hidden.suite(suite)) for suite in SUITES] == [1, 1]
    assert len(load_records(find_task(folder).user_agent / "L1.json").records) == 1
    entry = folder / "golden" / ("rcb_tests/test.sh" if protocol == "rcb" else "run")
    assert os.access(entry, os.X_OK)
    assert [path.name for path in (tmp_path / "not" / "yet").iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("language", LANGUAGE_IMAGES)
def test_every_language_has_a_scaffold(tmp_path: Path, language: str) -> None:
    spec = find_task(new_task("my-task", language, "rcb", tmp_path)).spec
    assert spec.image == LANGUAGE_IMAGES[language]


def test_the_gate_says_what_is_still_to_be_written(tmp_path: Path) -> None:
    folder = new_task("my-task", "python", "rcb", tmp_path)
    faults = check_gate(folder, replay=False).faults
    wishes = [fault for fault in faults if fault.message.startswith("This is still to be written: ")]
    assert {fault.file for fault in wishes} == {
        "tasks/my-task/task.toml",
        "tasks/my-task/README.md",
        *(f"tasks/my-task/prd/{level}.md" for level in ("ground", "L1", "L2", "L3")),
        "tasks/my-task/cases/native/plain.json",
        "tasks/my-task/cases/enhanced/empty.json",
        "tasks/my-task/golden/install.sh",
        "tasks/my-task/golden/adapter.py",
        *(f"user_agent_data/my-task/{name}.json" for name in ("L1", "L2", "L3", "audit")),
    }
    assert all(fault.field and fault.field.startswith("line ") for fault in wishes)
    # What is there already is right: no literal is missing, no level is outside another, no witness is wrong.
    others = "\n".join(fault.message for fault in faults if fault not in wishes)
    assert "is said neither" not in others
    assert "hidden at" not in others
    assert "naive output" not in others


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    folder = new_task("my-task", "python", "rcb", tmp_path)
    (folder / "README.md").write_text("mine\n")
    with pytest.raises(ConfigError, match="exists already"):
        new_task("my-task", "python", "stdin", tmp_path)
    assert (folder / "README.md").read_text() == "mine\n"
    (tmp_path / "user_agent_data" / "other").mkdir()
    with pytest.raises(ConfigError, match="exists already"):
        new_task("other", "python", "rcb", tmp_path)
    assert not (tmp_path / "tasks" / "other").exists()


@pytest.mark.parametrize(
    ("name", "language", "protocol", "error"),
    [
        ("../up", "python", "rcb", ConfigError),
        ("my-task", "dart", "rcb", UnknownNameError),
        ("my-task", "python", "http", UnknownNameError),
        ("bracex", "python", "rcb", ConfigError),
    ],
)
def test_a_wrong_wish_leaves_nothing_behind(
    tmp_path: Path, name: str, language: str, protocol: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        new_task(name, language, protocol, tmp_path / "root")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_half_way_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(OSError, match="taken"):
        new_task("my-task", "python", "rcb", tmp_path / "taken" / "root")
    # A template that names a value there is none for: the folder is filled in part when it fails.
    place = tmp_path / "templates"
    for part in ("task", "golden_rcb"):
        (place / part).mkdir(parents=True)
    (place / "task" / "a.template").write_text("$id")
    (place / "golden_rcb" / "b.template").write_text("$nothing")
    monkeypatch.setattr(scaffold, "_TEMPLATES", place)
    with pytest.raises(KeyError):
        new_task("my-task", "python", "rcb", tmp_path / "root")
    assert not (tmp_path / "root").exists()
