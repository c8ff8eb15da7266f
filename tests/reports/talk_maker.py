"""A conversation with a model as a trajectory tells it: two calls in one answer, a broken one, and a context made shorter."""

from __future__ import annotations

from collections.abc import Sequence

from page_maker import step_line

from icae_env.env.trajectory import ModelLine, ObservationLine, ResetLine, StepLine
from icae_env.llm.base import Completion, Message, ToolCall, Usage

SYSTEM = Message(role="system", text="You program.")
TASK = Message(role="user", text="Write it.")
LOOK = Message(
    role="assistant", text="I look.", reasoning="hm",
    tool_calls=(ToolCall(id="a", name="bash", arguments='{"command": "ls"}'), ToolCall(id="b", name="ask_user", arguments='{"question": "UTC?"}')),
)  # fmt: skip
BROKEN = Message(role="assistant", tool_calls=(ToolCall(id="c", name="bash", arguments='{"command": '),))
EMPTY = Message(role="assistant")
HAND_IN = Message(
    role="assistant", text="Done.", tool_calls=(ToolCall(id="d", name="submit", arguments="{}"),)
)


def result(call: str, text: str) -> Message:
    return Message(role="tool", tool_call_id=call, text=text)


def model_line(
    index: int, kept: int, added: Sequence[Message], answer: Message, phase: str = ""
) -> ModelLine:
    usage = Usage(input_tokens=100 + index, output_tokens=None if index == 2 else 10, cached_tokens=50)
    done = Completion(message=answer, finish="tool_calls", usage=usage, model="m-1", seconds=1.0)
    return ModelLine(
        index=index, phase=phase, kept=kept, added=tuple(added), completion=done, cost=0.01 if index else None
    )


def begin() -> ResetLine:
    seen = ObservationLine(text="Write it.", exit_code=-1, steps_left=50, questions_left=9)
    return ResetLine(seed=0, options={}, observation=seen, info={"image": "python", "sandbox": "bubblewrap"})


def lines() -> list[ResetLine | StepLine | ModelLine]:
    revealed = {"question": "UTC?", "kind": "answer", "revealed": ["zone"], "charged": True}
    return [
        begin(),
        model_line(0, 0, [SYSTEM, TASK], LOOK),
        step_line(0, {"type": "bash", "command": "ls"}, "run.py", 0),
        step_line(1, {"type": "ask_user", "question": "UTC?"}, "Yes.", -1, user_agent=revealed),
        model_line(2, 3, [result("a", "run.py"), result("b", "Yes.")], EMPTY),
        step_line(2, {"type": "invalid", "message": "no call"}, "no call", -1),
        model_line(3, 5, [Message(role="user", text="Call a tool.")], BROKEN),
        step_line(3, {"type": "invalid", "message": "no JSON", "given": "{"}, "no JSON", -1),
        model_line(
            4, 3, [result("a", "(left out)"), result("b", "Yes."), BROKEN, result("c", "no JSON")], HAND_IN
        ),
        step_line(4, {"type": "submit"}, "Over.", -1, end="submit"),
    ]
