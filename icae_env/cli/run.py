"""``icae run``: play episodes with an agent."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict, Field

from icae_env.cli.options import AgentOptions, Debug, Image, Json, Language, Sandbox, Seed, Workers, pairs
from icae_env.cli.output import DONE, INFRA, Output, printable

if TYPE_CHECKING:
    from icae_env.cli.live import Live
    from icae_env.rollout import EpisodeResult


class Plan(BaseModel):
    """One episode to play."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str = ""
    level: str = "L1"
    agent: str
    options: dict[str, str] = Field(default_factory=dict)
    seed: int = 0
    sandbox: str
    image: str
    language: str | None = None
    """None: the task's own."""
    workers: int = 2
    folder: Path | None = None
    """Where its files go; None: nowhere."""


def run(
    *,
    task: Annotated[list[str], typer.Option("--task", "-t", help="A task, or all; repeatable.")],
    agent: Annotated[
        str, typer.Option("--agent", "-a", help="A registered name (icae agents) or module:Class.")
    ],
    level: Annotated[
        list[str] | None,
        typer.Option("--level", "-l", help="L1 (default), L2, L3, ground or recovered; repeatable."),
    ] = None,
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    language: Language = None,
    seed: Seed = 0,
    repeats: Annotated[
        int, typer.Option("--repeats", "-n", min=1, help="Episodes of each, with seeds counting up.")
    ] = 1,
    agent_option: AgentOptions = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Keep trajectory, submission and report here.")
    ] = None,
    workers: Workers = 2,
    watch: Annotated[bool, typer.Option("--watch", help="Show each action as it happens.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Play episodes and report them. Exit code 3 if one of them could not be measured."""
    from icae_env.cli.live import Live
    from icae_env.cli.tables import show_episodes, show_report

    output = Output(json=json)
    first = Plan(
        agent=agent, options=pairs(agent_option), seed=seed, sandbox=sandbox, image=image, language=language,
        workers=workers, folder=out,
    )  # fmt: skip
    plans = list(_plans(first, tasks=task, levels=level or ["L1"], repeats=repeats))
    results, documents = [], []
    for number, plan in enumerate(plans, 1):
        output.console.print(
            f"[{number}/{len(plans)}] {plan.task} {plan.level} {plan.agent} seed {plan.seed} ...", style="dim"
        )
        live = Live(output.console) if watch else None
        result, document = play_plan(plan, live)
        results.append(result)
        documents.append(document)
        said = printable(result.error or "") if result.reward is None else f"reward {result.reward:.3f}"
        output.console.print(f"[{number}/{len(plans)}] {said} in {result.seconds:.1f} s", soft_wrap=True)
    output.document({"episodes": documents})
    if not json:
        if len(results) == 1 and results[0].report:
            show_report(output.console, results[0].report)
        show_episodes(output.console, results)
    raise typer.Exit(INFRA if any(item.status == "infra" for item in results) else DONE)


def _plans(first: Plan, *, tasks: list[str], levels: list[str], repeats: int) -> Iterator[Plan]:
    """Yield the episodes to play; every name is checked before the first one starts.

    Args:
        first: What they have in common; its folder is the one that their own folders lie in.
        tasks: Ids of tasks, or ``all``.
        levels: Levels.
        repeats: Episodes of each.
    """
    from icae_env.cli.guard import guarded
    from icae_env.errors import ConfigError
    from icae_env.factory import ALL
    from icae_env.selection import check_sandbox
    from icae_env.tasks import check_level, find_task, task_ids
    from icae_env.tasks.languages import check_language

    guarded(first.agent, first.options)
    check_sandbox(first.sandbox)
    language = None if first.language is None else check_language(first.language)
    found = [name for given in tasks for name in (task_ids() if given == ALL else [find_task(given).id])]
    checked = [check_level(given) for given in levels]
    for name in dict.fromkeys(found):
        for level in dict.fromkeys(checked):
            for seed in range(first.seed, first.seed + repeats):
                agent = first.agent.rpartition(":")[2]
                own = "-".join(filter(None, (name, level, language, agent, str(seed))))
                folder = first.folder / own if first.folder else None
                if folder is not None and folder.exists():
                    raise ConfigError(
                        "This episode's folder exists already.", file=folder, mend="name another --out."
                    )
                yield first.model_copy(update={"task": name, "level": level, "seed": seed, "folder": folder})


def play_plan(plan: Plan, live: Live | None = None) -> tuple[EpisodeResult, dict[str, Any]]:
    """Play one episode and keep its files.

    Args:
        plan: The episode.
        live: What shows it, if anything does.

    Returns:
        The result, and the same as JSON values with the gaps in it.
    """
    from rich.console import Console

    from icae_env import Recorder, make_env
    from icae_env.cli.guard import guarded
    from icae_env.cli.live import Live
    from icae_env.rollout import play
    from icae_env.rollout.gaps import episode_gaps

    watcher = live or Live(Console(quiet=True))
    env = make_env(
        plan.task, plan.level, plan.sandbox, plan.image, workers=plan.workers, language=plan.language
    )
    folder = plan.folder
    recorded = Recorder(env, folder / "trajectory.jsonl") if folder else env
    try:
        result = play(
            guarded(plan.agent, plan.options), recorded, seed=plan.seed, watcher=watcher,
            keep=(lambda submission: submission.store(folder / "submission.tar.gz")) if folder else None,
        )  # fmt: skip
    finally:
        recorded.close()
    if not result.task:  # no sandbox, so no episode that could say what it is
        result = result.model_copy(update={"task": plan.task, "level": plan.level})
    gaps = result.report and episode_gaps(result.task, result.level, result.report, watcher.diagnoses)
    document = {**result.model_dump(mode="json"), "gaps": gaps.model_dump(mode="json") if gaps else None}
    if folder:
        if result.report:
            write_json(folder / "report.json", result.report.model_dump(mode="json"))
        write_json(
            folder / "episode.json", {key: value for key, value in document.items() if key != "report"}
        )
    return result, document


def write_json(file: Path, document: Any) -> None:
    """Write a JSON file, whole or not at all."""
    import json
    import os
    import tempfile

    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(document, stream, indent=2)
            stream.write("\n")
        Path(name).chmod(0o644)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
