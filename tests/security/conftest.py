"""Fixtures of the security tests: the real sandboxes of this machine, and a program that watches from inside."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from icae_env import registry
from icae_env.sandbox.base import Backend
from icae_env.sandbox.images import store


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
        pytest.param("docker", marks=pytest.mark.docker),
    ],
)
def attacked(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Return a real backend, or skip with the reason why it does not work here."""
    backend: Backend = registry.resolve("sandbox", request.param)()
    state = backend.availability()
    if not state.ok:
        pytest.skip(f"{request.param}: {state.detail} Mend: {state.mend}")
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def bubblewrap() -> Iterator[Backend]:
    """Return the bubblewrap backend, or skip."""
    backend: Backend = registry.resolve("sandbox", "bubblewrap")()
    state = backend.availability()
    if not state.ok:
        pytest.skip(f"bubblewrap: {state.detail} Mend: {state.mend}")
    yield backend
    backend.close()


@pytest.fixture
def attacked_image(attacked: Backend) -> str:
    """Return an image with bash and Python that the backend can run, or skip."""
    if attacked.name == "bubblewrap":
        return "host"
    if store.find("python") is None:
        pytest.skip("the image 'python' is not built; mend: icae images build python")
    return "python"
