"""What is left out of a conversation that nears its limit, and in which order."""

from __future__ import annotations

from itertools import pairwise

import pytest

from baselines.conversation import Conversation
from baselines.prompts import Prompts
from icae_env.llm.base import Message, ToolCall, ToolSpec, Usage

OPENING = (Message(role="system", text="rules"), Message(role="user", text="task"))


def talk(budget: int = 10_000, keep: int = 2) -> Conversation:
    return Conversation(OPENING, prompts=Prompts(), budget=budget, keep_results=keep)


def exchange(conversation: Conversation, number: int, size: int, *, keep: bool = False) -> None:
    call = ToolCall(id=f"c{number}", name="bash", arguments='{"command": "ls"}')
    conversation.said(Message(role="assistant", text=f"step {number}", tool_calls=(call,)), Usage())
    result = Message(role="tool", text=f"result {number} " + "x" * size, tool_call_id=f"c{number}")
    conversation.answer(result, keep=keep)


def left_out(conversation: Conversation) -> list[str | None]:
    return [
        message.tool_call_id
        for message in conversation.messages
        if "of this result were left out" in message.text
    ]


def check_pairs(conversation: Conversation) -> None:
    """Every call is answered by the message after it, and no result is without its call."""
    for before, after in pairwise(conversation.messages):
        calls = [call.id for call in before.tool_calls]
        assert calls == ([after.tool_call_id] if after.role == "tool" else [])


def test_below_the_budget_nothing_changes() -> None:
    conversation = talk()
    for number in range(5):
        exchange(conversation, number, 300)
    before = conversation.messages
    conversation.fit()
    assert conversation.messages == before


def test_oldest_results_go_first_and_only_as_many_as_needed() -> None:
    conversation = talk(budget=4_000)
    for number in range(7):
        exchange(conversation, number, 2_000)
    conversation.fit()
    gone = left_out(conversation)
    assert gone == [f"c{number}" for number in range(len(gone))]
    assert 0 < len(gone) < 5
    assert conversation.tokens <= 3_000
    assert len(conversation.messages) == 16
    check_pairs(conversation)


def test_the_task_and_answers_to_questions_stay_whole() -> None:
    conversation = talk(budget=2_000)
    for number in range(30):
        exchange(conversation, number, 1_000, keep=number in (1, 4))
    conversation.fit()
    texts = [message.text for message in conversation.messages]
    assert texts[:2] == ["rules", "task"]
    for number in (1, 4):
        assert f"result {number} " + "x" * 1_000 in texts
    assert "messages of yours were left out here" in texts[2]
    check_pairs(conversation)


def test_whole_exchanges_go_when_notes_are_not_enough_and_are_counted() -> None:
    conversation = talk(budget=1_000)
    for number in range(60):
        exchange(conversation, number, 400)
    conversation.fit()
    messages = conversation.messages
    assert conversation.tokens <= 1_000
    kept = sum(message.role == "assistant" for message in messages)
    assert messages[2].text.startswith(f"[{60 - kept} earlier messages")
    assert messages[-1].tool_call_id == "c59"
    check_pairs(conversation)


def test_a_giant_last_result_is_cut_in_its_middle() -> None:
    conversation = talk(budget=1_500)
    exchange(conversation, 0, 100)
    exchange(conversation, 1, 50_000)
    conversation.fit()
    last = conversation.messages[-1].text
    assert last.startswith("result 1 xxx")
    assert len(last) == 2_000
    assert "left out here" in last


def test_room_is_made_for_several_steps_at_once() -> None:
    conversation = talk(budget=4_000)
    changes = 0
    for number in range(40):
        before = conversation.messages
        exchange(conversation, number, 600)
        conversation.fit()
        changes += conversation.messages[: len(before)] != before
    assert 0 < changes < 15


def test_the_estimate_learns_from_the_service_within_bounds() -> None:
    conversation = talk()
    exchange(conversation, 0, 30_000)
    plain = conversation.tokens
    conversation.said(Message(role="assistant", text="so"), Usage(input_tokens=2 * plain))
    assert conversation.tokens == pytest.approx(2 * plain, rel=0.01)
    conversation.said(Message(role="assistant", text="so"), Usage(input_tokens=1))
    assert conversation.tokens == pytest.approx(plain / 2, rel=0.01)
    conversation.said(Message(role="assistant", text="so"), Usage(input_tokens=None))
    assert conversation.tokens == pytest.approx(plain / 2, rel=0.01)


def test_tools_and_thinking_blocks_count() -> None:
    tool = ToolSpec(name="bash", description="d" * 3_000, parameters={})
    with_tools = Conversation(OPENING, prompts=Prompts(), budget=9, keep_results=1, tools=[tool])
    assert with_tools.tokens > talk().tokens + 900
    thinking = talk()
    thinking.said(Message(role="assistant", text="so", blocks=({"thinking": "t" * 3_000},)), Usage())
    assert thinking.tokens > talk().tokens + 900
