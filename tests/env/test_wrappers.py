import json

import gymnasium
import pytest
from fake_env import TASK, script

from icae_env.env.trajectory import ResetLine, StepLine, read_trajectory
from icae_env.env.wrappers import Recorder, TextActions
from icae_env.errors import ConfigError

ECHO = {"type": "bash", "command": "echo hello"}
SUBMIT = {"type": "submit"}


def test_the_recorder_writes_each_step_as_it_happens(make, tmp_path):
    file = tmp_path / "new" / "trajectory.jsonl"
    env = Recorder(make(), file)
    obs, _ = env.reset(seed=4, options={"level": "L2"})
    (first,) = read_trajectory(file)
    assert isinstance(first, ResetLine)
    assert (first.seed, first.options, first.info["level"]) == (4, {"level": "L2"}, "L2")
    assert first.observation.text == obs["text"]
    env.step(ECHO)
    assert len(list(read_trajectory(file))) == 2
    env.step({"type": "ask_user", "question": "What about leading zeros?"})
    env.step("nonsense")
    env.step(script(1))
    env.step(SUBMIT)
    env.close()
    _, echo, asked, invalid, _, last = read_trajectory(file)
    assert isinstance(echo, StepLine)
    assert (echo.index, echo.action, echo.observation.text) == (0, ECHO, "hello\n")
    assert asked.info["user_agent"]
    assert invalid.action["type"] == "invalid"
    assert invalid.action["given"] == "nonsense"
    assert last.terminated
    assert last.reward > 0
    assert last.info["report"]["overall"] == last.reward


def test_a_trajectory_cut_at_any_byte_can_be_read_and_continued(make, tmp_path):
    file = tmp_path / "t.jsonl"
    env = Recorder(make(), file)
    env.reset(seed=0)
    env.step(ECHO)
    env.step(ECHO)
    env.close()
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in {0, 1, len(lines[0]) - 1, len(lines[0]), len(lines[0]) + 7, len(whole) - 1, len(whole)}:
        file.write_bytes(whole[:cut])
        assert len(list(read_trajectory(file))) == whole[:cut].count(b"\n")
    file.write_bytes(whole[:-5])
    env = Recorder(make(), file)
    env.reset(seed=0)
    env.close()
    assert [type(line) for line in read_trajectory(file)] == [ResetLine, StepLine, ResetLine]


def test_a_broken_line_is_named(tmp_path):
    file = tmp_path / "t.jsonl"
    file.write_text('{"type": "step"}\n')
    with pytest.raises(ConfigError, match="Line 1"):
        list(read_trajectory(file))


def test_odd_text_survives_recording(make, tmp_path):
    file = tmp_path / "t.jsonl"
    env = Recorder(make(), file)
    env.reset()
    text = "\u2028 \x85 \0 é \U0001f600 \x1b[0m"
    env.step({"type": "bash", "command": f"echo {text}"})
    env.close()
    assert list(read_trajectory(file))[1].observation.text == text + "\n"


def test_text_actions_take_a_message(make):
    env = TextActions(make())
    env.reset()
    obs, *_ = env.step("I say hello.\n```bash\necho hello\n```\n")
    assert obs["text"] == "hello\n"
    obs, *_ = env.step("I am not sure what to do.")
    assert "no action blocks" in obs["text"]
    assert "hello" in env.action_space
    *_, terminated, _, _ = env.step(json.dumps(SUBMIT))
    assert not terminated
    *_, terminated, _, _ = env.step("```submit\n```")
    assert terminated


def test_wrapped_environments_can_be_made_again_from_their_spec(backend, tmp_path):
    env = gymnasium.make("ICAE-v0", task=TASK, sandbox=backend, image="host")
    wrapped = TextActions(Recorder(env, tmp_path / "t.jsonl"))
    again = gymnasium.make(wrapped.spec)
    again.reset()
    again.step("```bash\necho hello\n```")
    again.close()
    wrapped.close()
    assert len(list(read_trajectory(tmp_path / "t.jsonl"))) == 2
