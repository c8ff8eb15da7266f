"""A service on the loopback that speaks three interfaces and plays a script.

It answers OpenAI chat completions, OpenAI responses and Anthropic messages, refuses what those services refuse, checks the
client's key, and keeps what it was asked::

    with WireServer([call("bash", {"command": "ls"}), fail(429, retry_after=0.1), say("Done.")]) as server:
        model = make_model("openai/any", {"base_url": server.openai_url, "api_key_env": "MY_KEY"})

Many conversations at once can play the same script with ``WireServer(answer=lambda request: turns[request.position])``.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType, TracebackType
from typing import Any, Self

from icae_env.llm.conformance import wire_chat, wire_messages, wire_responses
from icae_env.llm.conformance.request import Interface, WireRequest
from icae_env.llm.conformance.turns import Call, Turn, call, fail, say

__all__ = ["Call", "Turn", "WireRequest", "WireServer", "call", "fail", "say"]

_INTERFACES: dict[str, tuple[Interface, ModuleType]] = {
    wire_chat.PATH: ("chat", wire_chat),
    wire_responses.PATH: ("responses", wire_responses),
    wire_messages.PATH: ("messages", wire_messages),
}
_SECRET = ("authorization", "x-api-key")


class WireServer:
    """The service. It listens from the begin to ``close``.

    Args:
        turns: The script, in order; a request that is refused takes no turn. When it is over, the service answers 500.
        answer: Chooses the turn for a request instead; it is called from many threads.
        key: The key that clients must show.
    """

    def __init__(
        self,
        turns: Iterable[Turn] = (),
        *,
        answer: Callable[[WireRequest], Turn] | None = None,
        key: str = "sk-wire-0123456789abcdef",
    ) -> None:
        self.key = key
        self.requests: list[WireRequest] = []
        self.faults: list[str] = []
        """What went wrong in the server itself; empty unless ``answer`` raised."""
        self._turns, self._answer = list(turns), answer
        self._number = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="icae-wire")
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address, which is also the base URL of Anthropic's SDK."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def openai_url(self) -> str:
        """The base URL of OpenAI's SDK."""
        return f"{self.url}/v1"

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that lead both SDKs here with the right key."""
        return {
            "OPENAI_BASE_URL": self.openai_url,
            "OPENAI_API_KEY": self.key,
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": self.key,
            "NO_PROXY": "127.0.0.1",
        }

    def play(self, *turns: Turn) -> None:
        """Add turns to the end of the script."""
        with self._lock:
            self._turns += turns

    def close(self) -> None:
        """End every answer under way, and stop; a second call does nothing."""
        if not self._closing.is_set():
            self._closing.set()
            self._server.shutdown()
            self._thread.join()
            self._server.drop_connections()
            self._server.server_close()

    def _receive(self, request: WireRequest) -> tuple[Turn | None, int]:
        """Keep a request; return its turn (None: the script is over) and its number."""
        with self._lock:
            self.requests.append(request)
            self._number += 1
            number = self._number
            if self._answer is None:
                taken = request.authorized and request.refused is None and bool(self._turns)
                return (self._turns.pop(0) if taken else None), number
        try:
            return self._answer(request), number
        except BaseException as error:
            self.faults.append(repr(error))
            raise


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 256

    def __init__(self, owner: WireServer) -> None:
        self.owner = owner
        self.connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def drop_connections(self) -> None:
        for connection in list(self.connections):
            with contextlib.suppress(OSError):  # it is closed already
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: what ``answer`` raised is in ``faults``, and a client may hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server.connections.add(self.connection)
        if self.server.owner._closing.is_set():
            self.server.drop_connections()

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        with contextlib.suppress(OSError):  # the client has hung up
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        found = next((entry for path, entry in _INTERFACES.items() if self.path.endswith(path)), None)
        if found is None:
            self._send(404, json.dumps({"error": {"message": f"No such path: {self.path}"}}).encode())
            return
        interface, module = found
        shown = self.headers.get("x-api-key") or self.headers.get("Authorization", "").removeprefix("Bearer ")
        request = self._request(interface, module, raw, shown)
        turn, number = self.server.owner._receive(request)
        if not request.authorized:
            # A careless service tells the key in its answer, and a client must not pass it on.
            self._send_json(
                module.error(401, "invalid_api_key", f"Incorrect API key provided: {shown}."), 401
            )
        elif request.refused is not None:
            self._send_json(module.error(400, "", request.refused), 400)
        elif turn is None:
            self._send_json(module.error(500, "", "The script is over."), 500)
        else:
            self._play(turn, module, request, number)

    def _request(self, interface: Interface, module: ModuleType, raw: bytes, shown: str) -> WireRequest:
        refused: str | None = None
        try:
            body = json.loads(raw)
            module.check(body)
        except wire_chat.RefusedError as error:
            refused = str(error)
        except (ValueError, AttributeError, TypeError, KeyError) as error:
            body, refused = {}, f"The request is malformed: {error!r}."
        if refused is None and body.get("stream"):
            refused = "stream: this service answers in one piece"
        return WireRequest(
            interface=interface,
            path=self.path,
            headers={
                name.lower(): value for name, value in self.headers.items() if name.lower() not in _SECRET
            },
            body=body,
            authorized=shown == self.server.owner.key,
            refused=refused,
            position=0 if refused else module.position(body),
            last="" if refused else module.last(body),
        )

    def _play(self, turn: Turn, module: ModuleType, request: WireRequest, number: int) -> None:
        if turn.delay and self.server.owner._closing.wait(turn.delay):
            self.close_connection = True
            return
        if turn.body is not None:
            data = turn.body.encode()
        elif turn.status != 200:
            data = json.dumps(module.error(turn.status, turn.code, turn.message)).encode()
        else:
            data = json.dumps(module.answer(turn, request.body, number)).encode()
        self._send(turn.status, data, turn)

    def _send_json(self, document: dict[str, Any], status: int) -> None:
        self._send(status, json.dumps(document).encode())

    def _send(self, status: int, data: bytes, turn: Turn | None = None) -> None:
        turn = turn or Turn()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in turn.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if turn.cut:
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
        elif turn.drip:
            for byte in data:
                self.wfile.write(bytes([byte]))
                if self.server.owner._closing.wait(turn.drip):
                    break
        else:
            self.wfile.write(data)
