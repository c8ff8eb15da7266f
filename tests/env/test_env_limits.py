import pytest
from fake_env import TASK, script

from icae_env.errors import (
    EpisodeStateError,
)
from icae_env.tasks import load_hidden

ECHO = {"type": "bash", "command": "echo hello"}
SUBMIT = {"type": "submit"}


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(
    "name", ["steps", "questions", "seconds", "command_seconds", "output_chars", "restarts"]
)
def test_the_rules_name_every_limit(make, name):
    env = make(**{name: 777})
    obs, _ = env.reset()
    assert "777" in obs["text"]


@pytest.mark.parametrize(
    "action", [None, 7, "ls", {}, {"type": "bash"}, {"type": "edit", "op": "view"}, [ECHO]]
)
def test_an_invalid_action_costs_a_step_and_is_explained(make, action):
    env = make()
    env.reset()
    obs, reward, terminated, truncated, _ = env.step(action)
    assert obs in env.observation_space
    assert "Invalid action" in obs["text"]
    assert "Example:" in obs["text"]
    assert int(obs["steps_left"]) == 199
    assert (reward, terminated, truncated) == (0.0, False, False)


def test_the_step_limit_is_named_truncates_and_scores(make, backend):
    env = make(steps=2)
    env.reset()
    env.step(script(4))
    obs, reward, terminated, truncated, info = env.step(ECHO)
    assert truncated
    assert not terminated
    assert obs["text"].startswith("hello\n[The step limit of 2 actions is reached.")
    assert reward == 8 / len(load_hidden(TASK).cases)
    assert info["end"] == "steps"
    assert not backend.live
    with pytest.raises(EpisodeStateError, match="over"):
        env.step(ECHO)


def test_submitting_with_the_last_step_is_no_truncation(make):
    env = make(steps=1)
    env.reset()
    *_, terminated, truncated, info = env.step(SUBMIT)
    assert terminated
    assert not truncated
    assert info["end"] == "submit"


def test_the_time_limit_is_named_truncates_and_scores(make, monkeypatch):
    clock = Clock()
    env = make(seconds=60)
    monkeypatch.setattr(env, "_clock", clock)
    env.reset()
    assert not env.step(script(1))[3]
    clock.now = 61.0
    obs, reward, terminated, truncated, info = env.step(script(0))
    assert truncated
    assert not terminated
    assert "time limit of 60 seconds is reached. This action was not carried out." in obs["text"]
    assert reward == 2 / len(load_hidden(TASK).cases)
    assert info["end"] == "seconds"


def test_the_output_limit_is_named_and_keeps_head_and_tail(make):
    env = make(output_chars=300)
    env.reset()
    obs, *_ = env.step({"type": "bash", "command": "echo begin" + "é" * 600 + "end"})
    assert 290 < len(obs["text"]) <= 300
    assert obs["text"].startswith("begin")
    assert obs["text"].endswith("end\n")
    assert "the output limit is 300 characters" in obs["text"]


def test_the_question_limit(make):
    env = make(questions=1)
    obs, _ = env.reset()
    assert int(obs["questions_left"]) == 1
    obs, _, _, _, info = env.step({"type": "ask_user", "question": "What about leading zeros?"})
    assert int(obs["questions_left"]) == 0
    assert "user_agent" in info
    obs, _, terminated, truncated, _ = env.step({"type": "ask_user", "question": "And spaces?"})
    assert "[The limit of 1 questions is reached.]" in obs["text"]
    assert int(obs["questions_left"]) == 0
    assert not terminated
    assert not truncated


def test_an_empty_question_costs_no_budget(make):
    env = make()
    env.reset()
    obs, *_ = env.step({"type": "ask_user", "question": "  "})
    assert int(obs["questions_left"]) == 16
    assert int(obs["steps_left"]) == 199
