from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from small_task import SPEC, write_task

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.tasks import LEVELS, check_level, find_task, load_hidden, load_public, records_file, task_ids

MakeTask = Callable[[str], Path]


def test_a_task_is_found_by_id_and_by_folder(make_task: MakeTask) -> None:
    folder = make_task("sums")
    by_id, by_folder = find_task("sums"), find_task(folder)
    assert by_id == by_folder == find_task(str(folder)) == find_task(by_id)
    assert by_id.id == "sums"
    assert by_id.golden == folder / "golden"
    assert by_id.user_agent == folder.parent.parent / "user_agent_data" / "sums"


def test_a_folder_may_hold_its_own_user_agent_data(make_task: MakeTask) -> None:
    folder = make_task("sums")
    (folder / "user_agent_data").mkdir()
    assert find_task("sums").user_agent == folder / "user_agent_data"


def test_drafts_are_listed_only_when_asked_for(make_task: MakeTask) -> None:
    make_task("sums")
    draft = make_task("unfinished")
    (draft / "task.toml").write_text("draft = true\n" + SPEC.format(id="unfinished"))
    assert "sums" in task_ids() and "unfinished" not in task_ids()
    assert {"sums", "unfinished"} <= set(task_ids(include_drafts=True))
    assert task_ids() == sorted(task_ids())


def test_a_broken_task_is_listed_and_says_what_is_wrong_when_used(make_task: MakeTask) -> None:
    (make_task("sums") / "task.toml").write_text("id = ")
    assert "sums" in task_ids()
    with pytest.raises(ConfigError, match=r"task\.toml.*not TOML"):
        find_task("sums")


@pytest.mark.parametrize("name", ["sum", "", "../sums", "no/such/folder", "SUMS"])
def test_an_unknown_task_lists_the_valid_names(make_task: MakeTask, name: str) -> None:
    make_task("sums")
    with pytest.raises(UnknownNameError) as error:
        find_task(name)
    assert "sums" in error.value.valid and "sums" in str(error.value)


def test_an_unknown_level_lists_the_valid_ones(make_task: MakeTask) -> None:
    make_task("sums")
    for call in (
        check_level,
        lambda level: load_public("sums", level),
        lambda level: records_file("sums", level),
    ):
        with pytest.raises(UnknownNameError, match="L1, L2, L3, ground, recovered"):
            call("l1")


def test_each_level_has_its_prd_and_records(make_task: MakeTask) -> None:
    data = make_task("sums").parent.parent / "user_agent_data" / "sums"
    prds = {level: load_public("sums", level).prd for level in LEVELS}
    assert prds["recovered"] == prds["L1"] == "# Sums, as L1 has it\n"
    assert prds["ground"] == "# Sums, as ground has it\n"
    assert [records_file("sums", level) for level in LEVELS] == [
        data / "L1.json",
        data / "L2.json",
        data / "L3.json",
        None,
        data / "L1.json",
    ]


def test_the_public_part_holds_no_case(make_task: MakeTask) -> None:
    make_task("sums")
    text = load_public("sums", "L1").model_dump_json()
    assert all(case.id not in text for case in load_hidden("sums").cases)


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ('image = "python"', "image", "missing"),
        ('protocol = "stdin"|protocol = "http"', "protocol", "rcb"),
        ('protocol = "stdin"|speed = 3', "speed", "unknown"),
        ('licence = "MIT"|licence = 3', "source.licence", "string"),
        ('id = "sums"|id = "Sums!"', "id", "pattern"),
        ('id = "sums"|id = "other"', "id", "folder's name"),
        ("[source]|[limits]\nsteps = 0\n[source]", "limits.steps", "greater"),
        ("[source]|[limits]\nsteps = 2.5\n[source]", "limits.steps", "integer"),
    ],
)
def test_a_bad_spec_names_file_field_and_mend(
    make_task: MakeTask, change: str, field: str, words: str
) -> None:
    file = make_task("sums") / "task.toml"
    old, _, new = change.partition("|")
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(ConfigError, match=words) as error:
        find_task("sums")
    assert (error.value.file, error.value.field) == (file, field)
    assert error.value.mend


def test_a_missing_spec_prd_or_empty_prd_is_named(make_task: MakeTask, tmp_path: Path) -> None:
    folder = make_task("sums")
    (folder / "prd" / "L1.md").unlink()
    (folder / "prd" / "L2.md").write_text(" \n")
    (folder / "prd" / "L3.md").write_bytes(b"ab\xffcd")
    for level, words in (("L1", "missing"), ("L2", "empty"), ("L3", "not UTF-8: byte 2 is 0xff")):
        with pytest.raises(ConfigError, match=words) as error:
            load_public("sums", level)
        assert error.value.file == folder / "prd" / f"{level}.md" and error.value.mend
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"task\.toml.*missing"):
        find_task(tmp_path / "empty")
    with pytest.raises(ConfigError, match="no such task folder"):
        find_task(tmp_path / "nowhere")


def test_links_may_not_lead_out_of_the_folder(make_task: MakeTask, tmp_path: Path) -> None:
    folder = make_task("sums")
    secret = tmp_path / "secret.md"
    secret.write_text("host file")
    for name in ("L1.md", "L2.md", "L3.md"):
        (folder / "prd" / name).unlink()
    (folder / "prd" / "L1.md").symlink_to(secret)
    (folder / "prd" / "L2.md").symlink_to("L2.md")
    (folder / "prd" / "L3.md").symlink_to("ground.md")
    with pytest.raises(ConfigError, match="leads out"):
        load_public("sums", "L1")
    with pytest.raises(ConfigError, match="cannot be reached"):
        load_public("sums", "L2")
    assert load_public("sums", "L3").prd == "# Sums, as ground has it\n"


def test_a_fifo_in_place_of_a_prd_is_refused_and_not_waited_for(make_task: MakeTask) -> None:
    file = make_task("sums") / "prd" / "L1.md"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ConfigError, match="not a regular file"):
        load_public("sums", "L1")


def test_the_same_id_in_two_roots_is_an_error(
    make_task: MakeTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_task("sums").parent.parent
    write_task(tmp_path / "more", "sums")
    monkeypatch.setenv("ICAE_TASKS_PATH", f"{first}{os.pathsep}{tmp_path / 'more'}{os.pathsep}{first}")
    with pytest.raises(ConfigError, match="lies also in"):
        task_ids()


def test_a_root_that_is_no_directory_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ICAE_TASKS_PATH", str(tmp_path / "gone"))
    with pytest.raises(ConfigError, match="ICAE_TASKS_PATH names"):
        task_ids()
    monkeypatch.setenv("ICAE_TASKS_PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="has no tasks"):
        task_ids()
