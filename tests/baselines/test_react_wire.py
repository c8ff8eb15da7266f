"""Whole episodes through the real SDKs: a service on the loopback plays the model, the sandbox is real, the score is bracex's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from real_sandboxes import place_or_skip

from baselines.scripted import SCRIPTS, read_script
from icae_env.env.env import ICAEEnv
from icae_env.factory import make_env
from icae_env.llm import make_model
from icae_env.llm.conformance.turns import Call, Turn, call, fail, say
from icae_env.llm.conformance.wire import WireServer
from icae_env.rollout import EpisodeResult, make_agent, play

SERVICES = ("chat", "responses", "messages")
TOO_LONG = {
    "chat": fail(
        400, "context_length_exceeded", message="This model's maximum context length is 8192 tokens."
    ),
    "responses": fail(
        400, "context_length_exceeded", message="Your input exceeds the context window of this model."
    ),
    "messages": fail(400, message="prompt is too long: 200001 tokens > 200000 maximum"),
}


@pytest.fixture(scope="module")
def env() -> Iterator[ICAEEnv]:
    made = make_env("bracex", "L1", **place_or_skip("bubblewrap"))
    yield made
    made.close()


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> Any:
    return request.param


def played(
    env: ICAEEnv,
    service: str,
    turns: list[Turn],
    monkeypatch: pytest.MonkeyPatch,
    agent: str = "react",
    **options: str,
) -> tuple[EpisodeResult, WireServer]:
    """Play an episode against a script; every request must be one that the real service would take."""
    with WireServer(turns) as server:
        for name, value in server.variables.items():
            monkeypatch.setenv(name, value)
        name = "anthropic/wire" if service == "messages" else "openai/wire"
        more = {} if service == "messages" else {"api": service}
        model = make_model(name, {"attempts": "2", "retry_wait": "0.01", **more})
        try:
            result = play(make_agent(agent, options), env, model=model)
        finally:
            model.close()
    assert not server.faults
    assert [request.refused for request in server.requests if request.refused] == []
    return result, server


def script() -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]:
    """Return the questions, the edits and the self-check of the honest script of bracex."""
    actions = read_script(SCRIPTS / "bracex")
    checks = [action for action in actions if "both examples are right" in action.get("command", "")]
    kinds = ("ask_user", "edit")
    questions, edits = ([action for action in actions if action["type"] == kind] for kind in kinds)
    return questions, edits, checks[0]


def asked(action: dict[str, Any]) -> Call:
    return Call(name=action["type"], arguments={key: value for key, value in action.items() if key != "type"})


def solution() -> list[Turn]:
    """Return a conversation that solves the task: a few questions, all files in one message, a check, the end."""
    questions, edits, check = script()
    return [
        call(
            "bash", {"command": "cat start.md"}, text="I read the document.", reasoning="First things first."
        ),
        *(Turn(text="This is open.", calls=(asked(question),)) for question in questions[:2]),
        Turn(text="Two more at once.", calls=tuple(map(asked, questions[2:4]))),
        Turn(text="Now I write it.", calls=tuple(map(asked, edits)), reasoning="Three files."),
        Turn(text="Does it work?", calls=(asked(check),)),
        call("submit", text="It does."),
    ]


def test_a_right_conversation_solves_the_task(
    env: ICAEEnv, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, server = played(env, service, solution(), monkeypatch)
    assert (result.reward, result.end, result.steps, result.questions) == (1.0, "submit", 10, 4)
    sent = json.dumps(server.requests[-1].body)
    assert "both examples are right" in sent
    assert "First a few sentences" in sent
    assert len(server.requests) == 7


def test_fenced_actions_solve_the_task_without_tools(
    env: ICAEEnv, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, edits, check = script()
    turns = [
        say(f"This is open.\n\n```ask_user\n{questions[0]['question']}\n```\n"),
        *(say(f"A file.\n\n````json\n{json.dumps(edit)}\n````\n") for edit in edits),
        say("No block at all."),
        say(f"A check.\n\n````bash\n{check['command']}\n````\n"),
        say("Done.\n\n```submit\n```"),
    ]
    result, server = played(env, service, turns, monkeypatch, "react-text")
    assert (result.reward, result.end, result.steps, result.questions) == (1.0, "submit", 7, 1)
    assert "tools" not in server.requests[0].body or not server.requests[0].body["tools"]


def test_mistakes_on_the_way_cost_steps_and_nothing_else(
    env: ICAEEnv, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *rest = solution()
    wrong = [
        call("bash", '{"command": "ls', finish="length"),
        fail(500),
        call("python", {"code": "print()"}),
        first,
        fail(429, retry_after=0.01),
        say("I have to think about this."),
        call("bash", {"cmd": "ls"}),
    ]
    result, _ = played(env, service, [*wrong, *rest], monkeypatch)
    assert (result.reward, result.end, result.steps) == (1.0, "submit", 14)


WRONG = {
    "malformed calls": [
        call("bash", '{"command": "ls'),
        call("bash", "nothing"),
        call("bash", {"command": 7}),
    ],
    "unknown tools": [call("python", {"code": "1"})] * 3,
    "no calls": [say("I think."), say("I think so."), say("Still.")],
    "empty answers": [say("")] * 3,
    "refusals": [Turn(refusal="I will not.")] * 3,
    "cut-off answers": [say("So I wi", finish="length")] * 2 + [call("bash", '{"comm', finish="length")],
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_conversation_ends_and_is_scored(
    env: ICAEEnv, service: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, server = played(env, service, WRONG[name], monkeypatch)
    assert (result.status, result.reward, result.end, result.steps) == ("ok", 0.0, "format", 4)
    assert len(server.requests) == 3


def test_endless_talk_ends_by_the_step_limit(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short = make_env("bracex", "L1", steps=5, **place_or_skip("bubblewrap"))
    try:
        result, server = played(short, service, [say("And so on.")] * 9, monkeypatch, max_format_errors="100")
    finally:
        short.close()
    assert (result.status, result.reward, result.end, result.steps) == ("ok", 0.0, "steps", 5)
    assert len(server.requests) == 5


def test_a_conversation_too_long_is_shortened_and_else_scored(
    env: ICAEEnv, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = call("bash", {"command": "seq 3000"})
    turns = [look, look, TOO_LONG[service], look, TOO_LONG[service], TOO_LONG[service]]
    result, server = played(env, service, turns, monkeypatch, keep_results="1")
    assert (result.status, result.reward, result.end) == ("ok", 0.0, "limit:context")
    sizes = [len(json.dumps(request.body)) for request in server.requests]
    assert sizes[3] < sizes[2]


def test_a_service_that_fails_for_good_is_the_hosts_fault(
    env: ICAEEnv, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, _ = played(env, service, [fail(500)] * 2, monkeypatch)
    assert (result.status, result.reward, result.end) == ("infra", None, None)
    assert "ModelUnavailableError" in (result.error or "")


def test_strategies_play_to_the_end(env: ICAEEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    questions, _, _ = script()
    asks = [Turn(calls=(asked(question),)) for question in questions]
    end = call("submit")
    for agent, turns, count in (
        ("never-ask", [asks[0], end], 0),
        ("ask-first", [end, *asks[:3], call("bash", {"command": "ls"}), asks[3], end], 3),
        ("ask-all", [end, *(asks * 2)[:16], end], 16),
    ):
        result, _ = played(env, "chat", turns, monkeypatch, agent)
        assert (agent, result.end, result.questions) == (agent, "submit", count)
