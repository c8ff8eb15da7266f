"""``icae audit``: measure how well a User Agent finds what is asked for."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icae_env.cli.options import Debug, Json, Level
from icae_env.cli.output import Output, printable
from icae_env.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from icae_env.user_agent.audit import Fault, Figures
    from icae_env.user_agent.corpus import Corpus


def audit(
    *,
    tasks: Annotated[
        list[str] | None,
        typer.Argument(metavar="TASK|DIR...", help="Ids or folders of tasks; all when none is given."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every task, as when none is given.")] = False,
    records: Annotated[
        Path | None, typer.Option("--records", help="Folder of record files, in place of tasks.")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option("--questions", help="Folder of question files of the same names.")
    ] = None,
    router: Annotated[
        list[str] | None,
        typer.Option("--router", "-r", help="keyword, semantic, llm or module:Class; repeatable."),
    ] = None,
    level: Level = "L1",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Ask a User Agent every audit question: what is found, missed, revealed unasked; each fault is listed."""
    from icae_env.registry import resolve
    from icae_env.user_agent.audit import audit as run

    out = Output(json=json)
    names = list(dict.fromkeys(router or ["keyword"]))
    if every and (tasks or records is not None or questions is not None):
        raise ConfigError("It is not clear what to audit.", mend="give --all, or tasks, or folders.")
    corpora = _corpora(tasks or [], records, questions, level)
    report = run(corpora, {name: resolve("router", name) for name in names})
    out.document(report.model_dump(mode="json"))
    if not json:
        _show(out, report.routers)
        _list(out, "Missed", report.misses)
        _list(out, "Revealed unasked", report.over_reveals)


def _corpora(
    tasks: list[str], records: Path | None, questions: Path | None, level: str
) -> tuple[Corpus, ...]:
    from icae_env.tasks import task_ids
    from icae_env.user_agent.corpus import folder_corpora, task_corpus

    if records is not None and questions is not None and not tasks:
        return folder_corpora(records, questions)
    if records is not None or questions is not None:
        raise ConfigError(
            "It is not clear what to audit.",
            mend="give tasks, or both of --records DIR and --questions DIR.",
        )
    return tuple(task_corpus(name, level) for name in dict.fromkeys(tasks or task_ids()))


def _show(out: Output, routers: dict[str, Figures]) -> None:
    from rich.table import Table

    table = Table(title="Audit of the User Agent", title_style="bold")
    table.add_column("figure")
    for name in routers:
        table.add_column(name, justify="right")
    columns = [_rows(figures) for figures in routers.values()]
    for label in dict.fromkeys(label for column in columns for label in column):
        table.add_row(printable(label), *(column.get(label, "-") for column in columns))
    out.console.print(table)


def _rows(figures: Figures) -> dict[str, str]:
    """Return what the table says of one router: label and value, in order."""
    styles = {f"  {style}": _percent(rate) for style, rate in figures.by_style.items()}
    return {
        "questions": str(figures.questions),
        "targeted: record is first": _percent(figures.recall_at_1),
        "targeted: record is in the reply": _percent(figures.recall_at_3),
        **styles,
        "  after one re-ask": _percent(figures.recall_after_reask),
        "several things: found": _percent(figures.multi_recall),
        "vague reference: found": _percent(figures.pointer_recall),
        "interface: found": _percent(figures.api_recall),
        "distractor: fallback": _percent(figures.distractor_fallback),
        "cheating: refused": _percent(figures.cheat_blocked),
        "honest: refused": _percent(figures.false_alarms),
        "targeted: told to be more specific": _percent(figures.vague),
        "records revealed per question": _number(figures.revealed_per_question),
        "of these wanted": _percent(figures.precision),
        "microseconds per question": f"{figures.microseconds:.0f}",
    }


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _list(out: Output, title: str, faults: Sequence[Fault]) -> None:
    if not faults:
        return
    out.console.print(f"\n{title}: {len(faults)}", style="bold")
    for item in faults:
        kind = item.kind if item.style is None else f"{item.kind}, {item.style}"
        wanted = ", ".join(item.wanted) or "nothing"
        revealed = ", ".join(item.revealed) or "nothing"
        line = f"[{item.router}] {item.corpus} ({kind}; {item.problem}) wanted {wanted}, got {revealed}: "
        out.console.print(printable(line + " ".join(item.question.split())), soft_wrap=True)
