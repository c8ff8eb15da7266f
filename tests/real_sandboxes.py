"""The real sandboxes of this machine, for all tests: opened, or the test is skipped and says why."""

from __future__ import annotations

import pytest

from icae_env import registry
from icae_env.sandbox.base import Backend
from icae_env.sandbox.images import store

NAMES = ("bubblewrap", "docker")
EACH = [pytest.param(name, marks=getattr(pytest.mark, name)) for name in NAMES]
"""Parameters of a fixture that gives each of them in turn."""


def open_or_skip(name: str) -> Backend:
    """Return a backend, which the caller closes; skip where it does not work."""
    backend: Backend = registry.resolve("sandbox", name)()
    found = backend.availability()
    if not found.ok:
        backend.close()
        pytest.skip(f"{name}: {found.detail} Mend: {found.mend}")
    return backend


def works_or_skip(name: str) -> None:
    """Skip where a backend does not work."""
    open_or_skip(name).close()


def image_or_skip(name: str, image: str = "python") -> str:
    """Return the image to run a backend on: ``host`` for bubblewrap where the image is not built; docker skips then."""
    if image == "host" or store.find(image) is not None:
        return image
    if name == "docker":
        pytest.skip(f"the image '{image}' is not built; mend: icae images build {image}")
    return "host"


def place_or_skip(name: str, image: str = "python") -> dict[str, str]:
    """Return the keyword arguments of ``make_env`` that choose a backend and an image; skip where they do not work."""
    works_or_skip(name)
    return {"sandbox": name, "image": image_or_skip(name, image)}
