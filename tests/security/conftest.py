"""Fixtures of the security tests: the real sandboxes of this machine, and a program that watches from inside."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real_sandboxes import EACH, image_or_skip, open_or_skip

from icae_env.sandbox.base import Backend


@pytest.fixture(scope="session", params=EACH)
def attacked(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Return a real backend, or skip with the reason why it does not work here."""
    backend = open_or_skip(request.param)
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def bubblewrap() -> Iterator[Backend]:
    """Return the bubblewrap backend, or skip."""
    backend = open_or_skip("bubblewrap")
    yield backend
    backend.close()


@pytest.fixture
def attacked_image(attacked: Backend) -> str:
    """Return an image with bash and Python that the backend can run, or skip."""
    return "host" if attacked.name == "bubblewrap" else image_or_skip(attacked.name)
