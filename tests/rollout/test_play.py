"""One episode: how agents and models end it."""

from __future__ import annotations

import json

import pytest
from run_parts import Giving, Idle, Limited, Raising, Thinking

from icae_env.env.trajectory import ModelLine, StepLine, read_trajectory
from icae_env.env.wrappers import Recorder
from icae_env.errors import ContextExceededError, EpisodeStateError
from icae_env.factory import make_env
from icae_env.llm.limits import ModelLimits
from icae_env.llm.make import make_model
from icae_env.llm.meter import Meter
from icae_env.rollout import play
from icae_env.tasks import find_task


@pytest.fixture
def env(tmp_path):
    env = Recorder(make_env("bracex", sandbox="fake", image="host", steps=20), tmp_path / "trajectory.jsonl")
    yield env
    env.close()


def scripted(tmp_path, *completions):
    file = tmp_path / "script.json"
    file.write_text(json.dumps(list(completions)))
    return make_model(f"scripted:{file}")


def steps(env):
    return [line for line in read_trajectory(env.file) if isinstance(line, StepLine)]


def test_an_agent_is_told_the_limits_in_force(env):
    agent = Idle()
    play(agent, env)
    assert agent.brief.limits == find_task("bracex").spec.limits.model_copy(update={"steps": 20})
    assert agent.brief.model is None
    agent.brief.phase("said into the void")


@pytest.mark.parametrize(("where", "taken"), [("act", 2), ("begin", 1)])
def test_an_agents_own_error_ends_the_episode_which_is_scored(env, where, taken):
    result = play(Raising(where), env)
    kind = "LookupError: no idea" if where == "act" else "SystemExit: 3"
    assert (result.status, result.reward, result.end) == ("ok", 0.0, "agent_error")
    assert result.error == f"The agent 'raising' failed in {where}(): {kind}".replace("raising", Raising.name)
    assert f"in {where}" in result.trace
    assert result.steps == len(steps(env)) == taken
    assert steps(env)[-1].action == {"type": "submit"}


def test_an_agent_may_say_why_it_gave_up(env):
    assert play(Giving(), env).end == "format"


def test_a_used_up_limit_of_the_model_is_scored_and_named(env):
    result = play(Limited(), env)
    assert (result.status, result.reward, result.end, result.error) == ("ok", 0.0, "limit:cost", None)


def test_a_conversation_too_long_is_scored(env, tmp_path):
    result = play(Thinking(), env, model=scripted(tmp_path, {"error": "context"}))
    assert (result.status, result.end) == ("ok", "limit:context")
    with pytest.raises(ContextExceededError):
        scripted(tmp_path, {"error": "context"}).complete([])


@pytest.mark.parametrize(("error", "final"), [("unavailable", False), ("request", True)])
def test_a_model_that_fails_is_no_score(env, tmp_path, error, final):
    result = play(Thinking(), env, model=scripted(tmp_path, {"text": "echo"}, {"error": error}))
    assert (result.status, result.reward, result.end, result.final) == ("infra", None, None, final)
    assert result.error.startswith("Model")
    assert result.steps == 1


def test_a_wrong_use_of_the_environment_is_no_fault_of_an_agent(env):
    class Privileged(Idle):
        def begin(self, brief):
            raise EpisodeStateError("This runner does not know me.")

    with pytest.raises(EpisodeStateError):
        play(Privileged(), env)


def test_calls_of_the_model_stand_before_the_step_that_came_of_them(env, tmp_path):
    model = scripted(
        tmp_path, {"text": "echo 1", "usage": {"input_tokens": 5, "output_tokens": 2}}, {"text": "submit"}
    )
    meter = Meter(model, limits=ModelLimits(tokens=1000), listener=env.model)
    with pytest.raises(
        Exception, match="does not tell how many tokens"
    ):  # of the second call, which is recorded all the same
        meter.complete([]), meter.complete([])
    env.reset(seed=0)
    meter = Meter(model, listener=env.model)
    result = play(Thinking(), env, model=meter, phase=meter.phase)
    assert result.end == "submit"
    lines = list(read_trajectory(env.file))[-5:]
    assert [line.type for line in lines] == ["reset", "model", "step", "model", "step"]
    first, second = (line for line in lines if isinstance(line, ModelLine))
    assert [(line.index, line.phase, line.kept) for line in (first, second)] == [
        (0, "first", 0),
        (1, "first", 3),
    ]
    assert [message.role for message in first.added] == ["system", "user"]
    assert [message.role for message in second.added] == ["user"]
    assert first.completion.usage.input_tokens == 5
    assert first.completion.raw == {}
