"""What only OpenAI's interfaces have, and what the servers do that follow them in part."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from icae_env.errors import (
    ConfigError,
    ContextExceededError,
    EpisodeStateError,
    ModelRequestError,
    ModelUnavailableError,
)
from icae_env.llm import Message, ToolCall, ToolSpec, make_model
from icae_env.llm.conformance.turns import Call, Turn, call, fail, say, seal
from icae_env.llm.conformance.wire import WireServer

ASK = [Message(role="user", text="Hello?")]
TOOLS = [ToolSpec(name="bash", description="Run.", parameters={"type": "object", "properties": {}})]


def raw(message: dict[str, Any], **fields: Any) -> Turn:
    """Return a turn whose chat message is given as it stands."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return Turn(body=json.dumps({"id": "1", "model": "served", "choices": [choice], **fields}))


def test_missing_ids_and_arguments_as_objects(connector: Any) -> None:
    wishes = (Call(name="bash", arguments={"command": "é"}), Call(name="bash", arguments={"command": "b"}))
    with WireServer(
        [Turn(calls=wishes, missing_ids=True, object_arguments=True, usage=None), say("Done.")]
    ) as server:
        model = connector(server, "chat")
        answer = model.complete(ASK, TOOLS)
        first, second = answer.message.tool_calls
        assert (first.arguments, second.arguments) == ('{"command": "é"}', '{"command": "b"}')
        assert first.id and second.id and first.id != second.id
        results = [Message(role="tool", tool_call_id=wish.id, text="ok") for wish in (first, second)]
        assert model.complete([*ASK, answer.message, *results], TOOLS).message.text == "Done."


def test_ids_that_are_twice_the_same_are_told_apart(connector: Any) -> None:
    same = {"id": "x", "type": "function", "function": {"name": "bash", "arguments": None}}
    with WireServer([raw({"content": None, "tool_calls": [same, same]})]) as server:
        calls = connector(server, "chat").complete(ASK, TOOLS).message.tool_calls
    assert len({wish.id for wish in calls}) == 2 and [wish.arguments for wish in calls] == ["", ""]


@pytest.mark.parametrize(
    "odd", [7, "bash", {"id": "x"}, {"id": "x", "function": "bash"}, {"function": {"name": None}}]
)
def test_calls_of_no_form_are_the_agents_to_judge(connector: Any, odd: Any) -> None:
    with WireServer([raw({"content": None, "tool_calls": [odd]}), say("Sorry.")]) as server:
        model = connector(server, "chat")
        message = model.complete(ASK, TOOLS).message
        (wish,) = message.tool_calls
        assert wish.name == "" and wish.id
        result = Message(role="tool", tool_call_id=wish.id, text="That was no call.")
        assert model.complete([*ASK, message, result], TOOLS).message.text == "Sorry."


def test_calls_without_their_finish_reason_are_calls(connector: Any) -> None:
    item = {"id": "x", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    with WireServer(
        [raw({"content": "", "tool_calls": [item]}), raw({"content": "", "tool_calls": None})]
    ) as server:
        model = connector(server, "chat")
        assert [model.complete(ASK).finish for _ in range(2)] == ["tool_calls", "stop"]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_of_servers_goes_back_only_where_it_came_from(connector: Any, field: str) -> None:
    turns = [say("4", reasoning="2 + 2", reasoning_field=field), say("ok"), say("ok")]
    with WireServer(turns) as server:
        model = connector(server, "chat")
        message = model.complete(ASK).message
        assert (message.text, message.reasoning) == ("4", "2 + 2")
        conversation = [*ASK, message, Message(role="user", text="Sure?")]
        model.complete(conversation)
        assert server.requests[-1].body["messages"][1] == {
            "role": "assistant",
            "content": "4",
            field: "2 + 2",
        }
        connector(server, "responses").complete(conversation)
        assert "2 + 2" not in json.dumps(server.requests[-1].body)
        server.play(say("4", reasoning="2 + 2", reasoning_field=field))
        assert connector(server, "chat", keep_reasoning=False).complete(ASK).message.blocks == ()


def test_marks_on_calls_go_back(connector: Any) -> None:
    item = {
        "id": "x",
        "type": "function",
        "function": {"name": "bash", "arguments": "{}"},
        "extra_content": {"s": 1},
    }
    with WireServer([raw({"content": None, "tool_calls": [item]}), say("ok")]) as server:
        model = connector(server, "chat")
        message = model.complete(ASK, TOOLS).message
        model.complete([*ASK, message, Message(role="tool", tool_call_id="x", text="")], TOOLS)
        assert server.requests[-1].body["messages"][1]["tool_calls"] == [item]


def test_content_in_parts(connector: Any) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Yes."},
    ]
    with WireServer([raw({"content": parts})]) as server:
        answer = connector(server, "chat").complete(ASK)
    assert (answer.message.text, answer.message.reasoning, answer.model) == ("Yes.", "Hm.", "served")
    assert (answer.usage.input_tokens, answer.finish, answer.raw["id"]) == (None, "stop", "1")


