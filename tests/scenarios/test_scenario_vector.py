"""Many environments at once: asynchronous, of unequal length, reset twice, closed twice, killed; no cross-talk."""

from __future__ import annotations

import threading

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from scenario_tools import SUBMIT, TASK, bash, create, eventually, keys, marker, on_host

import icae_env


@pytest.mark.parametrize("mode", ["async", "vector_entry_point"])
def test_eight_of_unequal_length_with_everything_hostile_in_some(where, mode):
    word = marker()
    envs = gymnasium.make_vec(
        icae_env.ENV_ID,
        num_envs=8,
        vectorization_mode=mode,
        task=TASK,
        command_seconds=2,
        restarts=100,
        **where,
    )
    try:
        for _ in range(2):  # reset twice
            obs, _ = envs.reset(seed=5)
        assert len(set(obs["text"])) == 1
        hostile = [
            "kill -9 -1",
            "exit 3",
            "sleep 9",
            ":(){ :|:& };:",
            "rm -rf /workspace/*; kill -9 $$",
            f"sleep {word} &",
            "yes",
            "cd /tmp",
        ]
        for step in range(1, 6):
            actions = []
            for index in range(8):
                if index % 5 == step - 1:
                    actions.append(SUBMIT)
                elif step == 2:
                    actions.append(bash(hostile[index]))
                elif step == 3:
                    actions.append(create("/tmp/mine", f"env {index}\n"))
                else:
                    actions.append(bash(f"echo {index}; cat /tmp/mine 2>/dev/null | head -1"))
            obs, _, terminated, truncated, _ = envs.step(actions)
            assert not truncated.any()
            for index in range(8):
                assert bool(terminated[index]) == (index % 5 == step - 1)
                if step == 5 and index % 5 > 4:
                    assert obs["text"][index] == f"{index}\nenv {index}\n"
    finally:
        envs.close()
        envs.close()
    assert eventually(lambda: not on_host(word), 10)


def test_episodes_in_threads_never_mix(begin):
    plays = [begin(seconds=600) for _ in range(6)]
    wrong = []

    def drive(number: int) -> None:
        play = plays[number]
        for turn in range(15):
            play.edit(create("n", f"{number} {turn}\n"))
            if play.bash(f"echo {number}; cat n; pwd") != f"{number}\n{number} {turn}\n/workspace\n":
                wrong.append(play.obs)
        if f"screen-{number}" not in play.do(keys(f"echo screen-{number}")):
            wrong.append(play.obs)

    threads = [threading.Thread(target=drive, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.filterwarnings("error")
def test_gymnasium_finds_nothing_to_complain_about(where):
    env = gymnasium.make(icae_env.ENV_ID, task=TASK, **where)
    try:
        check_env(env.unwrapped, skip_render_check=True)
    finally:
        env.close()


def test_one_failing_environment_does_not_stop_the_others(where):
    envs = [icae_env.make_env(TASK, **where) for _ in range(3)]
    try:
        for env in envs:
            env.reset(seed=0)
        envs[1].close()
        for env in (envs[0], envs[2]):
            assert env.step(bash("echo on"))[0]["text"] == "on\n"
    finally:
        for env in envs:
            env.close()
