import gymnasium
import numpy as np
import pytest
from fake_env import TASK, script
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import icae_env
from icae_env.env.vector import ThreadVectorEnv
from icae_env.errors import EpisodeStateError, SandboxStartError
from icae_env.tasks import load_hidden

ECHO = {"type": "bash", "command": "echo hello"}
SUBMIT = {"type": "submit"}
COUNT = 8
MODES = {"sync": SyncVectorEnv, "async": AsyncVectorEnv, "vector_entry_point": ThreadVectorEnv}


def open_vector(mode, backend, **kwargs):
    return gymnasium.make_vec(
        icae_env.ENV_ID, num_envs=COUNT, vectorization_mode=mode,
        task=TASK, sandbox=backend, image="host", **kwargs,
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_eight_environments_of_unequal_length_do_not_disturb_each_other(mode, backend):
    envs = open_vector(mode, backend, level=["L1", "L3"])
    assert isinstance(envs, MODES[mode])
    obs, infos = envs.reset(seed=7)
    assert len(obs["text"]) == COUNT
    assert set(infos["task"]) == {TASK}
    lengths = [2 + index for index in range(COUNT)]
    ends = {}
    for step in range(max(lengths) + 1):
        actions = []
        for index, length in enumerate(lengths):
            if step == 0:
                actions.append(script(index))
            else:
                actions.append(
                    SUBMIT if step + 1 == length else {"type": "bash", "command": f"echo {index}.{step}"}
                )
        obs, rewards, terminated, truncated, infos = envs.step(tuple(actions))
        assert not truncated.any()
        for index, length in enumerate(lengths):
            assert terminated[index] == (step + 1 == length)
            if terminated[index]:
                ends[index] = rewards[index]
                assert infos["report"][index].overall == rewards[index]
            elif step + 1 < length and step:
                assert obs["text"][index] == f"{index}.{step}\n"
            elif step == length:  # the step after the end resets
                assert "# Product requirements" in obs["text"][index]
                assert obs["steps_left"][index] == 200
    total = len(load_hidden(TASK).cases)
    assert ends == {index: 2 * index / total for index in range(COUNT)}
    envs.close()
    envs.close()
    assert not backend.live


def test_all_modes_give_the_same(backend):
    actions = [
        (ECHO,) * COUNT,
        ("nonsense",) * COUNT,
        (script(1),) * COUNT,
        (SUBMIT,) * COUNT,
        (ECHO,) * COUNT,
    ]
    runs = []
    for mode in MODES:
        envs = open_vector(mode, backend, level=["L1", "L2", "L3"])
        runs.append([envs.reset(seed=3), *(envs.step(batch) for batch in actions)])
        envs.close()
    for left, middle, right in zip(*runs, strict=True):
        for one, other in (*zip(left, middle, strict=True), *zip(left, right, strict=True)):
            assert data_equivalence(one, other, exact=True)


def test_sampled_batches_are_taken(backend):
    envs = open_vector("vector_entry_point", backend)
    envs.action_space.seed(1)
    envs.reset(seed=1)
    for _ in range(5):
        _, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        assert rewards.tolist() == [0.0] * COUNT
        assert not (terminated | truncated).any()
    envs.close()


def thread_envs(backend, **kwargs):
    return icae_env.make_vector_env(3, task=TASK, sandbox=backend, image="host", **kwargs)


def test_same_step_resets_at_once_and_keeps_the_last_observation(backend):
    envs = thread_envs(backend, autoreset_mode=AutoresetMode.SAME_STEP)
    envs.reset(seed=0)
    obs, _, terminated, _, infos = envs.step([SUBMIT, ECHO, ECHO])
    assert terminated.tolist() == [True, False, False]
    assert "# Product requirements" in obs["text"][0]
    assert infos["final_obs"][0]["text"].startswith("Submitted")
    assert infos["final_info"]["end"][0] == "submit"
    envs.close()


def test_disabled_autoreset_leaves_it_to_a_masked_reset(backend):
    envs = thread_envs(backend, autoreset_mode="Disabled")
    envs.reset(seed=0)
    envs.step([SUBMIT, ECHO, ECHO])
    obs, _ = envs.reset(options={"reset_mask": np.array([True, False, False])})
    assert "# Product requirements" in obs["text"][0]
    assert obs["text"][1] == "hello\n"
    obs, *_ = envs.step([ECHO] * 3)
    assert obs["text"] == ("hello\n",) * 3
    assert obs["steps_left"].tolist() == [199, 198, 198]
    envs.close()


def test_an_error_of_one_waits_for_the_others(backend):
    envs = thread_envs(backend)
    envs.reset(seed=0)
    envs.envs[1].close()
    with pytest.raises(EpisodeStateError):
        envs.step([ECHO] * 3)
    assert [env._episode.steps_left for env in envs.envs if env._episode] == [199, 199]
    envs.close()
    assert not backend.live


def test_a_reset_that_fails_leaves_nothing(backend):
    backend.start_error = "no memory"
    envs = thread_envs(backend)
    with pytest.raises(SandboxStartError):
        envs.reset()
    envs.close()
    assert not backend.live


def test_wrong_batches_are_named(backend):
    envs = thread_envs(backend)
    with pytest.raises(ValueError, match="3 environments but 2 seeds"):
        envs.reset(seed=[1, 2])
    envs.reset(seed=[1, 2, None])
    with pytest.raises(ValueError, match="3 environments but 2 actions"):
        envs.step([ECHO] * 2)
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.zeros(3, dtype=np.bool_)})
    envs.close()
    with pytest.raises(ValueError, match="num_envs"):
        icae_env.make_vector_env(0)


def test_max_episode_steps_is_the_step_limit_and_scores(backend):
    envs = thread_envs(backend, max_episode_steps=1)
    envs.reset()
    _, rewards, _, truncated, infos = envs.step([script(1)] * 3)
    assert truncated.all()
    assert (rewards > 0).all()
    assert infos["end"].tolist() == ["steps"] * 3
    envs.close()
