"""Episodes as chat messages for fine-tuning, checked against the types of OpenAI's own SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from page_maker import reset_line, step_line
from pydantic import TypeAdapter
from run_maker import add_files, key, make_run, row
from talk_maker import BROKEN, HAND_IN, LOOK, SYSTEM, TASK, begin, lines, model_line, result

from icae_env.env.trajectory import ModelLine, ResetLine, StepLine
from icae_env.llm.base import Message
from icae_env.reports import load_rows
from icae_env.reports.export import conversations
from icae_env.reports.export.openai_messages import metadata

MESSAGES: TypeAdapter[Any] = TypeAdapter(list[ChatCompletionMessageParam])
TOOLS: TypeAdapter[Any] = TypeAdapter(list[ChatCompletionToolParam])
FIELDS = {
    "system": {"role", "content"}, "user": {"role", "content"}, "tool": {"role", "content", "tool_call_id"},
    "assistant": {"role", "content", "tool_calls", "weight"},
}  # fmt: skip


def documents(folder: Path, trajectory: list[ResetLine | StepLine | ModelLine]) -> list[dict[str, Any]]:
    """Export one episode and check every line of it."""
    run = make_run(folder, [row(key(), 0.5)])
    add_files(run, key(), trajectory, None)
    (entry,) = load_rows([run]).entries
    found = [talk.document() for talk in conversations(entry)]
    for document in found:
        assert set(document) <= {"messages", "tools"}
        MESSAGES.validate_python(document["messages"])
        TOOLS.validate_python(document.get("tools", []))
        open_calls: set[str] = set()
        for message in document["messages"]:
            assert set(message) <= FIELDS[message["role"]]
            if message["role"] == "tool":
                assert message["tool_call_id"] in open_calls
                open_calls.remove(message["tool_call_id"])
            open_calls |= {call["id"] for call in message.get("tool_calls", ())}
        assert document["messages"][-1]["role"] == "assistant"
    return found


def test_a_conversation_that_only_grows_is_one_line(tmp_path: Path) -> None:
    last = model_line(2, 3, [result("a", "run.py"), result("b", "Yes.")], HAND_IN)
    (document,) = documents(tmp_path / "run", [*lines()[:4], last])
    assert [message["role"] for message in document["messages"]] == [
        "system", "user", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    assert document["messages"][2] == {
        "role": "assistant", "content": "I look.",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}},
            {"id": "b", "type": "function", "function": {"name": "ask_user", "arguments": '{"question": "UTC?"}'}},
        ],
    }  # fmt: skip
    assert [tool["function"]["name"] for tool in document["tools"]][:2] == ["bash", "edit"]
    assert "hm" not in str(document)  # reasoning that the service showed is no part of what it takes back


def test_a_conversation_written_anew_is_a_further_line_and_nothing_is_learned_twice(tmp_path: Path) -> None:
    first, second = documents(tmp_path / "run", lines())
    assert [message.get("weight") for message in first["messages"] if message["role"] == "assistant"] == [
        None,
        None,
    ]
    assert first["messages"][-2] == {"role": "user", "content": "Call a tool."}
    said = [message for message in second["messages"] if message["role"] == "assistant"]
    assert [message.get("weight") for message in said] == [0, 0, None]
    assert said[1]["content"] is None
    assert second["messages"][3]["content"] == "(left out)"
    assert (
        len({BROKEN.tool_calls[0].id, LOOK.tool_calls[0].id} & {call["id"] for call in said[0]["tool_calls"]})
        == 1
    )


def test_a_phase_that_goes_on_with_the_same_conversation_stays_in_its_line(tmp_path: Path) -> None:
    results = [result("a", "run.py"), result("b", "Yes.")]
    goes_on = model_line(2, 0, [SYSTEM, TASK, LOOK, *results], HAND_IN, phase="build")
    assert len(documents(tmp_path / "one", [*lines()[:4], goes_on])) == 1
    afresh = model_line(2, 0, [SYSTEM, Message(role="user", text="Build it.")], HAND_IN, phase="build")
    assert len(documents(tmp_path / "two", [*lines()[:4], afresh])) == 2


def test_actions_as_text_need_no_tools(tmp_path: Path) -> None:
    said = model_line(0, 0, [SYSTEM, TASK], Message(role="assistant", text="```bash\nls\n```"))
    (document,) = documents(
        tmp_path / "run", [begin(), said, step_line(0, {"type": "bash", "command": "ls"}, "run.py")]
    )
    assert "tools" not in document
    assert document["messages"][-1] == {"role": "assistant", "content": "```bash\nls\n```"}


def test_an_agent_without_a_model_is_told_as_tool_calls(tmp_path: Path) -> None:
    steps = [
        step_line(0, {"type": "bash", "command": "echo \u00e4"}, "\u00e4"),
        step_line(1, {"type": "submit"}, "Over.", end="submit"),
    ]
    (document,) = documents(tmp_path / "run", [reset_line("Write it."), *steps])
    assert document["messages"][0] == {"role": "user", "content": "Write it."}
    assert document["messages"][1]["tool_calls"][0]["function"] == {
        "name": "bash",
        "arguments": '{"command": "echo \u00e4"}',
    }
    assert document["messages"][2] == {"role": "tool", "content": "\u00e4", "tool_call_id": "call_0"}
    assert len(document["messages"]) == 4


def test_metadata_says_which_episode_it_is(tmp_path: Path) -> None:
    (entry,) = load_rows([make_run(tmp_path / "run", [row(key(), 0.5)])]).entries
    assert metadata(entry)["reward"] == 0.5
    assert conversations(entry) == []


def test_the_check_sees_what_is_no_message() -> None:
    for wrong in ({"role": "nobody", "content": "x"}, {"role": "tool", "content": "x"}, {"role": "user"}):
        with pytest.raises(ValueError, match="validation error"):
            MESSAGES.validate_python([wrong])