def test_half_signs_are_replaced(connector: Any) -> None:
    body = str(raw({"content": "MARK"}).body).replace("MARK", "a\\ud83d b \\ud83d\\ude00")
    with WireServer([Turn(body=body)]) as server:
        assert connector(server, "chat").complete(ASK).message.text == "a\ufffd b \U0001f600"


@pytest.mark.parametrize(
    "body",
    ["", "null", "[]", "{}", '{"choices": []}', '{"choices": [{}]}', '{"choices": [{"message": {"tool_calls": 5}}]}',
     '{"choices": [{"message": "text"}]}', "[" * 100_000, '{"choices": "text"}'],
)  # fmt: skip
def test_answers_that_are_none_are_tried_again_and_then_told(connector: Any, body: str) -> None:
    with WireServer([Turn(body=body), Turn(body=body)]) as server:
        with pytest.raises(ModelUnavailableError, match="the answer"):
            connector(server, "chat", attempts=2).complete(ASK)
        assert len(server.requests) == 2


def test_an_error_inside_of_a_good_response(connector: Any) -> None:
    busy = Turn(body='{"error": {"message": "Busy.", "code": 429}}')
    wrong = Turn(body='{"error": {"message": "No such model.", "code": 404}}')
    long = Turn(body='{"error": {"message": "Too much.", "code": "context_length_exceeded"}}')
    with WireServer([busy, say("Here."), wrong, long]) as server:
        model = connector(server, "chat")
        assert model.complete(ASK).retries == 1
        with pytest.raises(ModelRequestError, match="No such model"):
            model.complete(ASK)
        with pytest.raises(ContextExceededError):
            model.complete(ASK)


def test_responses_that_failed(connector: Any) -> None:
    failed = {
        "id": "1",
        "status": "failed",
        "output": [],
        "error": {"code": "rate_limit_exceeded", "message": "Wait."},
    }
    with WireServer([Turn(body=json.dumps(failed)), say("Here.")]) as server:
        assert connector(server, "responses").complete(ASK).retries == 1


def test_responses_keep_reasoning_without_state(connector: Any) -> None:
    turns = [
        call("bash", {"command": "ls"}, text="Look.", reasoning="Where?"),
        say("cut", finish="length"),
        say("Done."),
    ]
    with WireServer(turns) as server:
        model = connector(server, "responses", reasoning_effort="low", max_tokens="500")
        message = model.complete(ASK, TOOLS).message
        result = Message(role="tool", tool_call_id=message.tool_calls[0].id, text="out")
        assert model.complete([*ASK, message, result], TOOLS).finish == "length"
        body = server.requests[-1].body
        assert (body["store"], body["reasoning"], body["max_output_tokens"]) == (
            False,
            {"effort": "low"},
            500,
        )
        assert [item.get("type", item.get("role")) for item in body["input"]] == [
            "user", "reasoning", "message", "function_call", "function_call_output",
        ]  # fmt: skip
        assert body["input"][1]["encrypted_content"] == seal("Where?")
        # Another model gets text and calls alone.
        other = make_model(
            "openai/other", {"base_url": server.openai_url, "api_key_env": "WIRE_KEY", "api": "responses"}
        )
        other.complete([*ASK, message, result], TOOLS)
        other.close()
        assert "Where?" not in json.dumps(server.requests[-1].body)


def test_options_reach_the_service(connector: Any) -> None:
    options = {"temperature": "0.5", "top_p": "0.9", "max_tokens": "77", "seed": "3", "reasoning_effort": "high",
               "parallel_tool_calls": "false", "extra_body": '{"top_k": 5}'}  # fmt: skip
    with WireServer([say("x"), say("x")]) as server:
        connector(server, "chat", **options).complete(ASK, TOOLS)
        body = server.requests[-1].body
        wanted = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 77, "seed": 3, "reasoning_effort": "high",
                  "parallel_tool_calls": False, "top_k": 5}  # fmt: skip
        assert {name: body[name] for name in wanted} == wanted
        connector(server, "chat").complete(ASK)
        assert set(server.requests[-1].body) == {"model", "messages"}


