"""``icae demo``: watch a whole episode."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from contextlib import closing
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
    from icae_env import make_env
    from icae_env.cli.live import Live
    from icae_env.cli.tables import show_gaps, show_report
    from icae_env.rollout import make_agent, play
    from icae_env.rollout.gaps import episode_gaps
    from icae_env.selection import check_sandbox
    from icae_env.tasks import check_level, find_task

    out = Output(json=json)
    check_sandbox(sandbox)
    live = Live(out.console)
    with closing(make_env(find_task(task).id, check_level(level), sandbox, image)) as env:
        result = play(make_agent("scripted"), env, watcher=live)
    gaps = result.report and episode_gaps(result.task, result.level, result.report, result.diagnoses)
    values = {**result.model_dump(mode="json"), "gaps": gaps.model_dump(mode="json") if gaps else None}
    out.document({**values, "transcript": live.transcript})
    if not json:
        out.console.print()
        if result.report:
            show_report(out.console, result.report)
        if gaps:
            show_gaps(out.console, gaps)
        if result.error:
            out.console.print(f"Not measured: {printable(result.error)}", style="red")
        else:
            said = f"{result.steps} actions, {result.questions} questions, {result.seconds:.1f} seconds."
            out.console.print(f"Reward {result.reward:.3f} after {said}", style="bold green")
            out.console.print("Play one yourself: icae play. All commands: icae --help.", style="dim")
    raise typer.Exit(INFRA if result.status == "infra" else DONE)
