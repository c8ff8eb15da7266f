"""The sandbox contract on docker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from icae_env.registry import resolve
from icae_env.sandbox.base import Backend, Sandbox
from icae_env.sandbox.conformance import SandboxConformance
from icae_env.sandbox.docker.limits import identity
from icae_env.sandbox.images import store


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    backend = resolve("sandbox", "docker")()
    try:
        availability = backend.availability()
        if not availability.ok:
            pytest.skip(f"docker: {availability.detail} {availability.mend or ''}")
        yield backend
    finally:
        backend.close()


@pytest.mark.docker
class TestDocker(SandboxConformance):
    image = next((name for name in ("base", "python") if store.find(name)), "base")
    uid = identity()[0]

    @pytest.fixture
    def sandbox(self, backend: Backend) -> Iterator[Sandbox]:
        with backend.create(self.config()) as sandbox:
            yield sandbox
