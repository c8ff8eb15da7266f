"""``icae task``: make a task, record its outputs and check it."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from icae_env.cli.options import Debug, Image, Json, Sandbox
from icae_env.cli.output import DONE, FAILED, INFRA, Output, printable
from icae_env.errors import ConfigError

if TYPE_CHECKING:
    from icae_env.construction import GateReport

app = typer.Typer(help="Make tasks: scaffold, record the golden's outputs, check.", no_args_is_help=True)


@app.command("check")
def check(
    *,
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="TASK...", help="Ids, or folders <root>/tasks/<id>.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every task, drafts included.")] = False,
    replay: Annotated[
        bool, typer.Option("--replay/--no-replay", help="Run the golden as well, or only read files.")
    ] = True,
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Check tasks: files, levels, literals, leaks, witnesses, audit, and the golden's score three times.

    Exit code 1 if something does not hold, 3 if it could not be measured.
    """
    from icae_env.construction import check_gate
    from icae_env.selection import check_sandbox
    from icae_env.tasks import find_task, task_ids

    out = Output(json=json)
    check_sandbox(sandbox)
    wanted = task_ids(include_drafts=True) if every else list(dict.fromkeys(tasks or []))
    if not wanted:
        raise ConfigError("No task is named.", mend=f"give one of {', '.join(task_ids())}, or --all.")
    if not every:
        for name in wanted:
            find_task(name)
    reports = []
    for name in wanted:
        report = check_gate(
            name,
            replay=replay,
            sandbox=sandbox,
            image=image,
            progress=lambda line: out.console.print(printable(line), style="dim", soft_wrap=True),
        )
        reports.append(report)
        if not json:
            _show(out, report)
    ok = all(report.ok for report in reports)
    documents = [{**report.model_dump(mode="json"), "ok": report.ok} for report in reports]
    out.document({"ok": ok, "tasks": documents})
    raise typer.Exit(DONE if ok else INFRA if any(report.infra for report in reports) else FAILED)


def _show(out: Output, report: GateReport) -> None:
    for fault in report.faults:
        where = fault.file + (f": {fault.field}" if fault.field else "")
        out.console.print(printable(where), style="bold", soft_wrap=True)
        out.console.print(printable(f"  {fault.message}"), style="red", soft_wrap=True)
        out.console.print(printable(f"  Mend: {fault.mend}"), style="dim", soft_wrap=True)
    for item in report.replayed:
        mark, style = {True: ("ok", "green"), False: ("no", "red")}.get(item.ok, ("--", "dim"))  # type: ignore[arg-type]
        out.console.print(printable(f"{mark}  {item.name}: {item.detail}"), style=style, soft_wrap=True)
    if report.audit is not None and report.audit.recall_at_3 is not None:
        found, fallback = report.audit.recall_at_3, report.audit.distractor_fallback or 0.0
        said = f"recall@3 {100 * found:.0f} %, fallback to distractors {100 * fallback:.0f} %"
        out.console.print(f"    audit: {said}", style="dim")
    count = len(report.faults) + sum(item.ok is False for item in report.replayed)
    verdict = "all holds" if report.ok else f"{count} thing{'s' if count > 1 else ''} to mend"
    out.console.print(f"{report.task}: {verdict}", style="bold green" if report.ok else "bold red")
