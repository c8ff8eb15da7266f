"""``icae import``: take over the tasks of another benchmark."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from icae_env.cli.options import Debug, Json
from icae_env.cli.output import DONE, FAILED, Output, printable
from icae_env.errors import UnknownNameError

if TYPE_CHECKING:
    from icae_env.construction.icae_bench import ImportReport

app = typer.Typer(help="Take over the tasks of another benchmark.", no_args_is_help=True)
_SHOWN = 5


@app.callback()
def importing() -> None:
    """Take over the tasks of another benchmark."""


@app.command("icae-bench")
def icae_bench(
    *,
    corpus: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder with prd_json, prd_json_medium, prd_json_easy.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Data root that gets the tasks.")],
    tests: Annotated[
        Path | None, typer.Option("--tests", help="Folder of the tests, if they lie elsewhere.")
    ] = None,
    comparison: Annotated[
        str,
        typer.Option(
            "--comparison", help="exact (as upstream), compat (its way of counting outputs, too), text."
        ),
    ] = "exact",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Import a corpus in the layout of ICAE-Bench as task folders. Exit code 1 if a task was left out."""
    from icae_env.construction.icae_bench import import_corpus
    from icae_env.paths import TASKS_PATH_VARIABLE, task_roots
    from icae_env.tasks.models import Comparison

    output = Output(json=json)
    if comparison not in get_args(Comparison):
        raise UnknownNameError("comparison", comparison, get_args(Comparison))
    report = import_corpus(corpus, out, tests=tests, comparison=cast(Comparison, comparison))
    output.document(report.model_dump(mode="json"))
    if not json:
        _show(output, report)
        if report.imported and out.resolve() not in {root.resolve() for root in task_roots()}:
            said = f"To play them: export {TASKS_PATH_VARIABLE}={out.resolve()}"
            output.console.print(printable(said), style="dim", soft_wrap=True)
    raise typer.Exit(FAILED if report.skipped else DONE)


def _show(output: Output, report: ImportReport) -> None:
    for item in report.imported:
        cases = f"{item.native} native ({item.public} public) and {item.enhanced} enhanced cases"
        said = f"{item.task}: {item.language}, {', '.join(item.levels)}, {cases}"
        output.console.print(printable(said), style="green", soft_wrap=True)
        for note in item.notes[:_SHOWN]:
            where = note.file + (f": {note.field}" if note.field else "")
            output.console.print(printable(f"  {where}: {note.message}"), style="dim", soft_wrap=True)
        if len(item.notes) > _SHOWN:
            said = f"  and {len(item.notes) - _SHOWN} more; all are in {item.folder / 'imported.json'}"
            output.console.print(printable(said), style="dim", soft_wrap=True)
    for left in report.skipped:
        output.console.print(printable(f"{left.task}: left out. {left.reason}"), style="red", soft_wrap=True)
    output.console.print(f"{len(report.imported)} tasks imported, {len(report.skipped)} left out.")
