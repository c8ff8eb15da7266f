"""``icae report``: what came of one or several runs."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

import json as json_module
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from icae_env.cli.options import Debug, Json
from icae_env.cli.output import DONE, Output, console, printable

if TYPE_CHECKING:
    from rich.console import Console

    from icae_env.reports.rows import Rows
    from icae_env.reports.sheets import Sheet
    from icae_env.reports.summary import By, RunReport

FORMATS = ("table", "markdown", "json", "csv", "html")
PAGE = "report.html"
_NARROWEST = 160
"""Columns of a table that no terminal shows, such as a pipe's."""

Format = Annotated[str, typer.Option("--format", "-f", help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")]


def report(
    *,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories.")],
    format: Format = "table",
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            help="task, level, language, domain, agent, model, run or episode; repeatable. Default: agent and model.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help=f"Write here. For html the default is {PAGE} in the first run."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Report runs, finished or not: rates with intervals, interaction, gaps, effort, failures; html has trajectories."""
    from icae_env.errors import UnknownNameError
    from icae_env.reports import BY, load_rows, summarise

    chosen = known("format", "json" if json else format, FORMATS)
    for name in by or ():
        if name not in BY:
            raise UnknownNameError("grouping", name, BY)
    rows = load_rows(runs)
    names = cast("list[By]", list(dict.fromkeys(by or ("agent", "model"))))
    found = summarise(rows, names, seed=seed)
    if chosen == "table" and out is None:
        show_sheets(console(), _sheets(found))
        return
    if chosen == "html" and out is None:
        out = runs[0] / PAGE
    write(_text(chosen, found, rows), out)
    raise typer.Exit(DONE)


def known(kind: str, given: str, valid: Iterable[str]) -> str:
    """Return a name that is one of the valid ones.

    Raises:
        UnknownNameError: It is not.
    """
    from icae_env.errors import UnknownNameError

    if given not in valid:
        raise UnknownNameError(kind, given, valid)
    return given


def show_sheets(screen: Console, sheets: Iterable[Sheet]) -> None:
    """Print tables for a person."""
    from rich.table import Table

    if not screen.is_terminal:
        screen.width = max(screen.width, _NARROWEST)
    for sheet in sheets:
        table = Table(
            title=printable(sheet.title), title_style="bold", title_justify="left", caption=printable(sheet.note),
            caption_justify="left", caption_style="dim",
        )  # fmt: skip
        for number, name in enumerate(sheet.columns):
            table.add_column(
                printable(name), justify="left" if number < sheet.names else "right", overflow="fold"
            )
        for line in sheet.lines:
            table.add_row(*map(printable, line), style="bold" if line[0] == "all" else "")
        screen.print(table)
        screen.print()


def write(text: str, out: Path | None) -> None:
    """Write a text to a file, whole or not at all, or to stdout."""
    if out is None:
        typer.echo(text.encode("utf-8", "replace"), nl=False)
        return
    from icae_env.reports.files import write_whole

    write_whole(out, text)
    Output(json=True).console.print(f"Written: {printable(str(out))}", soft_wrap=True)


def _text(chosen: str, found: RunReport, rows: Rows) -> str:
    from icae_env.reports.layout import markdown, report_csv

    if chosen == "json":
        return json_module.dumps(found.model_dump(mode="json")) + "\n"
    if chosen == "csv":
        return report_csv(found)
    if chosen == "html":
        from icae_env.reports.html import page

        return page(rows, found)
    if chosen == "markdown":
        return markdown(_sheets(found))
    return plain_text(_sheets(found))


def plain_text(sheets: Iterable[Sheet]) -> str:
    """Return tables as a terminal would show them, without colours."""
    import io

    from rich.console import Console

    stream = io.StringIO()
    show_sheets(Console(file=stream, width=_NARROWEST, markup=False, highlight=False, emoji=False), sheets)
    return stream.getvalue()


def _sheets(found: RunReport) -> list[Sheet]:
    from icae_env.reports.sheets import report_sheets

    return report_sheets(found)
