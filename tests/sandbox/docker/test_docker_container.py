"""What a container is, and who is to blame when it ends."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from icae_env.errors import SandboxDiedError
from icae_env.sandbox.base import MIB, Limits, SandboxConfig
from icae_env.sandbox.docker import DockerBackend, janitor
from icae_env.sandbox.docker.limits import writable_places
from icae_env.sandbox.docker.sandbox import DockerSandbox

pytestmark = pytest.mark.docker


def _container(sandbox: DockerSandbox):
    container = sandbox._container
    assert container is not None
    return container


def test_settings_of_the_container(sandbox: DockerSandbox) -> None:
    container = _container(sandbox)
    facts = container.engine.api.inspect_container(container.id)
    host = facts["HostConfig"]
    assert host["NetworkMode"] == "none" and host["CapDrop"] == ["ALL"] and host["ReadonlyRootfs"]
    assert "no-new-privileges" in host["SecurityOpt"] and host["LogConfig"]["Type"] == "none"
    assert (host["PidsLimit"], host["Memory"], host["MemorySwap"]) == (512, 2048 * MIB, 2048 * MIB)
    assert facts["Config"]["Labels"][janitor.LABEL] == janitor.process_stamp(os.getpid())
    assert facts["Mounts"] == []


def test_variables_do_not_show_in_inspect(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    with docker_backend.create(config.model_copy(update={"env": {"TOKEN": "s3cret"}})) as sandbox:
        assert sandbox.run(["sh", "-c", "echo $TOKEN"]).stdout == b"s3cret\n"
        container = _container(sandbox)
        assert "s3cret" not in str(container.engine.api.inspect_container(container.id))


def test_writable_places_shrink_to_fit_a_small_memory() -> None:
    usual, small = writable_places(Limits()), writable_places(Limits(memory=64 * MIB))
    assert usual["/workspace"] == 1024 * MIB
    assert sum(small.values()) < 64 * MIB and min(small.values()) >= MIB


def test_nothing_is_left_in_docker_after_close(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    before = set(janitor.owned(janitor.process_stamp(os.getpid())))
    with docker_backend.create(config) as sandbox:
        sandbox.run(["true"])
        assert len(set(janitor.owned(janitor.process_stamp(os.getpid()))) - before) == 1
    assert set(janitor.owned(janitor.process_stamp(os.getpid()))) == before


def test_descriptors_are_given_back(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    def count() -> int:
        # The SDK keeps up to 25 idle connections to the daemon.
        links = (str(entry.readlink()) for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink())
        return sum(1 for link in links if not link.startswith("socket:"))

    with docker_backend.create(config) as sandbox:
        sandbox.run(["true"])
    before = count()
    with docker_backend.create(config) as sandbox:
        inside = count()
        for _ in range(20):
            sandbox.run(["true"], stdin=b"x")
            sandbox.open_pty(["true"]).close()
        assert count() <= inside + 1
        sandbox.open_pty(["cat"])
    assert count() <= before + 1


def test_removed_from_outside_is_an_error(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    with docker_backend.create(config) as sandbox:
        process = sandbox.open_pty(["cat"])
        container = _container(sandbox)
        container.engine.api.remove_container(container.id, force=True)
        assert not sandbox.alive() and process.poll() == 137
        with pytest.raises(SandboxDiedError, match="removed from outside"):
            sandbox.run(["true"])
        with pytest.raises(SandboxDiedError):
            sandbox.open_pty(["true"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's containers have an init of another user")
def test_killed_from_outside_is_an_error(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    with docker_backend.create(config) as sandbox:
        os.kill(_container(sandbox).init, signal.SIGKILL)
        with pytest.raises(SandboxDiedError, match="from outside"):
            while sandbox.alive():
                time.sleep(0.01)
            sandbox.run(["true"])


def test_running_out_of_memory_with_small_processes_spares_the_init(
    docker_backend: DockerBackend, config: SandboxConfig
) -> None:
    limits = Limits(memory=32 * MIB, processes=512)
    script = "head -c 100M /dev/zero >/workspace/big; for i in $(seq 500); do sleep 60 & done; echo started"
    with docker_backend.create(config.model_copy(update={"limits": limits})) as sandbox:
        sandbox.run(["bash", "-c", script], timeout=10)
        sandbox.kill_all()
        assert sandbox.alive()
        sandbox.files.remove("/workspace/big")
        assert sandbox.run(["echo", "ok"], timeout=20).stdout == b"ok\n"
