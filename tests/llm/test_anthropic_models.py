"""What only Anthropic's messages have: cache marks, thinking blocks, merged results."""

from __future__ import annotations

import json
from typing import Any

import pytest

from icae_env.errors import ContextExceededError, ModelRequestError
from icae_env.llm import Message, ToolSpec, Usage
from icae_env.llm.conformance.turns import Call, Turn, call, fail, say
from icae_env.llm.conformance.wire import WireServer

ASK = [Message(role="system", text="Rules."), Message(role="user", text="Hello?")]
TOOLS = [
    ToolSpec(name=name, description="Do.", parameters={"type": "object", "properties": {}})
    for name in ("a", "b")
]


def results(message: Message, text: str = "out") -> list[Message]:
    return [Message(role="tool", tool_call_id=wish.id, text=text) for wish in message.tool_calls]


def test_thinking_goes_back_unchanged_over_many_turns(connector: Any) -> None:
    turns = [call("a", {"n": n}, text=f"t{n}", reasoning=f"think {n}") for n in range(4)]
    with WireServer([*turns, say("Done.", reasoning="end")]) as server:
        model = connector(server, "messages", thinking_budget=2048)
        conversation = list(ASK)
        for _ in range(4):
            message = model.complete(conversation, TOOLS).message
            conversation += [message, *results(message)]
        assert model.complete(conversation, TOOLS).message.text == "Done."
        body = server.requests[-1].body
        assert body["thinking"] == {"type": "enabled", "budget_tokens": 2048}
        kinds = [block["type"] for block in body["messages"][1]["content"]]
        assert kinds == ["thinking", "text", "tool_use"] and body["messages"][1]["content"][0]["signature"]


def test_cut_off_thinking_is_not_sent_back(connector: Any) -> None:
    cut = {"type": "message", "role": "assistant", "model": "m", "stop_reason": "max_tokens",
           "content": [{"type": "thinking", "thinking": "Half a tho", "signature": ""}],
           "usage": {"input_tokens": 1, "output_tokens": 2}}  # fmt: skip
    with WireServer([Turn(body=json.dumps(cut)), say("Done.")]) as server:
        model = connector(server, "messages")
        answer = model.complete(ASK)
        assert (answer.message.text, answer.message.reasoning, answer.finish) == ("", "Half a tho", "length")
        model.complete([*ASK, answer.message, Message(role="user", text="Go on.")])
        assert server.requests[-1].refused is None


def test_results_and_words_become_one_message(connector: Any) -> None:
    both = Turn(calls=(Call(name="a"), Call(name="b")))
    with WireServer([both, say("ok")]) as server:
        model = connector(server, "messages", cache=False)
        message = model.complete(ASK, TOOLS).message
        words = [Message(role="user", text="And?"), Message(role="user", text=" ")]
        first, second = results(message)
        model.complete([*ASK, message, first, Message(role="user", text="Now."), second, *words], TOOLS)
        content = server.requests[-1].body["messages"][-1]["content"]
        assert [block["type"] for block in content] == ["tool_result", "tool_result", "text", "text"]
        assert [block.get("text") for block in content[2:]] == ["Now.", "And?"]
        assert "cache_control" not in json.dumps(server.requests[-1].body)


def test_cache_marks_move_with_the_conversation(connector: Any) -> None:
    with WireServer(answer=lambda request: call("a", {"n": request.position}, reasoning="hm")) as server:
        model = connector(server, "messages")
        conversation = list(ASK)
        for _ in range(4):
            message = model.complete(conversation, TOOLS).message
            conversation += [message, *results(message)]
        for number, request in enumerate(server.requests):
            assert request.refused is None
            body = request.body
            assert "cache_control" in body["tools"][-1] and "cache_control" not in body["tools"][0]
            assert "cache_control" in body["system"][-1]
            marked = [
                place
                for place, item in enumerate(body["messages"])
                if any("cache_control" in block for block in item["content"])
            ]
            assert marked == ([0] if number == 0 else [2 * number - 2, 2 * number])
        assert "cache_control" not in json.dumps([message.model_dump() for message in conversation])


def test_usage_counts_the_cached_parts(connector: Any) -> None:
    told = Usage(input_tokens=1000, output_tokens=5, cached_tokens=700, cache_write_tokens=200)
    with WireServer([say("x", usage=told)]) as server:
        assert connector(server, "messages").complete(ASK).usage == told
    assert server.requests[0].body["max_tokens"] == 16_000


def test_long_answers_are_waited_for_in_one_piece(connector: Any) -> None:
    with WireServer([say("x")]) as server:
        options = {"max_tokens": 128_000, "timeout": 3600, "reasoning_effort": "high", "thinking": "adaptive"}
        assert connector(server, "messages", **options).complete(ASK).message.text == "x"
        body = server.requests[0].body
        assert body["output_config"] == {"effort": "high"} and body["thinking"] == {"type": "adaptive"}


@pytest.mark.parametrize(
    ("turn", "error"),
    [
        (fail(400, message="prompt is too long: 210000 tokens > 200000 maximum"), ContextExceededError),
        (fail(400, "some_other_code", message="prompt is too long"), ModelRequestError),
        (fail(400, "prompt_too_long", message="Whatever."), ContextExceededError),
        (fail(413), ContextExceededError),
        (fail(429, "enforced_spend_limit_reached"), ModelRequestError),
    ],
)
def test_errors_by_their_codes(connector: Any, turn: Turn, error: type[Exception]) -> None:
    with WireServer([turn]) as server:
        with pytest.raises(error):
            connector(server, "messages").complete(ASK)
        assert len(server.requests) == 1


def test_an_input_that_is_no_object_can_be_repaired(connector: Any) -> None:
    with WireServer([call("a", "{bad"), say("ok")]) as server:
        model = connector(server, "messages")
        message = model.complete(ASK, TOOLS).message
        assert message.tool_calls[0].arguments == "{bad"
        model.complete([*ASK, message, *results(message, "Not JSON.")], TOOLS)
        (block,) = server.requests[-1].body["messages"][1]["content"]
        assert block["input"] == {"malformed_arguments": "{bad"}


def test_other_reasons_to_stop(connector: Any) -> None:
    def told(reason: str) -> Turn:
        document = {
            "type": "message",
            "model": "m",
            "content": [{"type": "text", "text": "x"}],
            "stop_reason": reason,
        }
        return Turn(body=json.dumps(document))

    reasons = ["end_turn", "stop_sequence", "model_context_window_exceeded", "refusal", "pause_turn"]
    with WireServer([told(reason) for reason in reasons]) as server:
        model = connector(server, "messages")
        found = [model.complete(ASK).finish for _ in reasons]
    assert found == ["stop", "stop", "length", "filter", "other"]
