"""Any program plays as an agent: it works in the sandbox by itself, asks, hands in or just ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from icae_env.errors import ConfigError
from icae_env.rollout import make_agent
from icae_env.rollout.agent import agent_names
from icae_env.rollout.plan import Selection, make_plan
from icae_env.rollout.run import play_run
from icae_env.rollout.store import EpisodeRow, Run

AGENT = "baselines.command:CommandAgent"


def play(
    tmp_path: Path, place: dict[str, str], command: str, options: dict[str, str] | None = None, **env: float
) -> EpisodeRow:
    """Play an episode of the command and return how it came out."""
    selection = Selection(
        tasks=("bracex",), agents=(f"command:{command}",), agent_options=options or {}, env=env, **place
    )
    (row,) = play_run(make_plan(selection).config, tmp_path / "run", workers=1).rows
    return row


def shown(tmp_path: Path) -> str:
    """Return all that the episode's actions showed."""
    (episode,) = Run(tmp_path / "run").episodes()
    return "".join(line.observation.text for line in episode.trajectory() if line.type == "step")


def test_a_program_reads_asks_writes_and_hands_in(
    tmp_path: Path, place: dict[str, str], program: list[dict[str, str]]
) -> None:
    files = [
        f"mkdir -p $(dirname {item['path']}); cat > {item['path']} <<'END_OF_FILE'\n{item['text']}END_OF_FILE"
        for item in program
    ]
    lines = [
        'cmp "$ICAE_TASK" /workspace/start.md && head -n 1 && pwd',
        "ask-user 'May a step be negative?' > answer.txt; wc -l < answer.txt",
        *files, "submit", "echo last words, 'quoted'",
    ]  # fmt: skip
    row = play(tmp_path, place, "\n".join(lines))
    assert (row.reward, row.end, row.questions, row.steps) == (1.0, "submit", 1, 1)
    text = shown(tmp_path)
    assert "# Your job\n/workspace\n" in text
    assert "last words, quoted\n[The command ended with code 0.]" in text


def test_what_it_prints_is_kept_in_pieces_and_once(tmp_path: Path, place: dict[str, str]) -> None:
    command = "for i in 1 2 3 4 5; do echo line $i; sleep 0.7; done; no-such-program; exit 7"
    row = play(tmp_path, place, command, command_seconds=1.5)
    assert (row.reward, row.end) == (0.0, "submit") and row.steps >= 4
    text = shown(tmp_path)
    assert [text.count(f"line {number}\n") for number in range(1, 6)] == [1] * 5
    assert "no-such-program: command not found" in text and "[The command ended with code 7.]" in text


def test_of_floods_the_end_is_kept(tmp_path: Path, place: dict[str, str]) -> None:
    row = play(tmp_path, place, "yes | head -c 30000000; echo the end")
    text = shown(tmp_path)
    assert row.end == "submit" and "bytes left out here" in text and "the end\n" in text
    assert len(text) < 100_000


def test_a_program_that_goes_on_after_submit_is_ended(tmp_path: Path, place: dict[str, str]) -> None:
    row = play(tmp_path, place, "submit; while true; do sleep 1; done")
    assert (row.end, row.steps) == ("submit", 1)


def test_its_time_and_the_steps_end_it(tmp_path: Path, place: dict[str, str]) -> None:
    row = play(tmp_path / "time", place, "echo begun; sleep 600", {"seconds": "1"})
    assert (row.end, row.status) == ("limit:command", "ok") and row.seconds < 60
    row = play(tmp_path / "steps", place, "sleep 600", command_seconds=1.5, steps=2)
    assert (row.end, row.status) == ("steps", "ok")


def test_its_text_may_have_commas_and_colons() -> None:
    assert agent_names("command:sort -t, -k2 a:b") == ["command:sort -t, -k2 a:b"]
    assert agent_names("golden, noop") == ["golden", "noop"]
    assert make_agent("command:true").name == "command"
    assert make_agent(AGENT, {"command": "true"}).name == "command"
    for wrong in ("command:  ", "command"):
        with pytest.raises(ConfigError, match="command"):
            make_agent(wrong)
    with pytest.raises(ConfigError, match="number of seconds"):
        make_agent("command:true", {"seconds": "soon"})
