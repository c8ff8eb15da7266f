"""The templates that a backend keeps for the next command."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.lowers import FileMap
from icae_env.sandbox.template import NotPreparedError, Template

_IDLE = 4


class Templates:
    """The templates of one backend that are not in use at the moment."""

    def __init__(self) -> None:
        self.usable = True
        """Whether this host lets templates make sandboxes, as far as is known."""
        self._proven = False
        self._idle: list[tuple[SandboxConfig, Template]] = []
        self._lock = threading.Lock()
        self._process, self._closed = os.getpid(), 0

    @contextmanager
    def lent(self, config: SandboxConfig, files: FileMap, make: Callable[[], Template]) -> Iterator[Template]:
        """Give a template for this configuration and the same mapping of files, to be used by the body alone."""
        closed = self._closed
        template = self._take(config, files) or self._made(make)
        try:
            yield template
            self._proven = True
        except NotPreparedError:
            template.worn = True
            self._refused()
            raise
        finally:
            if template.worn or not self.usable or closed != self._closed:
                template.close()
            else:  # from here on it may be another thread's
                self._keep((config, template))

    def _made(self, make: Callable[[], Template]) -> Template:
        try:
            return make()
        except NotPreparedError:
            self._refused()
            raise

    def _refused(self) -> None:
        self.usable = self._proven  # a host in trouble may get over it

    def close(self) -> None:
        """End all that are idle, and those in use as soon as they are given back."""
        self._closed += 1
        self._shrink(0)

    def _take(self, config: SandboxConfig, files: FileMap) -> Template | None:
        if os.getpid() != self._process:  # those of the process that this one was forked from are not its own
            self._process, self._idle, self._lock = os.getpid(), [], threading.Lock()
        with self._lock:
            for at, (known, template) in enumerate(self._idle):
                if template.files is files and known == config and template.alive():
                    return self._idle.pop(at)[1]
        return None

    def _keep(self, entry: tuple[SandboxConfig, Template]) -> None:
        with self._lock:
            self._idle.append(entry)
        self._shrink(_IDLE)

    def _shrink(self, most: int) -> None:
        if os.getpid() != self._process:
            return
        with self._lock:
            old = max(len(self._idle) - most, 0)
            gone, self._idle = self._idle[:old], self._idle[old:]
        for _, template in gone:
            template.close()
