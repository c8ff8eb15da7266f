"""``icae run``: play any number of episodes."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from icae_env.cli.options import AgentOptions, Debug, Image, Json, Language, Sandbox, Seed, pairs
from icae_env.cli.output import DONE, INFRA, INTERRUPTED, Output, printable
from icae_env.cli.run_output import show_result
from icae_env.errors import ConfigError

if TYPE_CHECKING:
    from icae_env.rollout.runner import RunResult
    from icae_env.rollout.store import RunConfig

Names = list[str] | None


def run(
    *,
    task: Annotated[
        Names, typer.Option("--task", "--tasks", "-t", help="Tasks: ids, patterns or all; a,b or repeated.")
    ] = None,
    level: Annotated[
        Names,
        typer.Option(
            "--level",
            "--levels",
            "-l",
            help="L1, L2, L3, ground, recovered; default: a task's first, mostly L1.",
        ),
    ] = None,
    agent: Annotated[
        Names,
        typer.Option("--agent", "--agents", "-a", help="Registered names (icae agents) or module:Class."),
    ] = None,
    model: Annotated[
        Names,
        typer.Option(
            "--model", "--models", "-m", help="openai/NAME, anthropic/NAME, scripted:FILE, ...; repeatable."
        ),
    ] = None,
    agent_option: AgentOptions = None,
    model_option: Annotated[
        Names,
        typer.Option("--model-option", metavar="KEY=VALUE", help="Of models, or MODEL.KEY=VALUE of one."),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", "-n", min=1, help="Episodes of each, with seeds counting up.")
    ] = 1,
    seed: Seed = 0,
    language: Language = None,
    kind: Annotated[
        Names, typer.Option("--kind", help="Of what all chooses, only tasks of this kind.")
    ] = None,
    domain: Annotated[Names, typer.Option("--domain", help="The same by domain.")] = None,
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    env_option: Annotated[
        Names,
        typer.Option(
            "--env-option",
            metavar="KEY=VALUE",
            help="steps, questions, seconds, command_seconds, output_chars, restarts, public_cases, router.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-w", min=1, help="Episodes at the same time; default: one a core."),
    ] = None,
    score_workers: Annotated[
        int, typer.Option("--score-workers", min=1, help="Sandboxes at the same time while one is scored.")
    ] = 2,
    engine: Annotated[
        str, typer.Option("--engine", help="local (threads) or ray (actors, also on other machines).")
    ] = "local",
    out: Annotated[Path | None, typer.Option("--out", help="Directory to keep the run in.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out: play what has no score.")
    ] = False,
    retries: Annotated[
        int, typer.Option("--retries", min=0, help="How often to repeat what failed on the host's side.")
    ] = 2,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of an episode's model.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="US dollars of an episode.")] = None,
    max_model_seconds: Annotated[
        float | None, typer.Option(help="Seconds an episode waits for its model.")
    ] = None,
    run_max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of the whole run.")] = None,
    run_max_cost: Annotated[float | None, typer.Option(help="US dollars of the whole run.")] = None,
    prices: Annotated[Path | None, typer.Option(help="TOML file of prices, before the ones known.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show each action; one episode at a time.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Play episodes: tasks x levels x agents x models x repeats. Exit code 3 if one of them could not be measured."""
    from icae_env.cli.run_options import checked_engine, make_selection, planned

    output = Output(json=json)
    if resume and out is None:
        raise ConfigError(
            "It is not said which run to go on with.", field="--resume", mend="name it with --out DIR."
        )
    selection = None
    if task or agent or not (resume and out):
        selection = make_selection(
            tasks=task, levels=level, agents=agent, models=model, agent_options=pairs(agent_option),
            model_options=pairs(model_option, "--model-option"), env=pairs(env_option, "--env-option"), repeats=repeats,
            seed=seed, language=language, kinds=kind, domains=domain, sandbox=sandbox, image=image,
            episode_limits={"tokens": max_tokens, "cost": max_cost, "model_seconds": max_model_seconds},
            run_limits={"tokens": run_max_tokens, "cost": run_max_cost},
        )  # fmt: skip
    elif level or model or agent_option or model_option or env_option or kind or domain:
        raise ConfigError(
            "Part of a selection is given, and no task and no agent.",
            mend="give all of it, or only --out and --resume.",
        )
    plan = planned(selection, out)
    for item in plan.left_out:
        output.console.print(f"Left out: {printable(item.task)}, for {printable(item.reason)}.", style="dim")
    with _folder(out) as folder, _second_interrupt_exits():
        result = _play(
            output, plan.config, folder, watch=watch, resume=resume, engine=checked_engine(engine),
            workers=1 if watch else workers, retries=retries, prices=prices, score_workers=score_workers,
        )  # fmt: skip
        show_result(output, result, folder)
    if out is not None:
        more = "icae report shows more" if result.stopped is None else "icae run with --resume goes on"
        output.console.print(f"Kept in {printable(str(out))}; {more}.", style="dim", soft_wrap=True)
    raise typer.Exit(_exit_code(result))


def _play(
    output: Output, config: RunConfig, folder: Path, *, watch: bool, prices: Path | None, **options: Any
) -> RunResult:
    from icae_env.cli.live import Live
    from icae_env.cli.progress import RunDisplay
    from icae_env.llm.prices import load_prices
    from icae_env.rollout.run import play_run

    # What an agent or Ray prints must not come between the reader and the document.
    aside = redirect_stdout(sys.stderr) if output.json else nullcontext()
    with aside, RunDisplay(output.console, table=output.console.is_terminal and not watch) as display:
        return play_run(
            config, folder, prices=load_prices(prices), watcher=display, steps=Live(output.console) if watch else None,
            **options,
        )  # fmt: skip


def _exit_code(result: RunResult) -> int:
    if result.stopped == "interrupted":
        return INTERRUPTED
    return INFRA if result.unplayed or any(row.status == "infra" for row in result.rows) else DONE


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """Yield the run directory; without one to keep, one that is removed afterwards."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="icae-run-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def _second_interrupt_exits() -> Iterator[None]:
    """Let Ctrl-C end the run in good order, and a second one the process."""
    times = 0

    def interrupted(number: int, frame: object) -> None:
        nonlocal times
        times += 1
        if times > 1:
            os.write(
                2, b"\x1b[?25h\nError: interrupted twice\n" if os.isatty(2) else b"Error: interrupted twice\n"
            )
            os._exit(INTERRUPTED)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
