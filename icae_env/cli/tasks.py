"""``icae tasks``: what tasks there are."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from typing import Annotated, Any

import typer

from icae_env.cli.options import Debug, Json, Level
from icae_env.cli.output import Output


def tasks(
    *,
    task: Annotated[str | None, typer.Argument(help="Show this task's PRD.")] = None,
    level: Level = "L1",
    drafts: Annotated[bool, typer.Option("--drafts", help="List drafts too.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """List the tasks, or show one with its PRD."""
    out = Output(json=json)
    if task is not None:
        _show(out, task, level)
        return
    from icae_env.tasks import task_ids

    entries = [_entry(name) for name in task_ids(include_drafts=drafts)]
    out.document({"tasks": entries})
    if not json:
        _table(out, entries)


def _show(out: Output, task: str, level: str) -> None:
    from icae_env.tasks import load_public

    public = load_public(task, level)
    out.document({"task": public.spec.model_dump(mode="json"), "level": public.level, "prd": public.prd})
    if not out.json:
        spec = public.spec
        out.console.print(f"{spec.id}: {spec.title}", style="bold")
        out.console.print(
            f"{spec.language}, protocol {spec.protocol}, image {spec.image}, level {public.level}\n"
        )
        out.console.print(public.prd, soft_wrap=True)


def _entry(name: str) -> dict[str, Any]:
    from icae_env.errors import ConfigError
    from icae_env.tasks import SUITES, find_task, load_hidden, records_file
    from icae_env.user_agent import load_records

    try:
        found = find_task(name)
        hidden = load_hidden(found)
        constraints = {}
        for level in ("L1", "L2", "L3"):
            file = records_file(found, level)
            constraints[level] = len(load_records(file).records) if file else 0
    except ConfigError as error:
        # One damaged folder must not hide the others.
        return {"id": name, "error": str(error)}
    cases: dict[str, int] = {suite: len(hidden.suite(suite)) for suite in SUITES}
    return {
        **found.spec.model_dump(mode="json"),
        "levels": list(found.spec.levels),
        "native": cases["native"],
        "enhanced": cases["enhanced"],
        "cases": {**cases, "public": len(hidden.public_cases)},
        "constraints": constraints,
    }


def _table(out: Output, entries: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(title="Tasks", title_style="bold")
    table.add_column("task", no_wrap=True)
    for name in ("title", "language", "native + enhanced", "hidden at L1, L2, L3"):
        table.add_column(name)
    for entry in entries:
        if "error" in entry:
            table.add_row(entry["id"], f"cannot be read: {entry['error']}", style="red")
            continue
        cases, hidden = entry["cases"], entry["constraints"]
        table.add_row(
            entry["id"], entry["title"], entry["language"],
            f"{cases['native']} + {cases['enhanced']}", ", ".join(str(count) for count in hidden.values()),
        )  # fmt: skip
    out.console.print(table)
