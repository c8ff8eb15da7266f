"""``icae play``: a person plays an episode in the terminal."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from icae_env.cli.options import Debug, Image, Json, Level, Sandbox, Seed
from icae_env.cli.output import DONE, INFRA, INTERRUPTED, Output, printable


def play(
    *,
    task: Annotated[str, typer.Option("--task", "-t", help="The task.")] = "bracex",
    level: Level = "L1",
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    seed: Seed = 0,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Play an episode yourself: bash, questions, edits, submit."""
    from icae_env import make_env
    from icae_env.cli.live import Live
    from icae_env.cli.person import Left, Person
    from icae_env.cli.tables import show_gaps, show_report
    from icae_env.rollout import play as play_episode
    from icae_env.rollout.gaps import episode_gaps

    out = Output(json=json)
    live = Live(out.console, prd_lines=None, lines=None)
    env = make_env(task, level, sandbox, image)
    try:
        result = play_episode(Person(out.console, _reader(out)), env, seed=seed, watcher=live)
    except (Left, KeyboardInterrupt) as away:
        out.console.print("\nYou left; nothing was scored.")
        out.document({"task": task, "level": level, "status": "left", "reward": None, "report": None})
        raise typer.Exit(INTERRUPTED if isinstance(away, KeyboardInterrupt) else DONE) from None
    finally:
        env.close()
    gaps = result.report and episode_gaps(result.task, result.level, result.report, live.diagnoses)
    out.document({**result.model_dump(mode="json"), "gaps": gaps.model_dump(mode="json") if gaps else None})
    if result.report:
        show_report(out.console, result.report)
        if gaps:
            show_gaps(out.console, gaps)
    if result.error:
        out.console.print(f"Not measured: {printable(result.error)}", style="red")
    raise typer.Exit(INFRA if result.status == "infra" else DONE)


def _reader(out: Output) -> Callable[[str], str]:
    if sys.stdin.isatty() and not out.json:
        import readline  # noqa: F401 - its import gives input() editing and history

        return input

    def read(prompt: str) -> str:
        out.console.print(prompt, end="", style="bold")
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        if not sys.stdin.isatty():
            out.console.print(printable(line.rstrip("\n")))
        return line.rstrip("\n")

    return read