def test_openais_own_service_gets_the_new_name_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-sent-anywhere")
    model = make_model("openai/gpt-x", {"max_tokens": 5})
    request = model._request(ASK, ())  # type: ignore[attr-defined]
    model.close()
    assert request["max_completion_tokens"] == 5 and "max_tokens" not in request


def test_address_and_key_come_from_the_sdks_own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    with WireServer([say("openai"), say("anthropic")]) as server:
        for name, value in server.variables.items():
            monkeypatch.setenv(name, value)
        for name in ("openai/m", "anthropic/m"):
            model = make_model(name)
            assert model.name == name and model.complete(ASK).message.text == name.partition("/")[0]
            model.close()


@pytest.mark.parametrize(
    ("status", "code", "message", "error"),
    [
        (400, "context_length_exceeded", "Whatever.", ContextExceededError),
        (400, "", "This model's maximum context length is 4096 tokens.", ContextExceededError),
        (
            400,
            "invalid_image",
            "The picture is not longer than the model's context length.",
            ModelRequestError,
        ),
        (413, "", "Too large.", ContextExceededError),
        (429, "insufficient_quota", "Pay first.", ModelRequestError),
        (501, "", "Never heard of it.", ModelRequestError),
    ],
)
def test_errors_by_their_codes(
    connector: Any, status: int, code: str, message: str, error: type[Exception]
) -> None:
    with WireServer([fail(status, code, message=message)]) as server:
        with pytest.raises(error, match=message):
            connector(server, "chat").complete(ASK)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    ['{"object": "error", "message": "The maximum context length is 10 tokens.", "type": "BadRequestError", "code": 400}',
     '{"error": {"code": 400, "message": "request exceeds the available context size", "type": "exceed_context_size_error"}}',
     '{"error": {"code": 400, "message": "Too big.", "type": "exceed_context_size_error"}}'],
)  # fmt: skip
def test_too_long_as_other_servers_say_it(connector: Any, body: str) -> None:
    with WireServer([Turn(status=400, body=body)]) as server, pytest.raises(ContextExceededError):
        connector(server, "chat").complete(ASK)


def test_an_answer_that_drips_ends(connector: Any) -> None:
    with WireServer([say("slow", drip=0.1), say("ok")]) as server:
        answer = connector(server, "chat", timeout=1.5).complete(ASK)
        assert (answer.message.text, answer.retries) == ("ok", 1)
        server.play(say("slow", drip=0.1), say("ok"))
        answer = asyncio.run(connector(server, "messages", timeout=1.5).acomplete(ASK))
        assert (answer.message.text, answer.retries) == ("ok", 1)


def test_a_closed_model_says_so(connector: Any) -> None:
    with WireServer([say("x")]) as server:
        model = connector(server, "chat")
        model.close()
        with pytest.raises(EpisodeStateError, match="closed"):
            model.complete(ASK)


def test_a_conversation_of_the_system_alone_is_refused_here(connector: Any) -> None:
    with WireServer() as server:
        for interface in ("chat", "messages"):
            with pytest.raises(ModelRequestError, match="no message"):
                connector(server, interface).complete([Message(role="system", text="x")])
        assert server.requests == []


def test_calls_of_another_service_are_sent(connector: Any) -> None:
    wish = ToolCall(id="toolu_1", name="bash", arguments="{}")
    other = Message(
        role="assistant", tool_calls=(wish,), blocks=({"service": "anthropic"}, {"type": "thinking"})
    )
    for interface in ("chat", "responses", "messages"):
        with WireServer([say("ok")]) as server:
            result = Message(role="tool", tool_call_id="toolu_1", text="")
            connector(server, interface).complete([*ASK, other, result], TOOLS)
            assert server.requests[0].refused is None and "thinking" not in json.dumps(
                server.requests[0].body
            )


def test_a_bad_address_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-sent-anywhere")
    for address in ("localhost:8000/v1", "ftp://host/v1", "/v1", "http:///v1"):
        with pytest.raises(ConfigError, match="base_url"):
            make_model("openai/m", {"base_url": address})
