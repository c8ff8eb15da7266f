"""An episode in a process of its own is scored and kept, however the program that drives it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from icae_env.errors import ConfigError, EpisodeStateError, InfraError
from icae_env.integrations.hosted import HostedEpisode
from icae_env.integrations.messages import Setting
from icae_env.rollout.store import EpisodeKey, EpisodeRow, Run
from icae_env.tasks import load_public

KEY = EpisodeKey(task="bracex", level="L1", agent="someone")


@pytest.fixture
def host(place: dict[str, str], tmp_path: Path) -> Any:
    made: list[HostedEpisode] = []

    def start(**fields: Any) -> HostedEpisode:
        made.append(HostedEpisode(Setting(**{"key": KEY, "folder": tmp_path / "run", **place, **fields})))
        return made[-1]

    yield start
    for episode in made:
        episode.close()


def stored(folder: Path, seconds: float = 60.0) -> EpisodeRow:
    """Return the row of a run's one episode, once it is written."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (folder / "run.json").exists() and (row := Run(folder).episodes()[0].row) is not None:
            return row
        time.sleep(0.05)
    raise AssertionError("no row was written")


def test_an_episode_is_played_to_a_score(
    host: Callable[..., HostedEpisode], program: list[dict[str, str]], tmp_path: Path
) -> None:
    episode = host()
    assert load_public("bracex", "L1").prd.rstrip() in episode.ready.text
    for action in program:
        assert episode.act(action).exit_code == 0
    shown = episode.act({"type": "bash", "command": "ask-user 'Is a negative step allowed?' 2>&1"})
    assert "15 questions left" in shown.text and shown.questions_left == 15
    assert episode.act({"type": "nonsense"}).text.startswith("Invalid action")
    assert episode.act({"type": "submit"}).end == "submit"
    row = episode.result()
    assert row is not None and (row.reward, row.end, row.steps) == (1.0, "submit", len(program) + 3)
    (kept,) = Run(tmp_path / "run").episodes()
    assert kept.row == row and kept.report is not None and kept.report.reward == 1.0
    assert len(list(kept.trajectory())) == row.steps + 1
    with pytest.raises(EpisodeStateError):
        episode.act({"type": "submit"})
    with pytest.raises(ConfigError, match="scored episode already"):
        host()


def test_nothing_is_played_before_the_first_action(
    host: Callable[..., HostedEpisode], tmp_path: Path
) -> None:
    first = host()
    first.close()
    assert first.result() is None
    second = host()
    second.act({"type": "bash", "command": "true"})
    second.close()
    assert stored(tmp_path / "run").end == "disconnected"


def test_an_idle_agent_and_the_time_limit_end_it(host: Callable[..., HostedEpisode], tmp_path: Path) -> None:
    idle = host(idle=0.2)
    idle.act({"type": "bash", "command": "true"})
    row = idle.result(60)
    assert row is not None and (row.end, row.steps) == ("idle", 2)
    late = host(folder=None, env={"seconds": 1.0})
    late.act({"type": "bash", "command": "true"})
    row = late.result(60)
    assert row is not None and row.end == "seconds"
    assert "time limit" in late.act({"type": "bash", "command": "true"}).text


def test_what_is_wrong_is_known_before_anything_is_played(host: Callable[..., HostedEpisode]) -> None:
    with pytest.raises(ConfigError, match="ground2"):
        host(key=KEY.model_copy(update={"level": "ground2"}))
    with pytest.raises(ConfigError, match="bracey"):
        host(key=KEY.model_copy(update={"task": "bracey"}))


def test_a_killed_driver_loses_no_episode(place: dict[str, str], tmp_path: Path) -> None:
    setting = Setting(key=KEY, folder=tmp_path / "run", **place)
    code = (
        "import os, signal, sys\nfrom icae_env.integrations.hosted import HostedEpisode\n"
        "from icae_env.integrations.messages import Setting\n"
        "episode = HostedEpisode(Setting.model_validate_json(sys.argv[1]))\n"
        "episode.act({'type': 'bash', 'command': 'echo kept > kept.txt'})\n"
        "os.killpg(0, signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, setting.model_dump_json()],
        start_new_session=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    row = stored(tmp_path / "run")
    assert (row.end, row.status, row.reward, row.steps) == ("disconnected", "ok", 0.0, 2)


def test_a_killed_host_is_a_failure_of_the_host(host: Callable[..., HostedEpisode], tmp_path: Path) -> None:
    episode = host()
    episode.act({"type": "bash", "command": "true"})
    os.kill(episode._process.pid, signal.SIGKILL)
    with pytest.raises(InfraError, match="ended with code -9"):
        episode.act({"type": "bash", "command": "true"})
    again = host()
    assert again.act({"type": "submit"}).end == "submit"
    assert stored(tmp_path / "run").attempts == 2
