"""Containers started ahead of time, by one thread in the background."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from icae_env.errors import ICAEError
from icae_env.sandbox.docker.container import Container

Start = Callable[[], Container]
_KINDS = 4
"""Configurations kept warm at the same time; the one used longest ago gives way."""


class WarmPool:
    """Keep ``size`` containers of each configuration in use; safe to use from many threads."""

    def __init__(self, size: int) -> None:
        """Keep nothing yet.

        Args:
            size: Containers per configuration; 0 starts each when it is wanted.
        """
        self._size = size
        self._ready: OrderedDict[str, list[Container]] = OrderedDict()
        self._start: dict[str, Start] = {}
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def expect(self, key: str, start: Start) -> None:
        """Begin to keep containers of a configuration.

        Args:
            key: Names the configuration.
            start: Starts one container.
        """
        if self._size == 0:
            return
        surplus: list[Container] = []
        with self._change:
            self._start[key] = start
            self._ready.setdefault(key, [])
            self._ready.move_to_end(key)
            while len(self._ready) > _KINDS:
                _, given_up = self._ready.popitem(last=False)
                surplus += given_up
            if self._thread is None:
                self._thread = threading.Thread(target=self._fill, name="icae-docker-pool", daemon=True)
                self._thread.start()
            self._change.notify()
        for container in surplus:
            container.close()

    def take(self, key: str, start: Start) -> Container:
        """Return a warm container, or start one.

        Raises:
            SandboxStartError: It could not be started.
        """
        while True:
            with self._change:
                ready = self._ready.get(key)
                container = ready.pop(0) if ready else None
                self._change.notify()
            if container is None:
                return start()
            if container.alive():
                return container
            container.close()

    def wait(self, key: str, timeout: float = 60.0) -> bool:
        """Wait until a configuration's containers are ready; return whether they are."""
        with self._change:
            return self._change.wait_for(lambda: len(self._ready.get(key, ())) >= self._size, timeout)

    def close(self) -> None:
        """Stop, and destroy the containers nobody took; a second call does nothing."""
        with self._change:
            self._closed = True
            self._change.notify()
        if self._thread is not None:
            self._thread.join()
        for ready in self._ready.values():
            while ready:
                ready.pop().close()

    def _fill(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._closed or self._short() is not None)
                key = self._short()
                if self._closed or key is None:
                    return
                start = self._start[key]
            try:
                container = start()
            except ICAEError:  # whoever wants one next starts it himself and gets the error
                with self._change:
                    self._ready.pop(key, None)
                continue
            with self._change:
                wanted = not self._closed and key in self._ready
                if wanted:
                    self._ready[key].append(container)
                    self._change.notify_all()
            if not wanted:
                container.close()

    def _short(self) -> str | None:
        """Return a configuration that lacks containers, the one used last first."""
        return next((key for key in reversed(self._ready) if len(self._ready[key]) < self._size), None)
