"""Warm containers."""

from __future__ import annotations

import os
import time

import pytest

from icae_env.errors import ConfigError
from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.docker import DockerBackend, janitor

pytestmark = pytest.mark.docker


def _mine() -> set[str]:
    return set(janitor.owned(janitor.process_stamp(os.getpid())))


def test_start_from_the_pool_takes_a_warm_container(
    docker_backend: DockerBackend, config: SandboxConfig
) -> None:
    before = _mine()
    backend = DockerBackend(pool=2)
    try:
        assert backend.warm(config)
        warm = _mine() - before
        assert len(warm) == 2
        begun = time.perf_counter()
        with backend.create(config) as sandbox:
            taken = time.perf_counter() - begun
            assert sandbox._container is not None and sandbox._container.id in warm
            assert sandbox.run(["echo", "x"]).stdout == b"x\n"
            assert backend.warm(config), "the pool fills again"
        assert taken < 0.1
    finally:
        backend.close()
    assert _mine() == before


def test_a_dead_warm_container_is_not_handed_out(
    docker_backend: DockerBackend, config: SandboxConfig
) -> None:
    backend = DockerBackend(pool=1)
    before = _mine()
    try:
        assert backend.warm(config)
        (warm,) = _mine() - before
        backend._connect().api.remove_container(warm, force=True)
        with backend.create(config) as sandbox:
            assert sandbox.run(["true"]).exit_code == 0
    finally:
        backend.close()


def test_pools_of_many_configurations_are_bounded(
    docker_backend: DockerBackend, config: SandboxConfig
) -> None:
    backend = DockerBackend(pool=1)
    before = _mine()
    try:
        for number in range(6):
            assert backend.warm(config.model_copy(update={"env": {"N": str(number)}}))
        time.sleep(0.3)
        assert len(_mine() - before) <= 5
    finally:
        backend.close()
    assert _mine() == before


def test_pool_size_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ICAE_DOCKER_POOL", "3")
    assert DockerBackend()._pool._size == 3
    monkeypatch.setenv("ICAE_DOCKER_POOL", "many")
    with pytest.raises(ConfigError, match="ICAE_DOCKER_POOL"):
        DockerBackend()
