"""``icae agents``: what agents there are, and what they say to their models."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from icae_env.cli.group import CommandGroup
from icae_env.cli.options import AgentOptions, Debug, Json, Level, pairs
from icae_env.cli.output import Output

_MARKS = {"privileged": "(privileged)", "needs_model": "(needs a model)"}

app = typer.Typer(cls=CommandGroup, invoke_without_command=True)


@app.callback()
def agents(context: typer.Context, *, json: Json = False, debug: Debug = False) -> None:
    """List the agents that can play by name."""
    if context.invoked_subcommand is not None:
        return
    from rich.table import Table

    from icae_env import registry

    out = Output(json=json)
    entries = [_entry(name) for name in registry.names("agent")]
    out.document({"agents": entries})
    if json:
        return
    table = Table(title="Agents", title_style="bold")
    for name in ("agent", "what it does", "class"):
        table.add_column(name)
    for entry in entries:
        marks = [said for mark, said in _MARKS.items() if entry[mark]]
        table.add_row(entry["name"], " ".join([entry["summary"], *marks]), entry["class"])
    out.console.print(table)
    out.console.print(
        "An agent of your own is named as module:Class. icae agents show NAME prints an agent's prompts.",
        style="dim",
    )


@app.command("show")
def show(
    *,
    name: Annotated[str, typer.Argument(help="A registered name (icae agents) or module:Class.")],
    task: Annotated[
        str | None, typer.Option("--task", "-t", help="Fill in a task; else the variables are shown by name.")
    ] = None,
    level: Level = "L1",
    agent_option: AgentOptions = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Print the prompts of an agent."""
    from icae_env.cli.output import printable
    from icae_env.rollout import make_agent

    out = Output(json=json)
    agent = make_agent(name, pairs(agent_option))
    prompts = _prompts(agent, task, level) if hasattr(agent, "prompts") else {}
    out.document({"agent": name, "task": task, "prompts": prompts})
    if json:
        return
    if not prompts:
        out.console.print(f"The agent '{printable(name)}' has no prompts.")
    for title, text in prompts.items():
        out.console.rule(printable(title), align="left")
        out.console.print(printable(text), soft_wrap=True)


def _prompts(agent: Any, task: str | None, level: str) -> dict[str, str]:
    """Return the texts that an agent sends to its model, by their names."""
    from icae_env.env.start import start_text
    from icae_env.env.wiring import EpisodeConfig
    from icae_env.tasks import check_level, find_task, load_public

    if task is None:
        return cast("dict[str, str]", agent.prompts())
    public = load_public(find_task(task).id, check_level(level))
    start = start_text(public, public.spec.limits, EpisodeConfig())
    return cast("dict[str, str]", agent.prompts(public, start))


def _entry(name: str) -> dict[str, Any]:
    from icae_env import registry
    from icae_env.errors import ICAEError

    entry: dict[str, Any] = {
        "name": name,
        "class": registry.target("agent", name),
        "privileged": False,
        "needs_model": False,
    }
    try:
        found = registry.resolve("agent", name)
    except ICAEError as error:
        # One that needs a package which is not installed is still listed.
        return {**entry, "summary": str(error)}
    marks = {mark: bool(getattr(found, mark, False)) for mark in _MARKS}
    return {**entry, "summary": (found.__doc__ or "").strip().partition("\n")[0], **marks}
