"""Choose what an environment runs on: the sandbox backend and the image."""

from __future__ import annotations

import os
import threading
from typing import cast

from icae_env import registry
from icae_env.errors import SandboxUnavailableError
from icae_env.sandbox.base import Backend

AUTO = "auto"
HOST = "host"
AUTO_ORDER = ("bubblewrap", "docker")
"""Backends that ``auto`` tries, the first that works is taken."""
_WITHOUT_HOST = ("docker",)


def check_sandbox(name: str) -> None:
    """Check that a name stands for a backend, without importing it.

    Raises:
        UnknownNameError: It does not; the valid names are listed.
    """
    if name != AUTO:
        registry.target("sandbox", name)


def open_backend(name: str = AUTO) -> Backend:
    """Return a new backend, which the caller closes.

    Args:
        name: Registered name, ``module:Class``, or ``auto``.

    Raises:
        UnknownNameError: There is no such backend.
        SandboxUnavailableError: ``auto`` finds none that works here; it says why and what to do.
    """
    if name != AUTO:
        return cast(Backend, registry.resolve("sandbox", name)())
    reasons = []
    for candidate in AUTO_ORDER:
        backend = cast(Backend, registry.resolve("sandbox", candidate)())
        found = backend.availability()
        if found.ok:
            return backend
        backend.close()
        reasons.append(f"{candidate}: {found.detail}" + (f" (mend: {found.mend})" if found.mend else ""))
    raise SandboxUnavailableError(AUTO, "; ".join(reasons), mend="icae doctor")


def choose_image(image: str, wanted: str, backend: str) -> str:
    """Return the image to run on.

    Args:
        image: Name of an image, or ``auto``: the task's image where it is built, else ``host``.
        wanted: The task's image.
        backend: Name of the sandbox backend; docker has no ``host`` image.

    Raises:
        UnknownNameError: No such image is defined.
        ConfigError: It is defined but not built.
    """
    from icae_env.sandbox.images import store  # noqa: PLC0415 - not needed before the first episode

    if image == AUTO:
        built = wanted == HOST or store.find(wanted) is not None
        image = wanted if built or backend in _WITHOUT_HOST else HOST
    if image != HOST:
        store.resolve(image)
    return image


class SharedBackends:
    """Backends shared by the environments of one process; each is closed when its last user gives it back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[int, str], tuple[Backend, int]] = {}

    def borrow(self, name: str) -> Backend:
        """Return the process's backend of that name."""
        key = (os.getpid(), name)  # a forked child must not use its parent's connections
        with self._lock:
            backend, users = self._open.get(key) or (open_backend(name), 0)
            self._open[key] = (backend, users + 1)
            return backend

    def give_back(self, backend: Backend) -> None:
        """Take a backend back and close it if nobody else uses it."""
        with self._lock:
            for key, (held, users) in list(self._open.items()):
                if held is not backend:
                    continue
                if users > 1:
                    self._open[key] = (held, users - 1)
                    return
                del self._open[key]
                if key[0] == os.getpid():
                    held.close()

    def after_fork(self) -> None:
        """Make the lock usable in a forked child."""
        self._lock = threading.Lock()


BACKENDS = SharedBackends()
os.register_at_fork(after_in_child=BACKENDS.after_fork)
