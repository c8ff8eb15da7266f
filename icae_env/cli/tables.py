"""Tables of scores for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from icae_env.cli.output import printable
from icae_env.evaluation.gaps import GapReport
from icae_env.evaluation.report import EvalReport, SuiteScore
from icae_env.rollout.store import EpisodeRow

_FAILURES = 10


def show_report(console: Console, report: EvalReport) -> None:
    """Print a report: the suites, the overall rate, and the first cases that failed."""
    image = f"{report.image.name} ({report.image.digest[:19]})" if report.image else "no image"
    table = Table(title=f"{report.task}: replayed on {report.sandbox}, image {image}", title_style="bold")
    table.add_column("suite")
    for name in ("passed", "cases", "rate"):
        table.add_column(name, justify="right")
    suites = {
        "native": report.suites.native,
        "enhanced": report.suites.enhanced,
        "of these public": report.suites.public,
    }
    for name, score in suites.items():
        if score is not None:
            table.add_row(name, *_score(score))
    if report.overall is not None:
        table.add_section()
        passed = sum(case.outcome == "pass" for case in report.cases)
        table.add_row(
            "overall", str(passed), str(len(report.cases)), f"{report.overall:.3f}", style="bold green"
        )
    console.print(table)
    if report.infra_error:
        console.print(f"Not measured: {printable(report.infra_error)}", style="red")
    _show_failures(console, report)


def _score(score: SuiteScore) -> tuple[str, str, str]:
    return str(score.passed), str(score.total), "-" if score.rate is None else f"{score.rate:.3f}"


def _show_failures(console: Console, report: EvalReport) -> None:
    failed = [case for case in report.cases if case.outcome not in ("pass", "infra")]
    if not failed:
        return
    table = Table(
        title=f"{len(failed)} cases failed" + (f", the first {_FAILURES}" if len(failed) > _FAILURES else "")
    )
    for name in ("case", "outcome", "expected", "printed"):
        table.add_column(name, overflow="ellipsis", no_wrap=True, max_width=32)
    for case in failed[:_FAILURES]:
        table.add_row(case.id, case.outcome, _line(case.expected), _line(case.actual))
    console.print(table)


def _line(text: str | None) -> str:
    return "" if text is None else printable(text.rstrip("\n").replace("\n", " / "))


def show_gaps(console: Console, gaps: GapReport) -> None:
    """Print what became of each hidden constraint."""
    table = Table(title="Hidden constraints", title_style="bold")
    for name in ("constraint", "told", "implemented", "status"):
        table.add_column(name)
    for gap in gaps.constraints:
        done = "-" if gap.implemented is None else "yes" if gap.implemented else "no"
        style = "green" if gap.implemented else "red"
        table.add_row(
            gap.id, "yes" if gap.answered else "no", done, gap.status.replace("_", " "), style=style
        )
    console.print(table)


def show_episodes(console: Console, rows: Sequence[EpisodeRow]) -> None:
    """Print one line for each episode, and below them what failed."""
    table = Table(title="Episodes", title_style="bold")
    models = any(row.key.model for row in rows)
    for name in ("task", "level", "agent", *(["model"] if models else []), "end"):
        table.add_column(name, no_wrap=name == "task")
    for name in ("seed", "steps", "asked", "seconds", "reward"):
        table.add_column(name, justify="right")
    for row in rows:
        key = row.key
        reward = "not measured" if row.reward is None else f"{row.reward:.3f}"
        table.add_row(
            key.task, key.level, printable(key.agent), *([printable(key.model or "-")] if models else []),
            row.end or row.status, str(key.seed), str(row.steps), str(row.questions), f"{row.seconds:.1f}", reward,
            style="red" if row.reward is None else "",
        )  # fmt: skip
    console.print(table)
    for row in rows:
        if row.error:
            console.print(f"{printable(row.key.id)}: {printable(row.error)}", style="red", soft_wrap=True)
