"""``icae compare``: one run, or one player, against another."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from icae_env.cli.options import Debug, Json
from icae_env.cli.output import console
from icae_env.cli.report import known, plain_text, show_sheets, write

FORMATS = ("table", "markdown", "json", "csv")


def compare(
    *,
    first: Annotated[Path, typer.Argument(metavar="A", help="A run directory.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one, or the same.")],
    agent_a: Annotated[str | None, typer.Option("--agent-a", help="Only A's episodes of this agent.")] = None,
    model_a: Annotated[str | None, typer.Option("--model-a", help="Only A's episodes of this model.")] = None,
    agent_b: Annotated[str | None, typer.Option("--agent-b", help="Only B's episodes of this agent.")] = None,
    model_b: Annotated[str | None, typer.Option("--model-b", help="Only B's episodes of this model.")] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
    ] = "table",
    out: Annotated[Path | None, typer.Option("--out", help="Write here.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare B with A on the episodes that both played: win, loss, tie, Wilcoxon's test, and which tasks moved."""
    from icae_env.reports import chosen, load_rows
    from icae_env.reports import compare as compare_rows
    from icae_env.reports.comparison_sheets import comparison_sheets
    from icae_env.reports.layout import markdown, sheet_csv

    style = known("format", "json" if json else format, FORMATS)
    ours, theirs = load_rows([first]), load_rows([second])
    wished = (agent_a, model_a), (agent_b, model_b)
    names = tuple(
        " ".join(filter(None, (rows.runs[0], *wish)))
        for rows, wish in zip((ours, theirs), wished, strict=True)
    )
    found = compare_rows(
        chosen(ours, agent=agent_a, model=model_a),
        chosen(theirs, agent=agent_b, model=model_b),
        names=(names[0], names[1]) if names[0] != names[1] else (f"A: {first}", f"B: {second}"),
        seed=seed,
    )
    sheets = comparison_sheets(found)
    if style == "table" and out is None:
        show_sheets(console(), sheets)
    elif style == "json":
        write(json_module.dumps(found.model_dump(mode="json")) + "\n", out)
    else:
        write({"markdown": markdown, "csv": sheet_csv, "table": plain_text}[style](sheets), out)
