"""The environment over real sandboxes: the same on each of them."""

import subprocess
import sys
import time
from pathlib import Path

import gymnasium
import pytest
from fake_env import TASK
from real_sandboxes import EACH, place_or_skip

import icae_env
from icae_env.errors import ConfigError
from icae_env.sandbox.base import MIB, Limits
from icae_env.sandbox.images import store

SUBMIT = {"type": "submit"}


def bash(command):
    return {"type": "bash", "command": command}


@pytest.fixture(scope="module", params=EACH)
def where(request):
    return place_or_skip(request.param, "python" if request.param == "docker" else "host")


@pytest.fixture
def env(where):
    made = icae_env.make_env(TASK, **where)
    yield made
    made.close()


def texts(env, *commands):
    return [env.step(bash(command))[0]["text"] for command in commands]


def test_state_persists_and_exit_codes_are_told(env):
    env.reset(seed=0)
    env.step(bash("mkdir d; cd d; export A=1; f() { echo f$A; }"))
    obs, *_ = env.step(bash("pwd; f; (exit 5)"))
    assert obs["text"] == "/workspace/d\nf1\n"
    assert int(obs["exit_code"]) == 5


def test_a_shell_that_ends_is_restarted_and_named(env):
    env.reset(seed=0)
    obs, *_ = env.step(bash("exit 3"))
    assert int(obs["exit_code"]) == 3
    assert "restarted in /workspace" in obs["text"]
    assert texts(env, "echo again") == ["again\n"]


def test_ending_the_shell_over_and_over_ends_the_episode_and_scores_it(where):
    env = icae_env.make_env(TASK, restarts=3, **where)
    env.reset(seed=0)
    ends = [env.step(bash("exit 1"))[1:4] for _ in range(3)]
    assert ends == [(0.0, False, False), (0.0, False, False), (0.0, False, True)]
    assert env.report.overall == 0.0
    env.close()


def test_the_time_limit_of_a_command_is_named_and_the_next_one_works(where):
    env = icae_env.make_env(TASK, command_seconds=0.5, **where)
    env.reset(seed=0)
    obs, *_ = env.step(bash("echo before; sleep 60"))
    assert int(obs["exit_code"]) == 124
    assert obs["text"].startswith("before\n")
    assert "0.5 s" in obs["text"]
    assert texts(env, "echo after") == ["after\n"]
    env.close()


def test_the_time_limit_of_the_episode_cuts_a_command_short(where):
    env = icae_env.make_env(TASK, seconds=1.0, **where)
    env.reset(seed=0)
    begin = time.monotonic()
    obs, reward, terminated, truncated, info = env.step(bash("sleep 60"))
    assert time.monotonic() - begin < 20
    assert truncated
    assert not terminated
    assert info["end"] == "seconds"
    assert "time limit of 1 seconds is reached" in obs["text"]
    assert reward == 0.0
    env.close()


def test_long_output_is_cut_within_the_limit_and_the_cut_is_stated(env):
    env.reset(seed=0)
    obs, *_ = env.step(bash("echo first; seq 1000000; echo last"))
    text = obs["text"]
    assert len(text) <= 16_000
    assert text.startswith("first\n1\n2\n")
    assert "last\n" in text
    assert "the output limit is 16000 characters" in text
    assert "6888907 bytes" in text


def test_bytes_that_are_not_utf8_become_valid_text(env):
    env.reset(seed=0)
    obs, *_ = env.step(bash(r"printf 'a\xff\xfeb\0c'"))
    assert obs in env.observation_space
    assert obs["text"].startswith("a")


def test_edits_are_byte_exact_and_seen_by_the_shell(env):
    env.reset(seed=0)
    text = "\ufeffa\r\n\tb\r\n" + "x" * 12_000 + "\nno newline"
    env.step({"type": "edit", "op": "create", "path": "d/f.txt", "text": text})
    env.step(bash(r"printf '\xff\xfe' >> d/f.txt"))
    obs, *_ = env.step({"type": "edit", "op": "replace", "path": "d/f.txt", "old": "\tb", "new": "\tc\n"})
    assert int(obs["exit_code"]) == 0
    expected = text.replace("\tb", "\tc\n").encode() + b"\xff\xfe"
    assert env._episode.sandbox.files.read("/workspace/d/f.txt") == expected
    (out,) = texts(env, "stat -c %s d/f.txt")
    assert int(out) == len(expected)


def test_links_do_not_lead_an_edit_out_of_the_sandbox(env, tmp_path):
    (tmp_path / "secret").write_text("host only")
    env.reset(seed=0)
    env.step(bash(f"ln -s {tmp_path}/secret a; ln -s /etc/passwd b; ln -s / c"))
    for path in ("a", f"c{tmp_path}/secret", f"{tmp_path}/secret"):
        obs, *_ = env.step({"type": "edit", "op": "view", "path": path})
        assert "host only" not in obs["text"]
        assert int(obs["exit_code"]) == 1
    obs, *_ = env.step({"type": "edit", "op": "create", "path": "b", "text": "x"})
    assert int(obs["exit_code"]) == 1


