"""``icae task``: make a task, record its outputs and check it; ``task_build`` has the command that lets a model make one."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icae_env.cli import task_build
from icae_env.cli.options import Debug, Image, Json, Sandbox
from icae_env.cli.output import DONE, FAILED, INFRA, Output, printable
from icae_env.errors import ConfigError, UnknownNameError

if TYPE_CHECKING:
    from icae_env.construction import GateReport

app = typer.Typer(
    help="Make tasks: scaffold, record the golden's outputs, check, build with a model.", no_args_is_help=True
)
app.command("build")(task_build.build)


@app.command("new")
def new(
    *,
    name: Annotated[str, typer.Argument(metavar="ID", help="Id of the new task.")],
    language: Annotated[str, typer.Option("--language", help="Language of the submission.")],
    protocol: Annotated[
        str, typer.Option("--protocol", help="rcb: a suite at once; stdin: case by case.")
    ] = "rcb",
    directory: Annotated[
        Path, typer.Option("--dir", help="Data root that gets tasks/ID and user_agent_data/ID.")
    ] = Path(),
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Scaffold a task: a folder that loads, with an example of everything and notes on what is to be written."""
    from icae_env.construction import new_task
    from icae_env.paths import TASKS_PATH_VARIABLE, task_roots

    out = Output(json=json)
    folder = new_task(name, language, protocol, directory)
    data = directory / "user_agent_data" / name
    files = sorted(str(file) for part in (folder, data) for file in part.rglob("*") if file.is_file())
    out.document({"task": name, "folder": str(folder), "user_agent": str(data), "files": files})
    if json:
        return
    for file in files:
        out.console.print(printable(file), soft_wrap=True)
    out.console.print(
        f"What is to be written next: icae task check {printable(str(folder))} --no-replay", soft_wrap=True
    )
    if directory.resolve() not in {root.resolve() for root in task_roots()}:
        said = f"To name it by its id: export {TASKS_PATH_VARIABLE}={directory.resolve()}"
        out.console.print(printable(said), style="dim", soft_wrap=True)


@app.command("record")
def record(
    *,
    task: Annotated[str, typer.Argument(metavar="TASK", help="An id, or a folder <root>/tasks/<id>.")],
    check_only: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if something differs.")
    ] = False,
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Run a task's golden on every input, twice, and write what it prints into the case files."""
    from icae_env.construction import record_task
    from icae_env.selection import check_sandbox

    out = Output(json=json)
    check_sandbox(sandbox)
    result = record_task(
        task,
        sandbox=sandbox,
        image=image,
        check=check_only,
        progress=lambda line: out.console.print(printable(line), style="dim", soft_wrap=True),
    )
    out.document(result.model_dump(mode="json"))
    for item in () if json else result.differences:
        out.console.print(printable(f"{item.case} in {item.file}"), style="bold", soft_wrap=True)
        out.console.print(printable(f"  recorded {item.recorded!r}"), style="dim", soft_wrap=True)
        out.console.print(printable(f"  printed  {item.printed!r}"), soft_wrap=True)
    done = f", {len(result.written)} files written" if result.written else ""
    said = f"{result.cases} inputs run on {result.sandbox}, image {result.image}; {len(result.differences)} differ{done}."
    out.console.print(printable(f"{result.task}: {said}"))
    raise typer.Exit(FAILED if check_only and result.differences else DONE)


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
    from icae_env.tasks import task_ids

    out = Output(json=json)
    check_sandbox(sandbox)
    wanted = task_ids(include_drafts=True) if every else list(dict.fromkeys(tasks or []))
    if not wanted:
        raise ConfigError("No task is named.", mend=f"give one of {', '.join(task_ids())}, or --all.")
    for name in wanted:
        _check_name(name)
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
            show_gate(out, report)
    ok = all(report.ok for report in reports)
    documents = [{**report.model_dump(mode="json"), "ok": report.ok} for report in reports]
    out.document({"ok": ok, "tasks": documents})
    raise typer.Exit(DONE if ok else INFRA if any(report.infra for report in reports) else FAILED)


def _check_name(task: str) -> None:
    """Refuse an unknown name before anything runs; what is wrong with a folder is told with its other faults."""
    from icae_env.tasks import find_task

    try:
        find_task(task)
    except UnknownNameError:
        raise
    except ConfigError:
        return


def show_gate(out: Output, report: GateReport) -> None:
    """Show a person what the gate found."""
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
