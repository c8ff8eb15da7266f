"""icae export: which files are written, and what is said of wrong input."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from icae_program import document, icae

from icae_env.env.trajectory import ObservationLine, ResetLine, StepLine, encode
from icae_env.rollout.store import EPISODE, EPISODES, RUN_FILE, TRAJECTORY, EpisodeKey, EpisodeRow, RunConfig

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def run(tmp_path: Path) -> str:
    keys = [EpisodeKey(task="bracex", level="L1", agent="scripted", seed=seed) for seed in range(3)]
    config = RunConfig(
        created=WHEN, episodes=tuple(keys), sandbox="bubblewrap", image="host", versions={"icae_env": "9.9"}
    )
    folder = tmp_path / "run"
    seen = ObservationLine(text="Write it.", exit_code=0, steps_left=5, questions_left=5)
    lines = [
        ResetLine(seed=0, options={}, observation=seen, info={}),
        StepLine(index=0, action={"type": "submit"}, observation=seen, reward=1.0, terminated=True, truncated=False, seconds=0.1, info={}),
    ]  # fmt: skip
    for key in keys:
        own = folder / EPISODES / key.id
        own.mkdir(parents=True)
        (own / TRAJECTORY).write_bytes(b"".join(map(encode, lines)))
        row = EpisodeRow(
            key=key,
            status="ok",
            reward=key.seed / 2,
            end="submit",
            steps=1,
            questions=0,
            seconds=1.0,
            started=WHEN,
        )
        (own / EPISODE).write_text(row.model_dump_json())
    (folder / RUN_FILE).write_text(config.model_dump_json())
    return str(folder)


def test_atif_goes_into_a_folder_lines_or_one_file(run: str, tmp_path: Path) -> None:
    done = icae("export", run, "--format", "atif", "--out", str(tmp_path / "all"), "--json")
    assert document(done) == {"written": 3, "episodes": 3, "out": str(tmp_path / "all")}
    files = sorted((tmp_path / "all").iterdir())
    assert [file.name for file in files] == [f"bracex-L1-scripted-s{seed}.json" for seed in range(3)]
    assert json.loads(files[0].read_text())["agent"]["version"] == "9.9"
    assert icae("export", run, "-f", "atif", "--out", str(tmp_path / "all.jsonl")).exit_code == 0
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) == 3
    several = icae("export", run, "-f", "atif", "--out", str(tmp_path / "one.json"))
    assert several.exit_code == 2
    assert "holds one episode" in several.stderr
    one = icae(
        "export", run, "-f", "atif", "--out", str(tmp_path / "one.json"), "-e", "bracex-L1-scripted-s1"
    )
    assert one.exit_code == 0, one.stderr
    assert json.loads((tmp_path / "one.json").read_text())["trajectory_id"] == "bracex-L1-scripted-s1"


def test_messages_of_good_episodes_alone(run: str, tmp_path: Path) -> None:
    out = tmp_path / "train.jsonl"
    done = icae(
        "export", run, "-f", "openai-messages", "--out", str(out), "--min-reward", "0.5", "--metadata"
    )
    assert done.exit_code == 0, done.stderr
    assert [json.loads(line)["metadata"]["reward"] for line in out.read_text().splitlines()] == [0.5, 1.0]
    assert icae("export", run, "-f", "openai-messages", "--out", str(out)).exit_code == 0
    assert [set(json.loads(line)) for line in out.read_text().splitlines()] == [{"messages", "tools"}] * 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-f", "sharegpt"], "There is no format 'sharegpt'"),
        (["-f", "atif", "-e", "nothing"], "has no episode 'nothing'"),
        (["-f", "openai-messages", "--min-reward", "2"], "no episode to write"),
    ],
)
def test_wrong_input_is_named(run: str, tmp_path: Path, options: list[str], said: str) -> None:
    done = icae("export", run, *options, "--out", str(tmp_path / "out.jsonl"))
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "out.jsonl").exists()
