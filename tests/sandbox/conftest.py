"""Real sandboxes for the tests below this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from icae_env import registry
from icae_env.sandbox.base import Backend, Sandbox, SandboxConfig
from icae_env.sandbox.images import store

IMAGES = {"bubblewrap": "host", "docker": "base"}
"""The image each backend is tested on; docker has no host image."""


def open_or_skip(name: str) -> Backend:
    """Return a backend on this machine, or skip with the reason it cannot be used."""
    backend: Backend = registry.resolve("sandbox", name)()
    found = backend.availability()
    if not found.ok:
        backend.close()
        pytest.skip(f"{name}: {found.detail}")
    image = IMAGES[name]
    if image != "host" and store.find(image) is None:
        backend.close()
        pytest.skip(f"{name}: the image '{image}' is not built (icae images build {image})")
    return backend


@pytest.fixture(
    scope="module", params=[pytest.param(n, marks=getattr(pytest.mark, n)) for n in ("bubblewrap", "docker")]
)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each real backend in turn."""
    made = open_or_skip(request.param)
    yield made
    made.close()


@pytest.fixture
def config(backend: Backend) -> SandboxConfig:
    """The configuration that the backend is tested with."""
    return SandboxConfig(image=IMAGES[backend.name])


@pytest.fixture
def sandbox(backend: Backend, config: SandboxConfig) -> Iterator[Sandbox]:
    """A started sandbox."""
    with backend.create(config) as made:
        yield made
