"""Fixtures of the tests of served references: one for each real sandbox that works on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real_sandboxes import EACH, image_or_skip, open_or_skip
from reference_programs import reference
from served import Served, served

from icae_env.sandbox.base import Backend


@pytest.fixture(scope="session", params=EACH)
def real(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Return a real backend, or skip with the reason why it does not work here."""
    backend = open_or_skip(request.param)
    yield backend
    backend.close()


@pytest.fixture
def image(real: Backend) -> str:
    """Return an image with bash that the backend can run, or skip."""
    return image_or_skip(real.name, "base")


@pytest.fixture
def box(real: Backend, image: str) -> Iterator[Served]:
    """Return a sandbox in which the tests' reference is served."""
    with served(real, image, reference(static=False)) as made:
        yield made
