"""Pages, and lines of trajectories to show in them."""

from __future__ import annotations

from pathlib import Path

from icae_env.env.trajectory import ModelLine, ObservationLine, ResetLine, StepLine
from icae_env.llm.base import Completion, Message, ToolCall, Usage
from icae_env.reports import load_rows, summarise
from icae_env.reports.html import page as html_page


def write_page(folder: Path) -> Path:
    rows = load_rows([folder])
    file = folder / "report.html"
    file.write_text(html_page(rows, summarise(rows)), "utf-8")
    return file


def seen(text: str, exit_code: int = 0) -> ObservationLine:
    return ObservationLine(text=text, exit_code=exit_code, steps_left=50, questions_left=9)


def reset_line(text: str = "Write the program.") -> ResetLine:
    return ResetLine(seed=0, options={}, observation=seen(text), info={"task": "bracex", "level": "L1"})


def step_line(
    index: int, action: dict[str, object], text: str, exit_code: int = 0, **info: object
) -> StepLine:
    return StepLine(
        index=index, action=action, observation=seen(text, exit_code), reward=0.0, terminated="end" in info,
        truncated=False, seconds=0.01, info=info,
    )  # fmt: skip


def call(
    index: int, text: str, tokens: tuple[int | None, int | None] = (1200, 80), **more: object
) -> ModelLine:
    return ModelLine(
        index=index, kept=0, added=(Message(role="user", text=f"message {index} {text}"),), cost=0.01,
        completion=Completion(
            message=Message(role="assistant", text=text, reasoning=f"thought {text}", tool_calls=(ToolCall(id="a", name="bash", arguments=text),)),
            finish="tool_calls", model="m", usage=Usage(input_tokens=tokens[0], output_tokens=tokens[1]),
        ),
    )  # fmt: skip
