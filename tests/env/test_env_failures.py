import gymnasium
import pytest
from fake_env import TASK, script

from icae_env.errors import (
    EpisodeStateError,
    InfraError,
    SandboxDiedError,
    SandboxStartError,
)

ECHO = {"type": "bash", "command": "echo hello"}
SUBMIT = {"type": "submit"}


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


def test_a_sandbox_ended_from_inside_is_replaced_and_counts_as_a_restart(make, backend):
    env = make(restarts=2)
    env.reset()
    env.step(script(5))
    next(iter(backend.live)).die(from_inside=True)
    obs, _, terminated, truncated, _ = env.step(ECHO)
    assert "sandbox was destroyed" in obs["text"]
    assert not truncated
    assert not terminated
    assert env.step(ECHO)[0]["text"] == "hello\n"
    assert len([sandbox for sandbox in backend.live if sandbox.alive()]) == 1
    next(sandbox for sandbox in backend.live if sandbox.alive()).die(from_inside=True)
    obs, reward, terminated, truncated, info = env.step(ECHO)
    assert truncated
    assert "limit of 2 restarts" in obs["text"]
    assert info["end"] == "restarts"
    assert reward == 0.0


def test_a_host_that_cannot_start_the_replacement_is_infra(make, backend):
    env = make()
    env.reset()
    next(iter(backend.live)).die(from_inside=True)
    backend.start_error = "no memory"
    with pytest.raises(InfraError):
        env.step(ECHO)
    with pytest.raises(EpisodeStateError, match="error of the host"):
        env.step(ECHO)


@pytest.mark.parametrize("action", [ECHO, SUBMIT, {"type": "edit", "op": "view", "path": "."}])
def test_a_sandbox_ended_by_the_host_is_infra_and_never_a_bad_score(make, backend, action):
    env = make()
    env.reset()
    env.step(script(5))
    next(iter(backend.live)).die()
    with pytest.raises(SandboxDiedError):
        env.step(action)
    assert env.report is None
    with pytest.raises(EpisodeStateError, match="error of the host"):
        env.step(ECHO)


def test_a_sandbox_ended_from_inside_before_submit_is_scored_as_empty(make, backend):
    env = make()
    env.reset()
    env.step(script(5))
    next(iter(backend.live)).die(from_inside=True)
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
