"""``icae task build``: make a task from a real package with a language model."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from icae_env.cli.options import Debug, Image, Json, Sandbox, pairs
from icae_env.cli.output import DONE, FAILED, Output, printable
from icae_env.errors import ConfigError, UnknownNameError

if TYPE_CHECKING:
    from icae_env.construction.pipeline import BuildReport


def build(
    *,
    source: Annotated[
        str,
        typer.Option(
            "--source", help="A directory with tests, NAME==VERSION of PyPI or NAME@VERSION of npm."
        ),
    ],
    name: Annotated[str, typer.Option("--id", metavar="ID", help="Id of the new task.")],
    language: Annotated[str, typer.Option("--language", help="Language of the submission.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="openai/NAME, anthropic/NAME, scripted:FILE or module:Class.")
    ],
    model_option: Annotated[
        list[str] | None,
        typer.Option("--model-option", metavar="KEY=VALUE", help="An option of the model; repeatable."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", help="Data root that gets tasks/ID and user_agent_data/ID.")
    ] = Path(),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a build that was begun.")] = False,
    protocol: Annotated[
        str, typer.Option("--protocol", help="rcb: a suite at once; stdin: case by case.")
    ] = "rcb",
    native: Annotated[int, typer.Option("--native", min=1, help="Native cases at least.")] = 40,
    enhanced: Annotated[int, typer.Option("--enhanced", min=1, help="Enhanced cases at least.")] = 40,
    repairs: Annotated[
        int, typer.Option("--repairs", min=0, help="How often a faulty answer goes back to the model.")
    ] = 3,
    prompts: Annotated[
        Path | None, typer.Option("--prompts", help="Folder of prompts that replace those of the same name.")
    ] = None,
    prices: Annotated[Path | None, typer.Option("--prices", help="A file of prices (TOML).")] = None,
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Make a task with a model: behaviours, PRDs, cases, golden, records and questions, each checked and kept.

    The package and the adapter that the model writes are run in sandboxes, where installing has network. Expected
    outputs come from running it. Exit code 1 if a stage is rejected or the finished task has something to mend.
    """
    from icae_env.construction.pipeline import BuildOptions, build_task
    from icae_env.llm import make_model
    from icae_env.llm.prices import load_prices
    from icae_env.selection import check_sandbox
    from icae_env.tasks.languages import check_language

    output = Output(json=json)
    check_sandbox(sandbox)
    _check(name, protocol)
    options = BuildOptions(
        id=name, source=source, language=check_language(language), root=out, protocol=protocol,
        sandbox=sandbox, image=image, native=native, enhanced=enhanced, repairs=repairs, prompts=prompts,
    )  # fmt: skip
    chosen = make_model(model, pairs(model_option))
    try:
        report = build_task(
            options,
            chosen,
            prices=load_prices(prices),
            resume=resume,
            progress=lambda line: output.console.print(printable(line), style="dim", soft_wrap=True),
        )
    finally:
        chosen.close()
    output.document({"ok": report.ok, **report.model_dump(mode="json")})
    if not json:
        _show(output, report)
    raise typer.Exit(DONE if report.ok else FAILED)


def _check(name: str, protocol: str) -> None:
    from icae_env.construction.scaffold import PROTOCOLS
    from icae_env.tasks.models import IDENTIFIER

    if protocol not in PROTOCOLS:
        raise UnknownNameError("protocol", protocol, PROTOCOLS)
    if not re.fullmatch(IDENTIFIER.strip("^$"), name):
        raise ConfigError(
            f"'{name}' is no id for a task.", field="id", mend=f"use a name of the form {IDENTIFIER}."
        )


def _show(output: Output, report: BuildReport) -> None:
    from rich.table import Table

    from icae_env.cli.task import show_gate

    table = Table("stage", "answers", "input", "output", "US $", "dropped")
    for stage in report.stages:
        usage, cost = stage.use.usage, stage.use.cost
        told = ["" if value is None else str(value) for value in (usage.input_tokens, usage.output_tokens)]
        kept = " (kept)" if stage.kept else ""
        table.add_row(
            stage.name + kept,
            str(stage.answers),
            *told,
            "" if cost is None else f"{cost:.4f}",
            str(len(stage.dropped)),
        )
    output.console.print(table)
    for item in (drop for stage in report.stages for drop in stage.dropped):
        output.console.print(printable(f"dropped: {item.what}: {item.reason}"), style="dim", soft_wrap=True)
    if report.rejected is not None:
        said = f"Stage '{report.rejected.stage}' was rejected ({report.rejected.prompt}); see {report.rejected.file}:"
        output.console.print(printable(said), style="bold red", soft_wrap=True)
        for fault in report.rejected.faults:
            output.console.print(printable(f"  {fault}"), style="red", soft_wrap=True)
        output.console.print("Again, with another model or prompts: the same command with --resume")
    if report.gate is not None:
        show_gate(output, report.gate)
        output.console.print(printable(str(report.folder)), soft_wrap=True)
