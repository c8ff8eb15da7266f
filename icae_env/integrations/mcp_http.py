"""The MCP server over streamable HTTP: for whoever holds the token, under the names that it is known by."""

from __future__ import annotations

import asyncio
import hmac
import logging
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from icae_env.errors import ConfigError
from icae_env.integrations.hosted import HostedEpisode
from icae_env.integrations.mcp_server import EpisodeServer

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LINGER = 30.0
"""Seconds without a request after which a server ends whose episode is over: late calls are still told so. It ends at once when
its client takes its leave, which clients of the newest protocol do not."""
_PATH = "/mcp"
_TICK = 0.05
_MOST_SESSIONS = 16


class HttpServer:
    """Serve one episode at one address.

    Args:
        episode: The episode.
        served: What answers requests.
        token: What a client has to send as bearer token.
        host: Address to listen on.
        port: Port; 0: a free one.
        names: Host names by which clients may call it, besides the address and the loopback ones.
        linger: Seconds without a request after which it ends once the episode is over.

    Raises:
        ConfigError: The address cannot be listened on.
    """

    def __init__(
        self,
        episode: HostedEpisode,
        served: EpisodeServer,
        *,
        token: str,
        host: str = "127.0.0.1",
        port: int = 0,
        names: Sequence[str] = (),
        linger: float = LINGER,
    ) -> None:
        self._episode, self._linger = episode, linger
        self._left = False
        self._last = time.monotonic()
        self._socket = _listen(host, port)
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self._socket.getsockname()[1]}{_PATH}"
        known = dict.fromkeys(f"[{name}]" if ":" in name else name for name in (*LOOPBACK, host, *names))
        app = served.server.streamable_http_app(
            streamable_http_path=_PATH, session_idle_timeout=None, max_sessions=_MOST_SESSIONS, host=host,
            transport_security=TransportSecuritySettings(
                allowed_hosts=[item for name in known for item in (name, f"{name}:*")],
                allowed_origins=[f"http://{name}:*" for name in known],
            ),
            auth=AuthSettings(issuer_url=AnyHttpUrl(self.url), resource_server_url=None),
            token_verifier=_OneToken(token),
        )  # fmt: skip
        self._server = _Quiet(
            uvicorn.Config(
                self._noticing(app), log_config=None, access_log=False, timeout_graceful_shutdown=1
            )
        )

    async def serve(self) -> None:
        """Answer requests until the episode is over and its client has gone."""
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        watching = asyncio.create_task(self._until_over())
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            watching.cancel()
            self._socket.close()

    async def _until_over(self) -> None:
        while not (self._episode.over and (self._left or time.monotonic() - self._last > self._linger)):
            await asyncio.sleep(_TICK)
        self._server.should_exit = True

    def _noticing(self, app: ASGIApp) -> ASGIApp:
        """Return an application that notices when a client takes its leave: it deletes its session."""

        async def noticing(scope: Scope, receive: Receive, send: Send) -> None:
            status = 500

            async def sent(message: Message) -> None:
                nonlocal status
                status = message.get("status", status)
                await send(message)

            self._last = time.monotonic()
            await app(scope, receive, sent)
            self._last = time.monotonic()
            leaves = scope["type"] == "http" and scope["method"] == "DELETE" and status < 300
            if leaves and self._episode.begun:  # before the first action it was only a look
                self._left = True
                self._episode.leave()

        return noticing


class _OneToken:
    """Know one token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return what a token allows; None: nothing."""
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return None
        return AccessToken(token=token, client_id="agent", scopes=[])


class _Quiet(uvicorn.Server):
    """A server that leaves signals to its caller."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"'{host}' port {port} cannot be listened on: {error}.",
            field="--host",
            mend="give another, or --port 0.",
        ) from error
