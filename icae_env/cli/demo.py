"""``icae demo``: watch a whole episode."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from typing import Annotated

import typer

from icae_env.cli.options import Debug, Image, Json, Level, Sandbox
from icae_env.cli.output import DONE, INFRA, Output, printable


def demo(
    *,
    task: Annotated[str, typer.Option("--task", "-t", help="The task.")] = "bracex",
    level: Level = "L1",
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Watch the scripted agent play a whole episode: PRD, questions, edits, self-check, submission, score."""
    from icae_env.cli.live import Live
    from icae_env.cli.run import Plan, play_plan
    from icae_env.cli.tables import show_gaps, show_report
    from icae_env.evaluation import GapReport
    from icae_env.selection import check_sandbox
    from icae_env.tasks import check_level, find_task

    out = Output(json=json)
    check_sandbox(sandbox)
    live = Live(out.console)
    plan = Plan(
        task=find_task(task).id, level=check_level(level), agent="scripted", sandbox=sandbox, image=image
    )  # fmt: skip
    result, document = play_plan(plan, live)
    out.document({**document, "transcript": live.transcript})
    if not json:
        out.console.print()
        if result.report:
            show_report(out.console, result.report)
        if document["gaps"]:
            show_gaps(out.console, GapReport.model_validate(document["gaps"]))
        if result.error:
            out.console.print(f"Not measured: {printable(result.error)}", style="red")
        else:
            said = f"{result.steps} actions, {result.questions} questions, {result.seconds:.1f} seconds."
            out.console.print(f"Reward {result.reward:.3f} after {said}", style="bold green")
            out.console.print("Play one yourself: icae play. All commands: icae --help.", style="dim")
    raise typer.Exit(INFRA if result.status == "infra" else DONE)
