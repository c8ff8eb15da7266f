"""The HTML report of 200 episodes: its size, the time to write it and to open it in Chromium."""

from __future__ import annotations

import random
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import icae_env
from benchmarks.timing import compared, once
from icae_env.env.trajectory import ModelLine, ResetLine, StepLine, encode, read_trajectory
from icae_env.llm.base import Completion, Message, ToolCall, Usage
from icae_env.llm.limits import ModelUse
from icae_env.rollout import EpisodeResult, make_agent, play
from icae_env.rollout.store import (
    EPISODE,
    EPISODES,
    REPORT,
    RUN_FILE,
    TRAJECTORY,
    EpisodeKey,
    EpisodeRow,
    RunConfig,
)

EPISODE_COUNT, STEPS = 200, 120
TASKS = ("bracex", "ssf", "stockholm")
MODELS = ("openai/one", "openai/two")
WORDS = (
    "a", "parser", "reads", "each", "group", "then", "file", "line", "empty", "test", "fails", "because", "value", "keeps",
    "order", "of", "input", "and", "output",
)  # fmt: skip

Played = tuple[str, EpisodeResult, list[ResetLine | StepLine | ModelLine]]


def report(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Measure the page of 200 episodes of 120 steps each, made of really played ones with a model's messages in between."""
    from icae_env.reports import load_rows, summarise
    from icae_env.reports.html import page

    with tempfile.TemporaryDirectory(prefix="icae-benchmark.") as folder:
        run = write_run(Path(folder) / "run", [played(task, sandbox, image, Path(folder)) for task in TASKS])
        file = run / "report.html"

        def write() -> None:
            rows = load_rows([run])
            file.write_text(page(rows, summarise(rows)), "utf-8")

        written = once(write)
        small = Path(folder) / "small.html"
        small.write_text("<!doctype html><title>small</title><p id=list-body>small")
        opened = {name: opening(path, min(rounds, 5)) for name, path in (("page", file), ("small", small))}
        size = file.stat().st_size
    row = compared(opened["page"]["open"], opened["small"]["open"], "an empty page", 2000.0)
    return {
        "report_open": {**row, "click_to_steps_ms": round(opened["page"]["click"], 1)},
        "report_write": {"ms": round(written), "episodes": EPISODE_COUNT, "steps": STEPS},
        "report_size": {"mb": round(size / 1e6, 2), "reach_mb": 20.0},
    }


def played(task: str, sandbox: str, image: str, folder: Path) -> Played:
    """Play one scripted episode and return it with its lines; an image of another language is replaced by the task's own."""
    file = folder / f"{task}.jsonl"
    chosen = image if task == "bracex" else "auto"
    env = icae_env.Recorder(icae_env.make_env(task, "L1", sandbox, chosen), file)
    try:
        result = play(make_agent("scripted"), env, seed=0)
    finally:
        env.close()
    return task, result, list(read_trajectory(file))


def write_run(folder: Path, source: Sequence[Played]) -> Path:
    """Write a run directory of many episodes and return it."""
    generator = random.Random(0)
    keys = [
        EpisodeKey(task=source[n % 3][0], level="L1", agent="react", model=MODELS[n // 3 % 2], seed=n // 6)
        for n in range(EPISODE_COUNT)
    ]
    config = RunConfig(created=datetime.now(UTC), episodes=tuple(keys), sandbox="bubblewrap", image="auto")
    folder.mkdir()
    (folder / RUN_FILE).write_text(config.model_dump_json())
    for number, key in enumerate(keys):
        _, result, lines = source[number % 3]
        own = folder / EPISODES / key.id
        own.mkdir(parents=True)
        assert result.report is not None
        (own / REPORT).write_text(result.report.model_dump_json())
        (own / TRAJECTORY).write_bytes(b"".join(map(encode, longer(lines, generator))))
        row = EpisodeRow(
            key=key, status="ok", reward=generator.random(), end="submit", steps=STEPS, questions=result.questions,
            seconds=result.seconds, started=config.created, resolved=False, language=result.language, domain=key.task,
            coverage=generator.random(), model_use=ModelUse(calls=STEPS, cost=generator.random()),
        )  # fmt: skip
        (own / EPISODE).write_text(row.model_dump_json())
    return folder


def longer(
    lines: Sequence[ResetLine | StepLine | ModelLine], generator: random.Random
) -> Iterator[ResetLine | StepLine | ModelLine]:
    """Yield an episode with its steps repeated up to a length, each with a model's answer before it and more to show."""
    steps = [line for line in lines if isinstance(line, StepLine)]
    yield lines[0]
    for number in range(STEPS):
        step = steps[-1] if number == STEPS - 1 else steps[number % (len(steps) - 1)]
        text = " ".join(generator.choices(WORDS, k=120))
        call = ToolCall(id=f"c{number}", name=str(step.action["type"]), arguments=text)
        answer = Message(
            role="assistant",
            text=text,
            reasoning=" ".join(generator.choices(WORDS, k=60)),
            tool_calls=(call,),
        )
        usage = Usage(input_tokens=500 * number, output_tokens=200)
        done = Completion(message=answer, finish="tool_calls", usage=usage, model="m", seconds=1.0)
        yield ModelLine(index=number, kept=0, added=(), completion=done, cost=0.01)
        shown = step.observation.text + "\n" + " ".join(generator.choices(WORDS, k=400))
        yield step.model_copy(
            update={"index": number, "observation": step.observation.model_copy(update={"text": shown})}
        )


def opening(file: Path, rounds: int) -> dict[str, float]:
    """Return the median milliseconds to open a page until its list is there, and from a click to an episode's steps."""
    from playwright.sync_api import Page, sync_playwright

    def open_page(page: Page) -> None:
        page.goto(file.as_uri())
        page.wait_for_selector("#list-body")

    def open_episode(page: Page) -> None:
        page.locator("#list-body button").first.click()
        page.wait_for_selector("#viewer .steps")

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    opens, clicks = [], []
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium) as browser:
        for _ in range(max(rounds, 1)):
            with browser.new_context() as context:
                page = context.new_page()
                page.goto("about:blank")
                opens.append(once(partial(open_page, page)))
                if page.locator("#list-body button").count():
                    clicks.append(once(partial(open_episode, page)))
    return {"open": statistics.median(opens), "click": statistics.median(clicks) if clicks else 0.0}
