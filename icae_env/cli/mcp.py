"""``icae mcp``: serve one episode to an agent that speaks MCP."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from icae_env.cli.options import Debug, Image, Language, Sandbox, Seed
from icae_env.cli.output import DONE, INFRA, console, printable
from icae_env.errors import ConfigError, MissingDependencyError, UnknownNameError

if TYPE_CHECKING:
    from icae_env.integrations.hosted import HostedEpisode
    from icae_env.integrations.mcp_http import HttpServer

_TRANSPORTS = ("stdio", "http")
_SIGNALLED = 128
"""What a shell adds to the number of the signal that ended a process."""


def mcp(
    *,
    task: Annotated[str, typer.Option("--task", "-t", help="The task.")],
    level: Annotated[
        str | None, typer.Option("--level", "-l", help="L1, L2, L3, ...; default: the task's first.")
    ] = None,
    language: Language = None,
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    seed: Seed = 0,
    env_option: Annotated[
        list[str] | None,
        typer.Option(
            "--env-option", metavar="KEY=VALUE", help="steps, questions, seconds, ... as of icae run."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Run directory to keep the episode in.")] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the agent in the run.")] = "mcp",
    idle: Annotated[
        float | None, typer.Option("--idle", min=1, help="End it after so many seconds without a call.")
    ] = None,
    show_score: Annotated[
        bool, typer.Option("--show-score", help="Tell the score to the client, too, at the end.")
    ] = False,
    transport: Annotated[str, typer.Option("--transport", help="stdio or http (streamable HTTP).")] = "stdio",
    host: Annotated[str, typer.Option("--host", help="http: address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="http: port; 0: a free one.")] = 0,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="http: a name by which clients call this machine; repeatable."),
    ] = None,
    token_env: Annotated[
        str | None,
        typer.Option("--token-env", help="http: variable that holds the bearer token; default: a new one."),
    ] = None,
    linger: Annotated[
        float, typer.Option("--linger", min=0, help="http: seconds to stay without a call when it is over.")
    ] = 30.0,
    debug: Debug = False,
) -> None:
    """Serve one episode's actions over MCP. It begins with the first call; a client that goes away ends it, and it is scored."""
    from icae_env.cli.options import pairs
    from icae_env.cli.run_options import env_arguments
    from icae_env.tasks import find_task

    if transport not in _TRANSPORTS:
        raise UnknownNameError("transport", transport, _TRANSPORTS)
    token = _token(token_env)
    _check_installed()
    from icae_env.integrations.hosted import HostedEpisode
    from icae_env.integrations.mcp_server import EpisodeServer
    from icae_env.integrations.messages import Setting
    from icae_env.rollout.store import EpisodeKey

    key = EpisodeKey(
        task=task, level=level or find_task(task).spec.levels[0], agent=name, seed=seed, language=language
    )
    env = env_arguments(pairs(env_option, "--env-option"))
    episode = HostedEpisode(Setting(key=key, sandbox=sandbox, image=image, env=env, folder=out, idle=idle))
    _on_signals(episode)
    with closing(EpisodeServer(episode, show_score=show_score)) as served:
        try:
            if transport == "stdio":
                asyncio.run(served.serve_stdio())
            else:
                from icae_env.integrations.mcp_http import HttpServer

                server = HttpServer(
                    episode, served, token=token, host=host, port=port, names=allow_host or (), linger=linger
                )
                asyncio.run(_serve_http(server, token if token_env is None else None))
        finally:
            episode.leave()
    row = episode.result()
    raise typer.Exit(INFRA if row is not None and row.status == "infra" else DONE)


async def _serve_http(server: HttpServer, token: str | None) -> None:
    """Say where the server is and serve; ``token`` is told, for nobody else knows it."""
    out = console(stderr=True)
    out.print(f"MCP at {server.url}", soft_wrap=True)
    if token is not None:
        out.print(f"Authorization: Bearer {token}", soft_wrap=True)
    await server.serve()


def _token(variable: str | None) -> str:
    if variable is None:
        return secrets.token_urlsafe(32)
    token = os.environ.get(variable, "")
    if not token:
        raise ConfigError(
            f"The variable '{printable(variable)}' is not set.",
            field="--token-env",
            mend="put the token into it.",
        )
    return token


def _check_installed() -> None:
    try:
        import mcp_types
    except ImportError as error:
        raise MissingDependencyError(
            "mcp>=2", needed_for="icae mcp", install="pip install 'icae-env[mcp]'"
        ) from error
    del mcp_types


def _on_signals(episode: HostedEpisode) -> None:
    """End the episode at Ctrl-C and wait for its score; at SIGTERM or a second Ctrl-C leave that to its own process.

    The process ends without waiting for its threads, one of which may be reading standard input for ever.
    """

    def at_once(number: int, frame: FrameType | None) -> None:
        episode.leave()
        os._exit(_SIGNALLED + number)

    def interrupted(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, at_once)
        console(stderr=True).print("Interrupted; what is there is scored.")
        episode.close()
        os._exit(_SIGNALLED + number)

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, at_once)
