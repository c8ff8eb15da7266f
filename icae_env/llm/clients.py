"""The SDKs' clients: one for threads, one for each event loop, and both with an end to every answer."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from types import ModuleType
from typing import Any

from pydantic import SecretStr

_BEGUN = "icae_begun"
CONNECT_SECONDS = 15.0
"""What it may take to reach a service; one that is not there is noticed by it."""


class Clients:
    """Make and close the clients of one model.

    Args:
        sdk: The SDK's module.
        sync: Name of its class for threads; with ``Async`` before it, that for event loops.
        seconds: What an answer may take, from the first byte sent to the last one received.
        key: The service's key; None: the SDK looks for it.
        **settings: Further arguments of the classes.
    """

    def __init__(
        self, sdk: ModuleType, sync: str, seconds: float, key: SecretStr | None = None, **settings: Any
    ) -> None:
        self._sdk, self._name, self._seconds, self._key = sdk, sync, seconds, key
        self.timeout: Any = sdk.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        """The same in the SDK's form."""
        self._settings = {**settings, "max_retries": 0, "timeout": self.timeout}
        self._lock = threading.Lock()
        self._of_loop: dict[asyncio.AbstractEventLoop, tuple[Any, AsyncIterator[Any]]] = {}
        # Which HTTP library it is depends on the SDK's version.
        base = next(item for item in sdk.DefaultHttpxClient.__mro__ if item.__name__ == "Client")
        self._http: Any = sys.modules[base.__module__.partition(".")[0]]
        self.sync = self._make()
        # A model that nobody closes leaves no open sockets behind.
        weakref.finalize(self, self.sync.close)

    def _client(self, name: str, http_client: Any) -> Any:
        key = {} if self._key is None else {"api_key": self._key.get_secret_value()}
        return getattr(self._sdk, name)(http_client=http_client, **self._settings, **key)

    def _make(self) -> Any:
        hooks = {"request": [_note_begin], "response": [self._bound]}
        return self._client(self._name, self._sdk.DefaultHttpxClient(timeout=self.timeout, event_hooks=hooks))

    def _make_async(self) -> Any:
        async def note(request: Any) -> None:
            _note_begin(request)

        async def bound(response: Any) -> None:
            self._bound(response)

        hooks = {"request": [note], "response": [bound]}
        http_client = self._sdk.DefaultAsyncHttpxClient(timeout=self.timeout, event_hooks=hooks)
        return self._client(f"Async{self._name}", http_client)

    async def of_running_loop(self) -> Any:
        """Return the client of the event loop that runs; it is closed when the loop ends, or by ``close``."""
        loop = asyncio.get_running_loop()
        with self._lock:
            found = self._of_loop.get(loop)
            if found is None:
                for ended in [known for known in self._of_loop if known.is_closed()]:
                    del self._of_loop[ended]
                client = self._make_async()
                found = self._of_loop[loop] = (client, _held(client))
                fresh = True
            else:
                fresh = False
        client, holder = found
        if fresh:
            # A loop that ends closes the generators that began in it, and so the client.
            await anext(holder)
        return client

    def close(self) -> None:
        """Close every client that can still be closed; a second call does nothing."""
        self.sync.close()
        with self._lock:
            holders = {loop: holder for loop, (_, holder) in self._of_loop.items()}
            self._of_loop.clear()
        for loop, holder in holders.items():
            if loop.is_closed():
                continue
            closing: Callable[[], Any] = holder.aclose  # type: ignore[attr-defined]
            if loop.is_running():
                done = asyncio.run_coroutine_threadsafe(closing(), loop)
                if _running() is not loop:
                    with contextlib.suppress(TimeoutError):
                        done.result(5.0)
            elif _running() is None:
                loop.run_until_complete(closing())

    def _bound(self, response: Any) -> None:
        """Give the body of a response an end in time; the HTTP library bounds the wait for each part alone."""
        latest = response.request.extensions.get(_BEGUN, time.monotonic()) + self._seconds
        response.stream = _bounded(self._http, response.stream, latest)


def _note_begin(request: Any) -> None:
    request.extensions[_BEGUN] = time.monotonic()


async def _held(client: Any) -> AsyncIterator[Any]:
    try:
        yield client
    finally:
        await client.close()


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _bounded(http: Any, stream: Any, latest: float) -> Any:
    """Return a byte stream of the HTTP library that raises its ReadTimeout when it is read later than ``latest``."""

    def check() -> None:
        if time.monotonic() > latest:
            raise http.ReadTimeout("The answer took longer than the option timeout allows.")

    class Bounded(http.SyncByteStream, http.AsyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            for part in stream:
                check()
                yield part

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for part in stream:
                check()
                yield part

        def close(self) -> None:
            stream.close()

        async def aclose(self) -> None:
            await stream.aclose()

        def __getattr__(self, name: str) -> Any:
            return getattr(stream, name)

    return Bounded()
