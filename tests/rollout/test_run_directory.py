"""The run directory: whole files, one writer, what failed kept apart."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime

import pytest

from icae_env.errors import ConfigError, InfraError
from icae_env.llm.limits import ModelLimits
from icae_env.rollout.plan import Selection, make_plan
from icae_env.rollout.store import EpisodeRow, Run
from icae_env.rollout.writer import RunWriter


def config(**given):
    return make_plan(Selection(**{"tasks": ("bracex",), "agents": ("noop",), "repeats": 2, **given})).config


def row(key, status="ok"):
    return EpisodeRow(
        key=key, status=status, reward=0.5 if status == "ok" else None, end="submit", steps=1, questions=0, seconds=1.0,
        started=datetime.now(UTC),
    )  # fmt: skip


@pytest.fixture
def writer(tmp_path):
    made = RunWriter(tmp_path / "run", config())
    yield made
    made.close()


def test_the_configuration_comes_first_and_can_be_read_at_once(writer):
    run = Run(writer.folder)
    assert run.config == writer.config
    assert [episode.row for episode in run.episodes()] == [None, None]


def test_a_second_writer_is_refused_until_the_first_is_gone(writer):
    with pytest.raises(ConfigError, match=f"being written by process {os.getpid()} on"):
        RunWriter(writer.folder, config(), resume=True)
    writer.close()
    RunWriter(writer.folder, config(), resume=True).close()


def test_what_is_no_place_for_a_run_is_refused(writer, tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    for folder, said in (
        ("file", "is a file"),
        ("full", "something else than a run"),
        ("run", "holds a run already"),
    ):
        before = sorted(path.name for path in tmp_path.rglob("*"))
        with pytest.raises(ConfigError, match=said):
            RunWriter(tmp_path / folder, config())
        assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_writer_killed_before_the_configuration_leaves_a_place_to_begin_anew(tmp_path):
    (tmp_path / ".lock").touch()
    (tmp_path / ".run.json.x1y2").write_text("{")
    RunWriter(tmp_path, config()).close()
    assert Run(tmp_path).config.episodes


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"repeats": 3}, "1 of 2 episodes asked for only now: bracex-L1-noop-s2."),
        ({"repeats": 1}, "1 of 2 episodes not asked for now: bracex-L1-noop-s1."),
        ({"image": "python"}, 'image: it has "auto", now "python".'),
        ({"env": {"steps": 3}}, 'env: it has {}, now {"steps": 3}.'),
    ],
)
def test_another_selection_is_told_what_differs(writer, changed, said):
    writer.close()
    with pytest.raises(ConfigError) as caught:
        RunWriter(writer.folder, config(**changed), resume=True)
    assert said in str(caught.value)


def test_the_limits_of_the_run_may_be_changed(writer):
    writer.close()
    RunWriter(writer.folder, config(run_limits=ModelLimits(tokens=9)), resume=True).close()
    assert Run(writer.folder).config.run_limits.tokens == 9


def test_earlier_attempts_are_put_aside_with_their_row(writer):
    key = writer.config.episodes[0]
    folder = writer.episode(key)
    assert folder.begin() == 1
    folder.trajectory.write_text("first\n")
    (folder.folder / ".half").write_text("")
    assert folder.begin() == 2
    folder.trajectory.write_text("second\n")
    folder.finish(row(key, "infra"), None, None)
    assert folder.begin() == 3
    folder.trajectory.write_text("third\n")
    folder.finish(row(key), None, "a trace\n")
    kept = {path.relative_to(folder.folder).as_posix() for path in folder.folder.rglob("*") if path.is_file()}
    assert kept == {
        "trajectory.jsonl", "agent_error.txt", "episode.json", "attempts/1/trajectory.jsonl",
        "attempts/2/trajectory.jsonl", "attempts/2/episode.json",
    }  # fmt: skip
    assert Run(writer.folder).episodes()[0].row.reward == 0.5


def test_a_worker_whose_episode_was_taken_over_writes_no_row(writer):
    key = writer.config.episodes[0]
    first, second = writer.episode(key), writer.episode(key)
    first.begin()
    first.trajectory.write_text("lost\n")
    second.begin()
    with pytest.raises(InfraError, match="taken over"):
        first.finish(row(key), None, None)
    assert not (first.folder / "episode.json").exists()


def test_a_directory_that_cannot_be_written_is_told_and_left_without_halves(writer):
    key = writer.config.episodes[0]
    folder = writer.episode(key)
    folder.begin()
    (
        folder.folder / "episode.json"
    ).mkdir()  # stands for whatever the system refuses, root's rights notwithstanding
    with pytest.raises(InfraError, match=r"cannot be written: .*episode\.json.* --resume"):
        folder.finish(row(key), None, None)
    assert [path.name for path in folder.folder.iterdir()] == ["episode.json"]


def test_a_damaged_row_is_named(writer):
    key = writer.config.episodes[0]
    folder = writer.episode(key)
    folder.begin()
    (folder.folder / "episode.json").write_text(json.dumps({"key": 1}))
    with pytest.raises(ConfigError, match=r"episode\.json"):
        _ = Run(writer.folder).episodes()[0].row
