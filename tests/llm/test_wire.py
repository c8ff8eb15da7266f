"""The scripted service refuses what the real ones refuse; asked by the SDKs themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anthropic
import openai
import pytest

from icae_env.llm.conformance.turns import Turn, call, say
from icae_env.llm.conformance.wire import WireRequest, WireServer

USER = {"role": "user", "content": "Hello?"}
FUNCTION = {"name": "f", "arguments": "{}"}
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "1", "type": "function", "function": FUNCTION}],
}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]}
RESULT = {"type": "tool_result", "tool_use_id": "1", "content": "x"}


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer(answer=lambda request: say("ok")) as server:
        yield server


@pytest.fixture
def chat(server: WireServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=server.openai_url, api_key=server.key, max_retries=0) as client:
        yield client


@pytest.fixture
def messages(server: WireServer) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=server.url, api_key=server.key, max_retries=0) as client:
        yield client


@pytest.mark.parametrize(
    "wrong",
    [[], [CALLS, USER], [USER, CALLS], [USER, CALLS, USER], [USER, {"role": "tool", "tool_call_id": "1", "content": "x"}],
     [{"role": "user", "content": None}], [{"role": "robot", "content": "x"}],
     [USER, {"role": "assistant", "content": "x", "tool_calls": []}]],
)  # fmt: skip
def test_chat_refuses(chat: openai.OpenAI, server: WireServer, wrong: Any) -> None:
    with pytest.raises(openai.BadRequestError):
        chat.chat.completions.create(model="m", messages=wrong)
    assert server.requests[-1].refused


@pytest.mark.parametrize(
    "wrong",
    [[], [{"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}],
     [{"type": "function_call_output", "call_id": "1", "output": "x"}], [USER, {"type": "reasoning", "summary": []}],
     [{"type": "reasoning", "summary": [], "encrypted_content": "changed"}, {"role": "assistant", "content": "x"}],
     [{"type": "unheard_of"}]],
)  # fmt: skip
def test_responses_refuse(chat: openai.OpenAI, server: WireServer, wrong: Any) -> None:
    with pytest.raises(openai.BadRequestError):
        chat.responses.create(model="m", input=wrong)
    assert server.requests[-1].refused


@pytest.mark.parametrize(
    "wrong",
    [[], [USE], [USER, USER], [USER, USE], [USER, USE, USER], [USER, {"role": "assistant", "content": "x"}, {"role": "user", "content": [RESULT]}],
     [USER, USE, {"role": "user", "content": [{"type": "text", "text": "first"}, RESULT]}],
     [{"role": "user", "content": " "}], [{"role": "user", "content": []}],
     [USER, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x", "signature": "forged"}]}],
     [{"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}] * 5}]],
)  # fmt: skip
def test_messages_refuse(messages: anthropic.Anthropic, server: WireServer, wrong: Any) -> None:
    with pytest.raises(anthropic.BadRequestError):
        messages.messages.create(model="m", max_tokens=5, messages=wrong)
    assert server.requests[-1].refused


@pytest.mark.parametrize("name", ["", "a b", "x" * 65])
def test_tools_are_checked(chat: openai.OpenAI, server: WireServer, name: str) -> None:
    tool: Any = {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    with pytest.raises(openai.BadRequestError):
        chat.chat.completions.create(model="m", messages=[USER], tools=[tool])  # type: ignore[list-item]


def test_a_wrong_key_takes_no_turn() -> None:
    with WireServer([say("ok")]) as server:
        for key in ("wrong", server.key):
            with openai.OpenAI(base_url=server.openai_url, api_key=key, max_retries=0) as client:
                if key == "wrong":
                    with pytest.raises(openai.AuthenticationError):
                        client.responses.create(model="m", input="x")
                else:
                    assert client.responses.create(model="m", input="x").output_text == "ok"
        assert [request.authorized for request in server.requests] == [False, True]
        assert all(server.key not in request.model_dump_json() for request in server.requests)


def test_a_script_that_is_over_and_one_that_grows(chat: openai.OpenAI) -> None:
    with WireServer([say("1")]) as server:
        client = chat.with_options(base_url=server.openai_url)
        assert client.responses.create(model="m", input="x").output_text == "1"
        with pytest.raises(openai.InternalServerError, match="script is over"):
            client.responses.create(model="m", input="x")
        server.play(say("2"))
        assert client.responses.create(model="m", input="x").output_text == "2"


def test_many_conversations_by_their_position(messages: anthropic.Anthropic) -> None:
    turns = [call("f"), say("end")]

    def answer(request: WireRequest) -> Turn:
        assert request.interface == "messages"
        return turns[request.position]

    with WireServer(answer=answer) as server:
        client = messages.with_options(base_url=server.url)
        for _ in range(2):
            first = client.messages.create(model="m", max_tokens=5, messages=[USER])  # type: ignore[list-item]
            result = {"type": "tool_result", "tool_use_id": first.content[0].id, "content": "x"}  # type: ignore[union-attr]
            conversation: Any = [
                USER,
                {"role": "assistant", "content": first.content},
                {"role": "user", "content": [result]},
            ]
            second = client.messages.create(model="m", max_tokens=5, messages=conversation)
            assert (first.stop_reason, second.stop_reason) == ("tool_use", "end_turn")
        assert server.faults == []


def test_closing_ends_answers_under_way() -> None:
    server = WireServer([say("late", delay=600)])
    with openai.OpenAI(base_url=server.openai_url, api_key=server.key, max_retries=0, timeout=0.3) as client:
        with pytest.raises(openai.APITimeoutError):
            client.responses.create(model="m", input="x")
        server.close()
        server.close()
