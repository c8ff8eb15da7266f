"""Containers end with the process they belong to."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.docker import DockerBackend, janitor
from icae_env.sandbox.images.owner import owner

pytestmark = pytest.mark.docker
_PARENT = """
import sys, time
from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.docker import DockerBackend
backend = DockerBackend(pool=1)
config = SandboxConfig(image=sys.argv[1])
sandbox = backend.create(config)
sandbox.start()
backend.warm(config)
backend.run_fresh(config, {}, ["true"])
print("ready", flush=True)
if sys.argv[2] == "wait":
    time.sleep(60)
"""


@pytest.mark.parametrize("end", ["wait", "exit"], ids=["killed", "exited-without-close"])
def test_containers_die_with_their_process(
    docker_backend: DockerBackend, config: SandboxConfig, end: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, config.image, end], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        stamp = janitor.process_stamp(parent.pid)
        assert parent.stdout is not None and parent.stdout.readline() == b"ready\n"
        if end == "wait":
            assert len(janitor.owned(stamp)) >= 2
        parent.kill()
    deadline = time.monotonic() + 20
    while janitor.owned(stamp) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert janitor.owned(stamp) == {}


def test_stamp_is_the_label_that_images_use() -> None:
    assert janitor.process_stamp(os.getpid()) == owner()
    assert janitor.is_running(owner())
    assert (
        not janitor.is_running(f"{os.getpid()}:1")
        and not janitor.is_running("0:0")
        and not janitor.is_running("x")
    )


def test_strays_are_found_and_only_they_are_removed(
    docker_backend: DockerBackend, config: SandboxConfig
) -> None:
    with docker_backend.create(config) as sandbox:
        engine = docker_backend._connect()
        image, _ = engine.image(config.image)
        stray = engine.api.create_container(image, ["true"], labels={janitor.LABEL: f"{os.getpid()}:1"})["Id"]
        assert (stray, f"{os.getpid()}:1") in janitor.strays()
        assert janitor.remove_strays() >= 1
        assert stray not in janitor.owned() and janitor.strays() == []
        assert sandbox.run(["true"]).exit_code == 0


def test_janitor_runs_alone(docker_backend: DockerBackend) -> None:
    command = [sys.executable, "-I", "-S", "-B", janitor.__file__]
    assert subprocess.run([*command, "remove", "1:1"], env={}, check=False).returncode == 0
    assert subprocess.run([*command, "remove", "1:1", "/none"], env={}, check=False).returncode == 1
    assert subprocess.run(command, env={}, check=False).returncode == 2
