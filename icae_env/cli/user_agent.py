"""``icae user-agent``: the User Agent as a service of its own."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

import os
import secrets
import signal
from typing import TYPE_CHECKING, Annotated

import typer

from icae_env.cli.group import CommandGroup
from icae_env.cli.options import Debug, Json
from icae_env.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Callable

    from icae_env.user_agent import MakeRouter, UserAgent

KEY_VARIABLE = "ICAE_USER_AGENT_KEY"
"""Holds the key that begins runs; without it a new one is made and printed."""

ENDING = (signal.SIGINT, signal.SIGTERM)

app = typer.Typer(
    cls=CommandGroup, help="Serve the User Agent to agents that run elsewhere.", no_args_is_help=True
)


@app.callback()
def group() -> None:
    """Serve the User Agent to agents that run elsewhere."""


@app.command("serve")
def serve(
    *,
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="TASK...", help="Ids of tasks; all when none is given.")
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; the default is for this machine only.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65533, help="First of three ports; 0: any free ones.")
    ] = 50001,
    router: Annotated[
        str, typer.Option("--router", "-r", help="keyword, semantic, llm or module:Class.")
    ] = "keyword",
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Answer init, query and stats over HTTP in upstream's shape until interrupted.

    The key that init wants is read from ICAE_USER_AGENT_KEY, or made and printed. Give an agent its task's token
    from init's answer, never the append_id, which also opens the statistics.
    """
    from icae_env.registry import resolve
    from icae_env.tasks import find_task, task_ids
    from icae_env.user_agent.server import UserAgentServer
    from icae_env.user_agent.service import UserAgentService

    out = Output(json=json)
    names = list(dict.fromkeys(find_task(name).id for name in tasks or task_ids()))
    given = os.environ.get(KEY_VARIABLE)
    key = given or secrets.token_hex(16)
    service = UserAgentService(names, _maker(resolve("router", router)), key)
    # Before any thread starts, so that every one of them leaves these signals to be waited for.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    with UserAgentServer(service, host, port) as server:
        told = {"host": host, **server.ports, "tasks": names} | ({} if given else {"key": key})
        out.document(told)
        if not json:
            ports = ", ".join(f"{name} {number}" for name, number in server.ports.items())
            out.console.print(f"Serving {len(names)} tasks on {host}: {ports}. Interrupt to end.")
            if not given:
                out.console.print(f"Key for init (set {KEY_VARIABLE} to choose it): {key}")
        signal.sigwait(ENDING)


def _maker(router: MakeRouter) -> Callable[[str, str], UserAgent]:
    from icae_env.tasks import load_hidden, records_file
    from icae_env.user_agent import RecordSet, UserAgent, load_records, with_inputs

    def make(task: str, level: str) -> UserAgent:
        file = records_file(task, level)
        records = RecordSet() if file is None else with_inputs(load_records(file), load_hidden(task).cases)
        return UserAgent(records, router(records))

    return make
