"""The service over HTTP: three ports as upstream has them, and on each of them three paths."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from icae_env.errors import ConfigError
from icae_env.user_agent.service import UserAgentService

ACTIONS = ("init", "query", "stats")
"""What each port does on ``/``, in order; on every port the path ``/NAME`` does the same."""
PORT = 50001
"""Upstream's first port."""
MOST_BYTES = 65_536
"""Bytes of a request's body."""
PATIENCE = 30.0
"""Seconds that a silent client is waited for."""


class UserAgentServer:
    """Serve a ``UserAgentService``; a context manager.

    Args:
        service: What answers.
        host: Address to listen on; the default is reached from this machine only.
        port: The first of three ports in a row; 0 takes any free ones.
    """

    def __init__(self, service: UserAgentService, host: str = "127.0.0.1", port: int = PORT) -> None:
        self._servers: list[ThreadingHTTPServer] = []
        self._threads: list[threading.Thread] = []
        try:
            for number, action in enumerate(ACTIONS):
                handler = _handler(service, action)
                self._servers.append(_Server((host, port + number if port else 0), handler))
        except (OSError, OverflowError) as error:
            self.close()
            raise ConfigError(
                f"Cannot listen on {host}, ports {port} to {port + 2}: {error}.",
                field="port",
                mend="end what uses them, or give another port; 0 takes any free ones.",
            ) from error

    @property
    def ports(self) -> dict[str, int]:
        """The port of each action."""
        return {action: server.server_port for action, server in zip(ACTIONS, self._servers, strict=True)}

    def start(self) -> None:
        """Begin to answer, in threads of its own."""
        for server in self._servers:
            thread = threading.Thread(target=server.serve_forever, name="icae user-agent", daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        """End answering and give the ports back; a second call does nothing."""
        if self._threads:
            for server in self._servers:
                server.shutdown()
        for thread in self._threads:
            thread.join()
        for server in self._servers:
            server.server_close()
        self._threads, self._servers = [], []

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a silent client is not waited for
    allow_reuse_address = True
    allow_reuse_port = False
    request_queue_size = 128


def _handler(service: UserAgentService, default: str) -> type[BaseHTTPRequestHandler]:
    methods: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "init": service.init,
        "query": service.query,
        "stats": service.stats,
    }

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = PATIENCE
        server_version, sys_version = "icae-user-agent", ""

        def do_POST(self) -> None:
            action = self.path.partition("?")[0].strip("/") or default
            method = methods.get(action)
            if method is None:
                self._answer(404, {"error": f"no such path, only {', '.join(ACTIONS)}"})
                return
            body = self._body()
            # As upstream has it: what is wrong with a request is told with status 200.
            self._answer(200, {"error": "invalid request"} if body is None else method(body))

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: a log of requests would hold tokens and questions."""

        def _body(self) -> dict[str, Any] | None:
            length = self.headers.get("Content-Length", "")
            if not length.isascii() or not length.isdigit() or int(length) > MOST_BYTES:
                self.close_connection = True  # what follows is not read
                return None
            try:
                value = json.loads(self.rfile.read(int(length)))
            except (ValueError, RecursionError):
                return None
            return value if isinstance(value, dict) else None

        def _answer(self, code: int, document: dict[str, Any]) -> None:
            data = json.dumps(document).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