def test_killing_everything_hurts_only_itself(where):
    one, other = icae_env.make_env(TASK, **where), icae_env.make_env(TASK, **where)
    one.reset(seed=0)
    other.reset(seed=0)
    texts(other, "A=kept")
    one.step(bash("kill -9 -1"))
    obs, *_ = one.step(bash("kill -9 $$"))
    assert "restarted" in obs["text"]
    assert texts(one, "echo alive") == ["alive\n"]
    assert texts(other, "echo $A") == ["kept\n"]
    one.close()
    other.close()


def test_a_full_disk_is_the_agents_affair(where):
    env = icae_env.make_env(TASK, resources=Limits(workspace=8 * MIB), **where)
    env.reset(seed=0)
    obs, *_ = env.step(bash("head -c 20M /dev/zero > big"))
    assert int(obs["exit_code"]) == 1
    obs, *_ = env.step({"type": "edit", "op": "create", "path": "more", "text": "y" * 100_000})
    assert int(obs["exit_code"]) == 1
    assert "disk is full" in obs["text"]
    env.step(bash("rm big"))
    obs, *_ = env.step({"type": "edit", "op": "create", "path": "more", "text": "y" * 100_000})
    assert int(obs["exit_code"]) == 0
    assert env.step(SUBMIT)[1] == 0.0
    env.close()


def test_equal_actions_give_equal_episodes(where):
    actions = [
        bash("ls -la --time-style=+; env | sort; id; hostname; echo $$ > /dev/null"),
        bash("cat /etc/hostname; pwd; echo $RANDOM > /dev/null; ls /home /tmp"),
        {"type": "edit", "op": "create", "path": "notes/x.txt", "text": "echo hi\n"},
        {"type": "ask_user", "question": "What about leading zeros?"},
        bash("exit 2"),
        "nonsense",
        SUBMIT,
    ]
    runs = []
    for _ in range(2):
        env = icae_env.make_env(TASK, **where)
        runs.append([env.reset(seed=3), *(env.step(action) for action in actions)])
        env.close()
    assert runs[0] == runs[1]


def test_public_delta_looks_at_a_running_episode_without_disturbing_it(where):
    env = icae_env.make_env(TASK, reward="public_delta", **where)
    env.reset(seed=0)
    env.step(bash("sleep 300 & echo $! > pid; A=kept"))
    obs, reward, *_ = env.step(bash("kill -0 $(cat pid) && echo $A"))
    assert obs["text"] == "kept\n"
    assert reward == 0.0
    env.close()


@pytest.mark.parametrize("mode", ["sync", "async", "vector_entry_point"])
def test_eight_environments_of_unequal_length(where, mode):
    vector_kwargs = {"shared_memory": False} if mode == "async" else {}
    envs = gymnasium.make_vec(
        icae_env.ENV_ID, num_envs=8, vectorization_mode=mode, vector_kwargs=vector_kwargs, task=TASK, **where
    )
    envs.reset(seed=1)
    for step in range(4):
        actions = [
            SUBMIT if index % 4 == step else bash(f"echo {index} >> mine; cat mine") for index in range(8)
        ]
        obs, _, terminated, _, _ = envs.step(actions)
        for index in range(8):
            assert terminated[index] == (index % 4 == step)
            if index % 4 > step:
                assert obs["text"][index] == f"{index}\n" * (step + 1)
    envs.close()


def test_a_terminal_shows_a_screen(env):
    from icae_env.sandbox import terminal

    if not terminal.available():
        pytest.skip("tmux is not installed; mend: apt-get install tmux")
    env.reset(seed=0)
    env.step({"type": "terminal", "keys": "cat", "enter": True})
    obs, *_ = env.step({"type": "terminal", "keys": "typed", "enter": True})
    assert obs["text"].count("typed") == 2
    obs, *_ = env.step({"type": "terminal", "keys": "<C-c>", "enter": False})
    assert obs in env.observation_space
    env.step(SUBMIT)


PROGRAM = """
import sys, icae_env
env = icae_env.make_env("bracex", sandbox=sys.argv[1], image=sys.argv[2])
env.reset(seed=0)
env.step({"type": "bash", "command": "sleep 98765 & sleep 98766 & echo"})
print("ready", flush=True)
sys.stdin.read()
"""


def sleepers():
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == b"sleep" and words[1] in (b"98765", b"98766"):
            found.append(file.parent.name)
    return found


def await_sleepers(count):
    for _ in range(100):
        if len(sleepers()) == count:
            break
        time.sleep(0.1)
    return len(sleepers())


def test_killing_the_process_leaves_nothing_running(where):
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, where["sandbox"], where["image"]],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline() == b"ready\n"
            assert await_sleepers(2) == 2
        finally:
            process.kill()
    assert await_sleepers(0) == 0


@pytest.mark.docker
def test_docker_names_the_image_that_must_be_built(monkeypatch, tmp_path):
    from icae_env.selection import choose_image

    monkeypatch.setattr(store, "stores", lambda: ())
    with pytest.raises(ConfigError, match="icae images build python"):
        choose_image("auto", "python", "docker")
    assert choose_image("auto", "python", "bubblewrap") == "host"
