from __future__ import annotations

from collections.abc import Iterator

import pytest

from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.docker import DockerBackend
from icae_env.sandbox.docker.sandbox import DockerSandbox
from icae_env.sandbox.images import store

IMAGE = next((name for name in ("base", "python") if store.find(name)), "base")


@pytest.fixture(scope="module")
def docker_backend() -> Iterator[DockerBackend]:
    backend = DockerBackend()
    try:
        availability = backend.availability()
        if not availability.ok:
            pytest.skip(f"docker: {availability.detail} {availability.mend or ''}")
        yield backend
    finally:
        backend.close()


@pytest.fixture
def config() -> SandboxConfig:
    return SandboxConfig(image=IMAGE)


@pytest.fixture
def sandbox(docker_backend: DockerBackend, config: SandboxConfig) -> Iterator[DockerSandbox]:
    with docker_backend.create(config) as sandbox:
        yield sandbox
