"""``icae validate``: prove that a task measures what it says."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from icae_env.cli.options import Debug, Image, Json, Sandbox
from icae_env.cli.output import DONE, FAILED, INFRA, Output, printable
from icae_env.errors import ConfigError

if TYPE_CHECKING:
    from icae_env.rollout.validate import Validation


def validate(
    *,
    tasks: Annotated[list[str] | None, typer.Argument(metavar="TASK...", help="Ids of tasks.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every task, drafts included.")] = False,
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Prove tasks: the golden gets 1.0 three times alike, doing nothing gets 0.0, witnesses differ, nothing leaks.

    Exit code 1 if something does not hold, 3 if it could not be measured.
    """
    from icae_env.rollout.validate import validate_task
    from icae_env.selection import check_sandbox
    from icae_env.tasks import find_task, task_ids

    out = Output(json=json)
    check_sandbox(sandbox)
    wanted = task_ids(include_drafts=True) if every else list(dict.fromkeys(tasks or []))
    if not wanted:
        raise ConfigError("No task is named.", mend=f"give one of {', '.join(task_ids())}, or --all.")
    for name in wanted:
        find_task(name)
    results = []
    for name in wanted:
        result = validate_task(
            name,
            sandbox,
            image,
            progress=lambda line: out.console.print(printable(line), style="dim", soft_wrap=True),
        )
        results.append(result)
        if not json:
            _show(out, result)
    ok = all(result.ok for result in results)
    out.document(
        {"ok": ok, "tasks": [{**result.model_dump(mode="json"), "ok": result.ok} for result in results]}
    )
    infra = any(result.infra for result in results)
    raise typer.Exit(DONE if ok else INFRA if infra else FAILED)


def _show(out: Output, result: Validation) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"{result.task} on {result.sandbox}, image {result.image}", title_style="bold")
    for name in ("", "check", "found"):
        table.add_column(name, overflow="fold")
    marks = {True: Text("ok", "green"), False: Text("no", "red"), None: Text("--", "dim")}
    for check in result.checks:
        table.add_row(marks[check.ok], check.name, printable(check.detail))
    out.console.print(table)
    out.console.print(f"{'All holds' if result.ok else 'Something does not hold'}, {result.seconds:.1f} s.\n")
