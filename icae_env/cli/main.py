"""The program ``icae``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from icae_env.cli import (
    agents,
    audit,
    compare,
    demo,
    doctor,
    evaluate,
    export,
    images,
    importing,
    mcp,
    play,
    report,
    run,
    task,
    tasks,
    user_agent,
    validate,
)
from icae_env.cli.group import CommandGroup, brief_hook
from icae_env.cli.options import Debug

app = typer.Typer(
    name="icae",
    cls=CommandGroup,
    help="Interactive coding agents: fuzzy requirements, a User Agent to ask, isolated replay.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("tasks")(tasks.tasks)
app.add_typer(agents.app, name="agents")
app.command("run")(run.run)
app.command("mcp")(mcp.mcp)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("export")(export.export)
app.command("evaluate")(evaluate.evaluate)
app.command("validate")(validate.validate)
app.command("audit")(audit.audit)
app.add_typer(user_agent.app, name="user-agent")
app.add_typer(task.app, name="task")
app.add_typer(importing.app, name="import")
app.add_typer(images.app, name="images")
app.command("doctor")(doctor.doctor)
app.command("play")(play.play)


def _version(value: bool) -> None:
    if value:
        from icae_env import __version__  # noqa: PLC0415

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    debug: Debug = False,
) -> None:
    """Interactive coding agents: fuzzy requirements, a User Agent to ask, isolated replay."""


def main() -> None:
    """Run the program on the process's arguments."""
    # module:Class may lie in the current directory; last, so that nothing there hides an installed module.
    sys.path.append("")
    sys.excepthook = brief_hook
    # Calling the app itself would put typer's own hook in its place.
    typer.main.get_command(app)()
