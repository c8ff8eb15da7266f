"""Models that give back a recorded episode."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from icae_env.env.trajectory import ModelLine, encode
from icae_env.errors import ConfigError, ModelRequestError
from icae_env.llm import Completion, Message, ToolCall, make_model
from icae_env.llm.meter import Meter

WISH = ToolCall(id="c1", name="bash", arguments="{}")


def user(text: str) -> Message:
    return Message(role="user", text=text)


def said(text: str, *calls: ToolCall) -> Completion:
    return Completion(
        message=Message(role="assistant", text=text, tool_calls=calls), finish="stop", model="m", seconds=9
    )


def line(kept: int, added: Sequence[Message], completion: Completion, phase: str = "") -> bytes:
    return encode(
        ModelLine(index=0, phase=phase, kept=kept, added=tuple(added), completion=completion, cost=None)
    )


def episode(seed: int = 0) -> bytes:
    """Return a trajectory: three calls in one phase, with a shortened conversation at last, and one in another."""
    result = Message(role="tool", tool_call_id="c1", text=f"result {seed}")
    return b"".join(
        [
            line(0, [user("Task.")], said("Look.", WISH)),
            line(2, [result], said(f"Now {seed}.")),
            line(0, [user("Well?")], said("Fine."), "review"),
            line(1, [user("Shortened."), user("Go on.")], said("End.")),
        ]
    )


@pytest.fixture
def trajectory(tmp_path: Path) -> Path:
    file = tmp_path / "trajectory.jsonl"
    file.write_bytes(episode())
    return file


def play(meter: Meter, result: str = "result 0") -> list[str]:
    conversation = [user("Task.")]
    found = [meter.complete(conversation).message]
    conversation += [found[0], Message(role="tool", tool_call_id="c1", text=result)]
    found.append(meter.complete(conversation).message)
    meter.phase("review")
    found.append(meter.complete([user("Well?")]).message)
    meter.phase("")
    found.append(meter.complete([user("Task."), user("Shortened."), user("Go on.")]).message)
    return [message.text for message in found]


def test_the_same_conversation_gets_the_same_answers(trajectory: Path) -> None:
    for path in (trajectory, trajectory.parent):
        model = make_model(f"replay:{path}")
        for _ in range(2):
            meter = Meter(model)
            assert play(meter) == ["Look.", "Now 0.", "Fine.", "End."]
            with pytest.raises(ModelRequestError, match="ended after 4 calls"):
                meter.complete([user("Task.")])
        assert Meter(model).complete([user("Task.")]).seconds == 0


def test_a_difference_is_told_with_its_place(trajectory: Path) -> None:
    with pytest.raises(
        ModelRequestError, match=r"call 1 .*message 2 \(tool\), text: from character 7 it is 'result 5'"
    ):
        play(Meter(make_model(f"replay:{trajectory}")), "result 5")
    meter = Meter(make_model(f"replay:{trajectory}"))
    meter.phase("other")
    with pytest.raises(ModelRequestError, match="the phase is 'other' and was ''"):
        meter.complete([user("Task.")])
    meter.phase("")
    with pytest.raises(ModelRequestError, match="it has 2 messages and had 1"):
        meter.complete([user("Task."), user("More.")])


def test_a_run_is_matched_by_its_conversations(tmp_path: Path) -> None:
    for seed in range(3):
        folder = tmp_path / "episodes" / f"e{seed}"
        (folder / "attempts" / "1").mkdir(parents=True)
        (folder / "attempts" / "1" / "trajectory.jsonl").write_bytes(episode(9))
        (folder / "trajectory.jsonl").write_bytes(episode(seed))
    model = make_model(f"replay:{tmp_path}")
    assert [play(Meter(model), f"result {seed}")[1] for seed in (2, 0, 1)] == ["Now 2.", "Now 0.", "Now 1."]
    with pytest.raises(ModelRequestError, match="So do 2 other episodes"):
        play(Meter(model), "result 9")


def test_a_cut_off_line_is_left_out(trajectory: Path) -> None:
    trajectory.write_bytes(episode()[:-5])
    with pytest.raises(ModelRequestError, match="ended after 3 calls"):
        play(Meter(make_model(f"replay:{trajectory}")))


def test_what_is_no_recording_is_told(tmp_path: Path, trajectory: Path) -> None:
    for path in (tmp_path / "none.jsonl", shutil.copytree(tmp_path, tmp_path / "sub") / "no"):
        with pytest.raises(ConfigError, match="cannot be read"):
            make_model(f"replay:{path}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="No call of a model"):
        make_model(f"replay:{tmp_path / 'empty'}")
    for text, told in (
        ("{\n", "Line 1 is not JSON"),
        ("[]\n", "Line 1 is no line"),
        ('{"type": "model"}\n', "Line 1 is no line"),
    ):
        trajectory.write_text(text)
        with pytest.raises(ConfigError, match=told):
            make_model(f"replay:{trajectory}")
