import warnings

import gymnasium
import numpy as np
import pytest
from fake_env import TASK
from gymnasium.utils.env_checker import check_env

from icae_env import registry
from icae_env.errors import (
    ConfigError,
    UnknownNameError,
)

ECHO = {"type": "bash", "command": "echo hello"}
SUBMIT = {"type": "submit"}


def test_check_env_gives_no_error_and_no_warning(backend):
    env = gymnasium.make("ICAE-v0", task=TASK, sandbox=backend, image="host", render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()
    assert not backend.live


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
