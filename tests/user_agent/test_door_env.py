"""An agent with bash alone asks the user."""

from __future__ import annotations

import pytest
from real_sandboxes import EACH, place_or_skip, works_or_skip

from icae_env.factory import make_env
from icae_env.sandbox import terminal
from icae_env.tasks import records_file
from icae_env.user_agent import Diagnosis, load_records

QUESTION = "What happens to a range whose step is zero?"


@pytest.mark.bubblewrap
def test_ask_user_in_a_command_counts_like_the_action() -> None:
    works_or_skip("bubblewrap")
    file = records_file("bracex", "L1")
    assert file is not None
    env = make_env("bracex", "L1", "bubblewrap", "host", "new_record", questions=3)
    try:
        obs, _ = env.reset(seed=0)
        assert "ask-user" in obs["text"]
        obs, reward, _, _, info = env.step({"type": "bash", "command": f'ask-user "{QUESTION}" | tee said'})
        (entry,) = info["asked"]
        assert reward > 0
        assert isinstance(entry, Diagnosis) and entry.question == QUESTION
        assert obs["questions_left"] == 2 and "2 questions left" in obs["text"]
        answers = {record.constraint_id: record.oracle_response for record in load_records(file).records}
        assert entry.revealed and all(answers[name] in obs["text"] for name in entry.revealed)
        same = env.step({"type": "ask_user", "question": QUESTION})
        assert same[0]["questions_left"] == 1 and same[4]["user_agent"].revealed == entry.revealed
        assert same[0]["text"] in obs["text"]
        # The diagnostics stay on the host's side.
        assert not any(name in obs["text"] for name in entry.revealed)
        obs, *_, info = env.step({"type": "bash", "command": "cat said; echo"})
        assert "asked" not in info and obs["questions_left"] == 1
    finally:
        env.close()


@pytest.mark.parametrize("name", EACH)
def test_ask_user_on_the_terminal_is_answered_in_the_same_action(name: str) -> None:
    if not terminal.available():
        pytest.skip("tmux is not installed; mend: apt-get install tmux")
    where = place_or_skip(name)
    env = make_env("bracex", "L1", reward="new_record", questions=3, **where)
    try:
        env.reset(seed=0)
        typed = f'ask-user "{QUESTION}" >said 2>left; wc -l <said; cat left'
        obs, reward, *_, info = env.step({"type": "terminal", "keys": typed, "enter": True})
        (entry,) = info["asked"]
        assert isinstance(entry, Diagnosis) and entry.question == QUESTION and entry.revealed
        assert reward > 0
        assert obs["questions_left"] == 2 and "[2 questions left]" in obs["text"]
        # The shell's door is the same, so nothing is asked again; what waits between two actions is answered in the next.
        obs, *_, info = env.step({"type": "bash", "command": "cat said"})
        assert "asked" not in info and obs["questions_left"] == 2 and len(obs["text"]) > 50
        env.step(
            {
                "type": "bash",
                "command": f"(sleep 0.3; ask-user '{QUESTION}' >again) >/dev/null 2>&1 &",
            }
        )
        waiting = {"type": "terminal", "keys": "", "enter": False, "wait": 1.5}
        obs, reward, *_, info = env.step(waiting)
        assert [entry.question for entry in info["asked"]] == [QUESTION] and obs["questions_left"] == 1
        assert reward == 0  # known already
        assert env.step({"type": "bash", "command": "cmp said again"})[0]["exit_code"] == 0
    finally:
        env.close()


@pytest.mark.parametrize("name", EACH)
def test_submit_in_a_command_ends_the_episode_once_it_has_ended(name: str) -> None:
    env = make_env("bracex", "L1", **place_or_skip(name))
    try:
        env.reset(seed=0)
        command = "bash -c submit; echo late > late.txt; false"
        obs, reward, terminated, truncated, info = env.step({"type": "bash", "command": command})
        assert (terminated, truncated, info["end"], reward) == (True, False, "submit", 0.0)
        assert obs["text"].endswith("[Submitted. The episode is over.]") and obs["exit_code"] == 1
        assert env.submission.files["late.txt"][0] == b"late\n"
    finally:
        env.close()


@pytest.mark.bubblewrap
def test_submit_on_the_terminal_ends_the_episode() -> None:
    works_or_skip("bubblewrap")
    if not terminal.available():
        pytest.skip("tmux is not installed; mend: apt-get install tmux")
    env = make_env("bracex", "L1", "bubblewrap", "host")
    try:
        env.reset(seed=0)
        *_, terminated, _, info = env.step({"type": "terminal", "keys": "submit"})
        assert terminated and info["end"] == "submit"
    finally:
        env.close()
