import json
import warnings

import gymnasium
import numpy as np
import pytest
from fake_env import TASK, script
from gymnasium.utils.env_checker import check_env

from icae_env import registry
from icae_env.env.actions import Bash
from icae_env.errors import (
    ConfigError,
    EpisodeStateError,
    InfraError,
    SandboxStartError,
    UnknownNameError,
)
from icae_env.tasks import load_hidden, load_public

ECHO = {"type": "bash", "command": "echo hello"}
SUBMIT = {"type": "submit"}


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_check_env_gives_no_error_and_no_warning(backend):
    env = gymnasium.make("ICAE-v0", task=TASK, sandbox=backend, image="host", render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()
    assert not backend.live


def test_a_whole_episode(make, backend):
    env = make()
    obs, info = env.reset(seed=0)
    assert obs in env.observation_space
    assert load_public(TASK, "L1").prd.strip() in obs["text"]
    assert int(obs["exit_code"]) == -1
    assert (int(obs["steps_left"]), int(obs["questions_left"])) == (200, 16)
    assert info == {
        "task": TASK, "level": "L1", "sandbox": "fake", "image": "fake", "image_digest": "fake",
    }  # fmt: skip
    assert len(backend.live) == 1

    obs, reward, terminated, truncated, info = env.step(ECHO)
    assert (obs["text"], int(obs["exit_code"]), int(obs["steps_left"])) == ("hello\n", 0, 199)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert "report" not in info

    obs, *_ = env.step({"type": "edit", "op": "view", "path": "missing"})
    assert int(obs["exit_code"]) == 1
    obs, *_ = env.step(script(3))
    assert int(obs["exit_code"]) == 0

    obs, reward, terminated, truncated, info = env.step(SUBMIT)
    assert terminated
    assert not truncated
    assert reward == 6 / len(load_hidden(TASK).cases)
    assert info["end"] == "submit"
    assert info["report"].overall == reward
    assert "report" not in obs["text"]
    assert not backend.live


def test_the_workspace_opens_with_the_text_of_the_first_observation(make):
    env = make()
    obs, _ = env.reset()
    view, *_ = env.step({"type": "edit", "op": "view", "path": "start.md"})
    lines = [line.partition("\t")[2] for line in view["text"].splitlines()[1:]]
    assert lines == obs["text"].splitlines()
    listing, *_ = env.step({"type": "edit", "op": "view", "path": "."})
    assert listing["text"].splitlines()[1:] == ["start.md"]


@pytest.mark.parametrize("name", ["steps", "questions", "seconds", "command_seconds", "output_chars", "restarts"])
def test_the_rules_name_every_limit(make, name):
    env = make(**{name: 777})
    obs, _ = env.reset()
    assert "777" in obs["text"]


def test_equal_seed_and_actions_give_equal_observations_rewards_and_infos(make):
    actions = [
        ECHO, {"type": "ask_user", "question": "What about leading zeros?"}, "nonsense", script(2),
        {"type": "edit", "op": "view", "path": "."}, {"type": "bash", "command": "yes 20000"}, SUBMIT,
    ]  # fmt: skip
    runs = []
    for _ in range(2):
        env = make(task=[TASK], level=["L1", "L2", "L3"])
        run = [env.reset(seed=5)]
        run += [env.step(action) for action in actions]
        runs.append(run)
    assert runs[0] == runs[1]


def test_actions_in_all_three_forms(make):
    env = make()
    env.reset()
    texts = [env.step(action)[0]["text"] for action in (ECHO, json.dumps(ECHO), Bash(command="echo hello"))]
    assert texts == ["hello\n"] * 3


@pytest.mark.parametrize("action", [None, 7, "ls", {}, {"type": "bash"}, {"type": "edit", "op": "view"}, [ECHO]])
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


def test_calls_out_of_order(make, backend):
    env = make()
    with pytest.raises(EpisodeStateError, match="reset"):
        env.step(ECHO)
    env.reset()
    env.reset()
    assert len(backend.live) == 1
    env.step(SUBMIT)
    with pytest.raises(EpisodeStateError, match="over"):
        env.step(SUBMIT)
    env.reset()
    env.close()
    env.close()
    assert not backend.live
    with pytest.raises(EpisodeStateError, match="closed"):
        env.step(ECHO)
    with pytest.raises(EpisodeStateError, match="closed"):
        env.reset()


def test_gymnasium_make_reports_wrong_order_the_same_way(backend):
    env = gymnasium.make("ICAE-v0", task=TASK, sandbox=backend, image="host")
    with pytest.raises(EpisodeStateError):
        env.step(ECHO)
    env.close()


def test_options_choose_task_and_level(make):
    env = make(task=["bracex", "stockholm"], level=["L1", "L3"])
    _, info = env.reset(options={"task": "stockholm", "level": "ground"})
    assert (info["task"], info["level"]) == ("stockholm", "ground")
    drawn = [env.reset(seed=seed)[1] for seed in range(12)]
    assert {info["task"] for info in drawn} == {"bracex", "stockholm"}
    assert {info["level"] for info in drawn} == {"L1", "L3"}
    assert [env.reset(seed=seed)[1] for seed in range(12)] == drawn


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"task": "ssf"}, "bracex"),
        ({"level": "L9"}, "L1, L2, L3"),
        ({"lvel": "L1"}, "Did you mean 'level'"),
    ],
)
def test_wrong_options_name_the_valid_ones(make, options, named):
    env = make()
    with pytest.raises(UnknownNameError, match=named):
        env.reset(options=options)


