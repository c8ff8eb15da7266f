"""What the page's viewer knows of each episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from icae_env.env.trajectory import ModelLine, ResetLine, StepLine
from icae_env.evaluation.report import CaseResult, EvalReport
from icae_env.reports import numbers
from icae_env.reports.failures import classify
from icae_env.reports.html.cutting import Cutter
from icae_env.reports.html.episode_steps import Change, changes, steps
from icae_env.reports.metrics import METRICS
from icae_env.reports.rows import Entry
from icae_env.reports.visible import visible
from icae_env.rollout.store import EpisodeRow

COLUMNS = (
    "id", "run", "task", "level", "language", "agent", "model", "seed", "class", "reward", "coverage", "questions",
    "steps", "cost", "seconds",
)  # fmt: skip
"""Of the list of episodes."""


def line(entry: Entry) -> list[Any]:
    """Return an episode's line in the list; None where something is not known."""
    key, row = entry.key, entry.row
    names = (key.id, entry.run, key.task, key.level, entry.language, entry.player, entry.model)
    measured: tuple[Any, ...] = (None,) * 6
    if row is not None:
        coverage = None if row.coverage is None else round(row.coverage, 4)
        reward = None if row.reward is None else round(row.reward, 4)
        measured = (
            reward, coverage, row.questions, row.steps, METRICS["cost"].read(row), round(row.seconds, 1),
        )  # fmt: skip
    return [*map(visible, names), key.seed, classify(entry) or "unfinished", *measured]


def values(entry: Entry) -> Callable[[int], dict[str, Any]]:
    """Return what makes all that the viewer shows of one episode, with texts of a given length; its files are read once."""
    stored = entry.stored()
    lines: list[ResetLine | StepLine | ModelLine] = []
    edits: dict[int, Change] = {}
    report = None

    def build(limit: int) -> dict[str, Any]:
        nonlocal report
        if not lines:
            lines.extend(stored.trajectory())
            edits.update(changes(lines))
            report = stored.report if entry.row is not None else None
        cut = Cutter(limit)
        found = {
            "facts": _facts(entry, report, cut),
            **steps(lines, edits, cut),
            "cases": [_case(case, cut) for case in report.cases] if report else [],
            "gaps": _gaps(entry.row),
        }
        return {**found, "cut": [cut.count, limit]}

    return build


def _facts(entry: Entry, report: EvalReport | None, cut: Cutter) -> list[list[str]]:
    row = entry.row
    if row is None:
        return [["state", "not over: what is here was written so far"]]
    facts = [
        ["ended by", row.end or "-"],
        ["attempts", str(row.attempts)],
        ["started", f"{row.started:%Y-%m-%d %H:%M:%S} UTC"],
    ]
    facts += [
        [name, numbers.percent(value)]
        for name, value in (("native %", row.native), ("enhanced %", row.enhanced), ("public %", row.public))
        if value is not None
    ]
    facts += _of_model(row)
    facts += [
        ["sandbox", row.sandbox or "-"],
        ["image", f"{row.image or '-'} {(row.image_digest or '')[:19]}".strip()],
    ]
    if report is not None:
        facts.append(
            ["submission", f"{report.submission.file_count} files, {report.submission.size:,} bytes"]
        )
    if row.error:
        facts.append(["error", row.error])
    return [[name, cut(value)] for name, value in facts]


def _of_model(row: EpisodeRow) -> list[list[str]]:
    use = row.model_use
    if not use.calls:
        return []
    known = [
        ("input tokens", use.usage.input_tokens), ("cached", use.usage.cached_tokens),
        ("output tokens", use.usage.output_tokens), ("reasoning", use.usage.reasoning_tokens),
    ]  # fmt: skip
    facts = [["model calls", str(use.calls)], ["retries", str(use.retries)]]
    facts += [[name, numbers.UNKNOWN if count is None else f"{count:,}"] for name, count in known]
    cost = numbers.UNKNOWN if use.cost is None else f"${numbers.number(use.cost, 'dollars')}"
    return [*facts, ["cost", cost], ["model seconds", f"{use.seconds:.1f}"]]


def _case(case: CaseResult, cut: Cutter) -> list[Any]:
    actual = None if case.actual is None else cut(case.actual)
    return [
        visible(case.id), case.suite, case.public, case.outcome, cut(case.expected), actual, cut(case.detail), case.seconds,
    ]  # fmt: skip


def _gaps(row: EpisodeRow | None) -> list[list[Any]]:
    if row is None or row.gaps is None:
        return []
    return [
        [
            visible(gap.id), gap.asked, gap.answered, gap.implemented, gap.status,
            [[visible(item.case), item.outcome, item.naive] for item in gap.witnesses],
        ]
        for gap in row.gaps.constraints
    ]  # fmt: skip
