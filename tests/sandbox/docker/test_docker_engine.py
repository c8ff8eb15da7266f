"""What is wrong on the host is said, with what mends it."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from icae_env.errors import ConfigError, SandboxStartError, SandboxUnavailableError
from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.docker import DockerBackend, janitor
from icae_env.sandbox.images.owner import owner


def _refusal(monkeypatch: pytest.MonkeyPatch, host: str) -> str:
    monkeypatch.setenv("DOCKER_HOST", host)
    backend = DockerBackend()
    availability = backend.availability()
    assert not availability.ok and availability.mend
    with pytest.raises(SandboxUnavailableError):
        backend.create(SandboxConfig(image="base"))
    return availability.detail


def test_remote_daemon_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "remote" in _refusal(monkeypatch, "tcp://192.0.2.1:2375")
    assert janitor.socket_path() is None and janitor.strays() == []


def test_missing_socket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "no daemon socket" in _refusal(monkeypatch, f"unix://{tmp_path}/none")


def test_socket_without_a_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{tmp_path}/sock")
    assert "no daemon answers" in _refusal(monkeypatch, f"unix://{tmp_path}/sock")


def test_sdk_is_imported_on_first_use_only() -> None:
    import subprocess

    code = "import sys, icae_env.sandbox.docker; assert 'docker' not in sys.modules and 'requests' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.docker
def test_host_image_names_the_mend(docker_backend: DockerBackend) -> None:
    with pytest.raises(ConfigError, match="icae images build python"):
        docker_backend.create(SandboxConfig(image="host"))


@pytest.mark.docker
def test_unknown_image_names_the_mend(docker_backend: DockerBackend) -> None:
    with pytest.raises(ConfigError, match="icae images build no-such-image"):
        docker_backend.create(SandboxConfig(image="no-such-image"))


@pytest.mark.docker
def test_image_without_bash_is_refused_and_leaves_nothing(
    docker_backend: DockerBackend, tmp_path: Path
) -> None:
    import io
    import tarfile

    engine = docker_backend._connect()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    engine.api.import_image_from_data(buffer.getvalue(), "icae_env_test/empty", "1")
    mine = owner()
    before = janitor.owned(mine)
    try:
        with pytest.raises(SandboxStartError):
            docker_backend.create(SandboxConfig(image="icae_env_test/empty:1")).start()
        assert janitor.owned(mine) == before
    finally:
        engine.api.remove_image("icae_env_test/empty:1", force=True)