def test_a_failed_reset_keeps_no_sandbox_and_the_next_one_works(make, backend):
    env = make()
    backend.start_error = "no memory"
    with pytest.raises(SandboxStartError):
        env.reset()
    with pytest.raises(EpisodeStateError):
        env.step(ECHO)
    backend.start_error = None
    env.reset()
    assert env.step(ECHO)[0]["text"] == "hello\n"


def test_a_dead_sandbox_is_replaced_and_counts_as_a_restart(make, backend):
    env = make(restarts=2)
    env.reset()
    env.step(script(5))
    next(iter(backend.live)).die()
    obs, _, terminated, truncated, _ = env.step(ECHO)
    assert "sandbox was destroyed" in obs["text"]
    assert not truncated
    assert not terminated
    assert env.step(ECHO)[0]["text"] == "hello\n"
    assert len([sandbox for sandbox in backend.live if sandbox.alive()]) == 1
    next(sandbox for sandbox in backend.live if sandbox.alive()).die()
    obs, reward, terminated, truncated, info = env.step(ECHO)
    assert truncated
    assert "limit of 2 restarts" in obs["text"]
    assert info["end"] == "restarts"
    assert reward == 0.0


def test_a_host_that_cannot_start_the_replacement_is_infra(make, backend):
    env = make()
    env.reset()
    next(iter(backend.live)).die()
    backend.start_error = "no memory"
    with pytest.raises(InfraError):
        env.step(ECHO)
    with pytest.raises(EpisodeStateError, match="error of the host"):
        env.step(ECHO)


def test_a_sandbox_that_is_dead_at_submit_is_scored_as_empty(make, backend):
    env = make()
    env.reset()
    env.step(script(5))
    next(iter(backend.live)).die()
    _, reward, terminated, _, info = env.step(SUBMIT)
    assert terminated
    assert reward == 0.0
    assert info["report"].status == "ok"


def test_scoring_that_fails_on_the_host_raises_and_keeps_the_submission(make, backend):
    env = make()
    env.reset()
    env.step(script(5))
    backend.start_error = "disk full"
    with pytest.raises(InfraError, match="submission"):
        env.step(SUBMIT)
    assert env.submission.files["rcb_tests/test.sh"][0] == b"pass 5\n"
    assert env.report.reward is None
    assert not backend.live
    with pytest.raises(EpisodeStateError):
        env.step(SUBMIT)


