"""Containers that are used again hold nothing of what came before."""

from __future__ import annotations

import os

import pytest

from icae_env.sandbox.base import Limits, SandboxConfig
from icae_env.sandbox.docker import DockerBackend

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root's containers are used again"),
]
_SYSV = "import ctypes; c = ctypes.CDLL(None); assert c.shmget(7, 4096, 0o1666) >= 0; assert c.msgget(7, 0o1666) >= 0"
_SOCKET = """
import socket
server = socket.create_server(("127.0.0.1", 8123))
client = socket.create_connection(("127.0.0.1", 8123))
peer = server.accept()[0]
peer.close(); client.recv(1); client.close()
"""
_QUEUE = """
import ctypes
c = ctypes.CDLL(None, use_errno=True)
assert c.mq_open(b"/left", 0o102, 0o666, None) >= 0, ctypes.get_errno()
"""


def _idle(backend: DockerBackend, config: SandboxConfig) -> list[str]:
    return [container.id for container in backend._idle.get(config.model_dump_json(), [])]


def test_container_is_used_again_and_is_clean(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    docker_backend.run_fresh(config, {}, ["true"])
    (first,) = _idle(docker_backend, config)
    for script in (
        "mkdir -p /tmp/a/b; touch /tmp/a/b/f; chmod 000 /tmp/a/b /tmp/a; chmod 000 /workspace; chmod 777 /home/agent",
        "for d in /workspace /tmp /var/tmp /run /home/agent /dev/shm; do echo x >$d/f; done; mkfifo /tmp/p; ln -s / /tmp/l",
        "printf x >$'/tmp/\\xff\\n'; chmod 000 /tmp; touch -d 2001-01-01 /workspace",
        "setfattr -n user.mark -v x /workspace 2>/dev/null; chmod 2777 /workspace",
    ):
        docker_backend.run_fresh(config, {"f": (b"x", 0o600)}, ["bash", "-c", script])
        assert _idle(docker_backend, config) == [first]
        look = "stat -c '%n %a %U' /workspace /home/agent /tmp /var/tmp /dev/shm /run;"
        look += "find /workspace /home/agent /tmp /var/tmp /dev/shm /run /dev/mqueue -mindepth 1"
        seen = docker_backend.run_fresh(config, {}, ["bash", "-c", look])
        assert seen.stdout.decode().splitlines() == [
            "/workspace 755 agent", "/home/agent 755 agent", "/tmp 1777 agent", "/var/tmp 1777 agent", "/dev/shm 1777 root",
            "/run 755 agent",
        ]  # fmt: skip
        assert seen.stderr == b""


def test_posix_queue_is_removed(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    result = docker_backend.run_fresh(config, {}, ["python3", "-c", _QUEUE])
    assert result.exit_code == 0, result
    assert docker_backend.run_fresh(config, {}, ["ls", "/dev/mqueue"]).stdout == b""


@pytest.mark.parametrize("script", [_SYSV, _SOCKET], ids=["system-v", "lingering-socket"])
def test_what_cannot_be_removed_ends_the_container(
    docker_backend: DockerBackend, config: SandboxConfig, script: str
) -> None:
    docker_backend.run_fresh(config, {}, ["true"])
    before = _idle(docker_backend, config)
    result = docker_backend.run_fresh(config, {}, ["python3", "-c", script])
    assert result.exit_code == 0, result
    assert len(_idle(docker_backend, config)) == len(before) - 1


def test_fork_bomb_and_time_limit_leave_nothing(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    small = config.model_copy(update={"limits": Limits(processes=64)})
    result = docker_backend.run_fresh(small, {}, ["bash", "-c", ":(){ :|:& };:; sleep 20"], timeout=1.0)
    assert result.exit_code != 0
    count = "ls -d /proc/[0-9]* | wc -l"
    assert int(docker_backend.run_fresh(small, {}, ["bash", "-c", count]).stdout) < 8


def test_network_containers_are_not_used_again(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    open_config = config.model_copy(update={"network": True})
    assert docker_backend.run_fresh(open_config, {}, ["echo", "x"]).stdout == b"x\n"
    assert _idle(docker_backend, open_config) == []
