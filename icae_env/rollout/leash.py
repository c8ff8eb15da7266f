"""A backend whose running sandboxes can be ended from another thread, for a run that is stopped."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from icae_env.errors import ICAEError, SandboxError
from icae_env.sandbox.base import Availability, Backend, Companion, Completed, Limits, Sandbox, SandboxConfig


class Leash:
    """Hand every call on to a backend, and remember what it made.

    Args:
        backend: The backend, which stays its owner's to close.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.name = backend.name
        self._lock = threading.Lock()
        self._made: weakref.WeakSet[Any] = weakref.WeakSet()
        self._stopped = False

    def availability(self) -> Availability:
        """Probe the backend."""
        return self._backend.availability()

    def create(self, config: SandboxConfig) -> Sandbox:
        """Return a sandbox.

        Raises:
            SandboxError: The run was stopped.
        """
        self._check()
        sandbox = self._backend.create(config)
        with self._lock:
            self._made.add(sandbox)
        return sandbox

    def run_fresh(
        self,
        config: SandboxConfig,
        files: Mapping[str, tuple[bytes, int]],
        argv: Sequence[str],
        **options: Any,
    ) -> Completed:
        """Run one command in a sandbox of its own.

        Raises:
            SandboxError: The run was stopped.
        """
        self._check()
        return self._backend.run_fresh(config, files, argv, **options)

    def create_beside(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str, limits: Limits
    ) -> Companion:
        """Return a companion.

        Raises:
            SandboxError: The run was stopped.
        """
        self._check()
        return self._backend.create_beside(sandbox, files, program, limits)

    def place_program(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str
    ) -> PurePosixPath:
        """Place a program in a sandbox.

        Raises:
            SandboxError: The run was stopped.
        """
        self._check()
        return self._backend.place_program(sandbox, files, program)

    def stop(self) -> None:
        """End every sandbox; whoever waits for one of them gets an error."""
        with self._lock:
            self._stopped = True
            made = list(self._made)
        for sandbox in made:
            # Its user may be closing it at this moment; and one that cannot be closed must not keep the others.
            with contextlib.suppress(ICAEError, OSError):
                sandbox.close()

    def close(self) -> None:
        """Do nothing: the backend is its owner's."""

    def _check(self) -> None:
        if self._stopped:
            raise SandboxError("The run was stopped.")