def test_nothing_hidden_is_in_an_observation(make):
    env = make()
    first, _ = env.reset()
    last = env.step(SUBMIT)[0]
    for obs in (first, last):
        assert set(obs) == {"text", "exit_code", "steps_left", "questions_left"}
        for case in load_hidden(TASK).cases:
            assert case.id not in obs["text"]


def test_public_cases_lie_in_the_workspace_only_on_demand(make):
    env = make(public_cases=True)
    obs, _ = env.reset()
    assert "rcb_tests/public" in obs["text"]
    public = load_hidden(TASK).public_cases
    assert public
    found = {}
    listing = env.step({"type": "edit", "op": "view", "path": "rcb_tests/public"})[0]["text"]
    for name in listing.splitlines()[1:]:
        text = env._episode.sandbox.files.read(f"/workspace/rcb_tests/public/{name}")
        found |= {case["id"]: case for case in json.loads(text)["cases"]}
    assert found == {
        case.id: {"id": case.id, "input": case.input, "expected_output": case.expected_output}
        for case in public
    }
    other = make()
    obs, _ = other.reset()
    assert "rcb_tests/public" not in obs["text"]


def test_render_ansi_shows_the_last_action_and_its_text(make):
    env = make(render_mode="ansi")
    obs, _ = env.reset()
    assert env.render() == obs["text"]
    env.step(ECHO)
    assert env.render() == '> {"type":"bash","command":"echo hello"}\nhello\n'
    assert make().render() is None


@pytest.mark.parametrize(
    ("kwargs", "error", "named"),
    [
        ({"task": "bracx"}, UnknownNameError, "Did you mean 'bracex'"),
        ({"task": []}, ConfigError, "task"),
        ({"level": "L7"}, UnknownNameError, "ground"),
        ({"sandbox": "dcker"}, UnknownNameError, "docker"),
        ({"reward": "overal"}, UnknownNameError, "overall"),
        ({"reward": {}}, ConfigError, "weight"),
        ({"render_mode": "human"}, UnknownNameError, "ansi"),
        ({"steps": 0}, ConfigError, "steps"),
        ({"questions": -1}, ConfigError, "questions"),
        ({"seconds": "long"}, ConfigError, "seconds"),
        ({"output_chars": 10}, ConfigError, "output_chars"),
    ],
)
def test_wrong_arguments_are_named_before_anything_starts(make, backend, kwargs, error, named):
    with pytest.raises(error, match=named):
        make(**kwargs)
    assert not backend.live


def test_an_image_that_is_not_built_or_not_known_is_named(make):
    with pytest.raises(UnknownNameError, match="pyhton"):
        make(image="pyhton").reset()


def test_samples_are_valid_and_harmless(make):
    env = make()
    env.action_space.seed(3)
    env.reset()
    for _ in range(40):
        action = env.action_space.sample()
        assert action in env.action_space
        obs, _, terminated, truncated, _ = env.step(action)
        assert not terminated
        assert not truncated
        assert obs in env.observation_space


def test_text_spaces_take_all_of_unicode_and_no_half_characters(make):
    space = make().observation_space["text"]
    for text in ("", "\0", "é\U0001f600\u202e", "\x1b[31m"):
        assert text in space
    for other in ("\ud800", b"x", None, 3):
        assert other not in space
    space.seed(1)
    assert all(space.sample() in space for _ in range(50))
    assert space == make().observation_space["text"]


def test_counts_have_fixed_types(make):
    env = make()
    for obs in (env.reset()[0], env.step(ECHO)[0]):
        for name in ("exit_code", "steps_left", "questions_left"):
            assert isinstance(obs[name], np.ndarray)
            assert obs[name].dtype == np.int32
            assert obs[name].shape == ()


def test_every_public_name_is_exported():
    import icae_env

    for name in icae_env.__all__:
        assert getattr(icae_env, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        icae_env.nothing  # noqa: B018


def test_every_registered_reward_can_be_made():
    from icae_env.env.rewards import Reward, make_reward

    for name in registry.names("reward"):
        assert isinstance(make_reward(name), Reward)
