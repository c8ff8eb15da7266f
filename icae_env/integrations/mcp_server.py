"""One episode as an MCP server: its actions are the tools, its opening text is instructions, resource and prompt.

A result's text is what the action showed, with the exit code and what is left of the limits below it; the score stays with the
host unless it is to be shown. A call that the client cancels before its turn is not carried out; one that runs goes on, its
answer is dropped, and the next call waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from icae_env import __version__
from icae_env.env.tools import tools
from icae_env.errors import EpisodeStateError, ICAEError
from icae_env.integrations.hosted import HostedEpisode

START_URI = "icae://start.md"
PROMPT = "start"
_WHAT = "The rules of the episode and the requirements."
_OVER = "The episode is over; nothing was done."
_Context = ServerRequestContext[Any]


class EpisodeServer:
    """Answer a client's requests by an episode.

    Args:
        episode: The episode; it stays its owner's to close.
        show_score: Whether the last answer waits for the score and tells it.
    """

    def __init__(self, episode: HostedEpisode, *, show_score: bool = False) -> None:
        self._episode, self._show_score = episode, show_score
        self._handed_in = False
        # One thread: calls are carried out in the order in which they came, and one that waits can still be cancelled.
        self._turn = ThreadPoolExecutor(1, thread_name_prefix="icae mcp")
        ready = episode.ready
        self._tools = {item["name"]: types.Tool.model_validate(item) for item in tools("mcp", ready.actions)}
        self.server: Server[Any] = Server(
            "icae", version=__version__, title="ICAE episode", instructions=ready.text, on_list_tools=self._list_tools,
            on_call_tool=self._call_tool, on_list_resources=self._list_resources, on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts, on_get_prompt=self._get_prompt,
        )  # fmt: skip

    async def serve_stdio(self) -> None:
        """Serve the client on standard input and output until it closes them."""
        async with stdio_server() as (received, sent):
            await self.server.run(received, sent, self.server.create_initialization_options())

    def close(self) -> None:
        """Let no further call be carried out."""
        self._turn.shutdown(wait=False, cancel_futures=True)

    async def _list_tools(
        self, context: _Context, given: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(self._tools.values()))

    async def _call_tool(self, context: _Context, given: types.CallToolRequestParams) -> types.CallToolResult:
        if given.name not in self._tools:
            return _said(
                f"There is no tool '{given.name[:60]}'. Its tools are {', '.join(self._tools)}.", error=True
            )
        if self._handed_in or self._episode.end is not None:
            return _said(_OVER, error=True)
        action = {**(given.arguments or {}), "type": given.name}
        running = self._turn.submit(self._episode.act, action)
        if action == {"type": "submit"} and not self._show_score:
            # Scoring takes longer than many clients wait, and tells this one nothing.
            self._handed_in = True
            return _said("Submitted. The episode is over.")
        try:
            shown = await asyncio.wrap_future(running)
            score = await asyncio.to_thread(self._score) if shown.end and self._show_score else ""
        except EpisodeStateError:
            return _said(_OVER, error=True)
        except ICAEError:  # what failed is the host's business; its own process tells it
            return _said("The episode failed on the host's side and is over.", error=True)
        return _said(
            shown.with_counts() + score, meta=shown.model_dump(mode="json", exclude={"type", "text"})
        )

    def _score(self) -> str:
        row = self._episode.result()
        return (
            f"\n[score: {row.reward}]" if row is not None and row.reward is not None else "\n[not measured]"
        )

    async def _list_resources(
        self, context: _Context, given: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        found = types.Resource(uri=START_URI, name="start.md", description=_WHAT, mime_type="text/markdown")
        return types.ListResourcesResult(resources=[found])

    async def _read_resource(
        self, context: _Context, given: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        if str(given.uri) != START_URI:
            raise MCPError(types.INVALID_PARAMS, f"There is no resource but {START_URI}.")
        text = types.TextResourceContents(
            uri=START_URI, mime_type="text/markdown", text=self._episode.ready.text
        )
        return types.ReadResourceResult(contents=[text])

    async def _list_prompts(
        self, context: _Context, given: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT, description=_WHAT)])

    async def _get_prompt(
        self, context: _Context, given: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if given.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, f"There is no prompt but '{PROMPT}'.")
        text = types.TextContent(text=self._episode.ready.text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])


def _said(text: str, *, error: bool = False, meta: Mapping[str, Any] | None = None) -> types.CallToolResult:
    content = types.TextContent(text=text)
    return types.CallToolResult(
        content=[content], is_error=error, meta={"icae": dict(meta)} if meta is not None else None
    )
