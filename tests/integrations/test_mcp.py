"""``icae mcp`` and the official client: episodes over standard input and output, and over HTTP."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from icae_env.rollout.store import EpisodeRow, Run
from icae_env.tasks import load_public

pytest.importorskip("mcp_types", reason="mcp is not installed; mend: pip install 'icae-env[mcp]'")

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

ICAE = [sys.executable, "-m", "icae_env"]
OVER = "The episode is over; nothing was done."
MODES = ("legacy", "auto")
"""With a handshake and sessions, and as the newest protocol has it: without."""


@pytest.fixture
def arguments(place: dict[str, str], tmp_path: Path) -> list[str]:
    where = ["--sandbox", place["sandbox"], "--image", place["image"]]
    return ["mcp", "--task", "bracex", *where, "--out", str(tmp_path / "run")]


def row_of(folder: Path, seconds: float = 60.0) -> EpisodeRow:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (folder / "run.json").exists() and (row := Run(folder).episodes()[0].row) is not None:
            return row
        time.sleep(0.05)
    raise AssertionError("no row was written")


def over_stdio(arguments: list[str], mode: str, act: Callable[[Client], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        server = StdioServerParameters(command=ICAE[0], args=[*ICAE[1:], *arguments], cwd=Path.cwd())
        async with Client(server, mode=mode) as client:
            return await act(client)

    return asyncio.run(main())


async def call(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    return f"{'error: ' if result.is_error else ''}{content.text}"


@pytest.mark.parametrize("mode", MODES)
def test_a_client_plays_an_episode_over_stdio(
    mode: str, arguments: list[str], program: list[dict[str, str]], tmp_path: Path
) -> None:
    async def act(client: Client) -> None:
        text = load_public("bracex", "L1").prd.rstrip()
        assert text in (client.instructions or "")
        assert text in (await client.get_prompt("start")).messages[0].content.text
        (resource,) = (await client.list_resources()).resources
        assert text in (await client.read_resource(resource.uri)).contents[0].text
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"bash", "edit", "ask_user", "terminal", "submit"}
        assert tools["bash"].input_schema["required"] == ["command"]
        assert await call(client, "bash", command="echo hi; false") == (
            "hi\n[exit code 1; 199 actions left; 16 questions left]"
        )
        assert "15 questions left" in await call(client, "ask_user", question="May a step be negative?")
        assert "Field 'command' is missing" in await call(client, "bash", comand="ls")
        assert "There is no tool 'look'" in await call(client, "look")
        for action in program:
            assert "exit code 0" in await call(
                client, **{"tool": "edit", **{k: v for k, v in action.items() if k != "type"}}
            )
        assert await call(client, "submit") == "Submitted. The episode is over."
        assert await call(client, "bash", command="ls") == f"error: {OVER}"

    over_stdio(arguments, mode, act)
    row = row_of(tmp_path / "run")
    assert (row.key.agent, row.reward, row.end, row.questions) == ("mcp", 1.0, "submit", 1)


def test_a_cancelled_call_is_dropped_and_a_client_that_goes_ends_the_episode(
    arguments: list[str], tmp_path: Path
) -> None:
    async def act(client: Client) -> str:
        async with anyio.create_task_group() as group:
            with anyio.move_on_after(0.5):
                group.start_soon(call, client, "bash")
                await call(client, "bash", command="sleep 1.5; echo ran >> ran.txt")
            with anyio.move_on_after(0.2):  # its turn does not come before it is cancelled
                await call(client, "bash", command="echo never >> ran.txt")
        return await call(client, "bash", command="cat ran.txt")

    said = over_stdio([*arguments, "--name", "walker", "--env-option", "steps=9"], "legacy", act)
    assert said.startswith("ran\n[exit code 0; 6 actions left")
    row = row_of(tmp_path / "run")
    assert (row.key.agent, row.end, row.status, row.steps) == ("walker", "disconnected", "ok", 4)


def test_a_limit_ends_the_episode_and_the_score_is_shown_when_asked_for(arguments: list[str]) -> None:
    async def act(client: Client) -> list[str]:
        return [await call(client, "bash", command="true") for _ in range(3)]

    first, second, third = over_stdio([*arguments, "--env-option", "steps=2", "--show-score"], "auto", act)
    assert "1 actions left" in first and "step limit of 2 actions is reached" in second
    assert second.endswith("\n[score: 0.0]") and third == f"error: {OVER}"


class Served:
    """``icae mcp --transport http`` as a process."""

    def __init__(self, arguments: list[str], **variables: str) -> None:
        command = [*ICAE, *arguments, "--transport", "http", "--linger", "0.5"]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, **variables}
        )
        assert self.process.stderr is not None
        self.url = self.process.stderr.readline().removeprefix("MCP at ").strip()

    def line(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.readline()

    @asynccontextmanager
    async def client(self, mode: str, token: str, **headers: str) -> AsyncIterator[Client]:
        """Connect the official client."""
        sent = {"Authorization": f"Bearer {token}", **headers}
        async with (
            httpx2.AsyncClient(headers=sent, timeout=60) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
        ):
            yield client


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    started: list[Served] = []

    def start(arguments: list[str], **variables: str) -> Served:
        started.append(Served(arguments, **variables))
        return started[-1]

    yield start
    for served in started:
        served.process.terminate()
        served.process.wait()
        assert served.process.stderr is not None
        served.process.stderr.close()


@pytest.mark.parametrize("mode", MODES)
def test_a_client_plays_an_episode_over_http(
    mode: str,
    arguments: list[str],
    serve: Callable[..., Served],
    program: list[dict[str, str]],
    tmp_path: Path,
) -> None:
    served = serve([*arguments, "--token-env", "THE_TOKEN"], THE_TOKEN="secret-1")

    async def look() -> None:
        async with served.client(mode, "secret-1") as client:
            assert len((await client.list_tools()).tools) == 5

    async def act() -> None:
        async with served.client(mode, "secret-1") as client:
            for action in program:
                assert "exit code 0" in await call(
                    client, **{"tool": "edit", **{k: v for k, v in action.items() if k != "type"}}
                )
            assert await call(client, "submit") == "Submitted. The episode is over."

    asyncio.run(look())  # one that only looks begins and ends nothing
    asyncio.run(act())
    row = row_of(tmp_path / "run")
    assert (row.reward, row.end, row.steps) == (1.0, "submit", len(program) + 1)
    assert "secret-1" not in "".join(file.read_text("utf-8", "replace") for file in tmp_path.rglob("*.json*"))
    assert served.process.wait(30) == 0


def test_a_session_that_is_closed_ends_the_episode(
    arguments: list[str], serve: Callable[..., Served], tmp_path: Path
) -> None:
    served = serve(arguments)
    found = re.fullmatch(r"Authorization: Bearer (\S{30,})\n", served.line())
    assert found

    async def act() -> None:
        async with served.client("legacy", found[1]) as client:
            await call(client, "bash", command="true")

    asyncio.run(act())
    assert served.process.wait(60) == 0
    assert row_of(tmp_path / "run").end == "disconnected"


def test_only_the_tokens_holder_under_known_names_is_answered(
    arguments: list[str], serve: Callable[..., Served], tmp_path: Path
) -> None:
    served = serve(
        [*arguments, "--token-env", "THE_TOKEN", "--allow-host", "known.example"], THE_TOKEN="secret-2"
    )
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepts = {"Accept": "application/json, text/event-stream"}

    def status(**headers: str) -> int:
        return httpx2.post(served.url, json=body, headers={**accepts, **headers}).status_code

    right = {"Authorization": "Bearer secret-2"}
    assert served.url.startswith("http://127.0.0.1:")
    assert status() == 401
    assert status(Authorization="Bearer secret-3") == 401
    assert status(**right, Host="evil.example") == 421
    assert status(**right, Origin="http://evil.example") == 403
    assert status(**right) == status(**right, Host="known.example:1") == 400  # no session yet, but let in

    async def act() -> None:
        async with served.client("auto", "secret-2") as client:
            await call(client, "bash", command="true")

    asyncio.run(act())
    served.process.send_signal(signal.SIGINT)
    assert served.process.wait(60) == 130
    assert row_of(tmp_path / "run").end == "disconnected"


def test_what_is_wrong_is_said_in_one_line(arguments: list[str]) -> None:
    for wrong, said in (
        (["--task", "bracey"], "bracey"),
        (["--transport", "carrier-pigeon"], "transport"),
        (["--token-env", "NOT_SET_AT_ALL"], "--token-env"),
        (["--env-option", "steps=none"], "steps"),
        (["--transport", "http", "--host", "203.0.113.7"], "--host"),
    ):
        done = subprocess.run(
            [*ICAE, *arguments, *wrong],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 2 and done.stdout == "", done.stderr
        assert said in done.stderr and "Traceback" not in done.stderr
