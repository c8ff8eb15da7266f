"""The init and its spool are out of reach of what runs inside."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from icae_env.sandbox.base import Limits, SandboxConfig
from icae_env.sandbox.docker import DockerBackend
from icae_env.sandbox.docker.sandbox import DockerSandbox

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root's containers have an init of another user"),
]


def _bash(sandbox: DockerSandbox, script: str, timeout: float = 30.0):
    return sandbox.run(["bash", "-c", script], timeout=timeout)


def test_spool_and_init_cannot_be_read_or_written(sandbox: DockerSandbox) -> None:
    for command in (
        "ls /dev/icae", "cat /dev/icae/ctl", "echo x >/dev/icae/ctl", "rm -rf /dev/icae", "mv /dev/icae /dev/x",
        "cat /proc/1/environ", "ls /proc/1/fd", "ls /proc/1/root", "echo 1 >/proc/1/oom_score_adj", "cat /proc/1/mem",
    ):  # fmt: skip
        assert _bash(sandbox, command, timeout=5.0).exit_code != 0, command


def test_init_cannot_be_traced(sandbox: DockerSandbox) -> None:
    attach = "import ctypes, sys; sys.exit(-ctypes.CDLL(None).ptrace(16, 1, None, None))"  # PTRACE_ATTACH
    assert sandbox.run(["python3", "-c", attach]).exit_code == 1
    assert _bash(sandbox, "true").exit_code == 0


def test_programs_planted_on_the_path_run_without_privileges(sandbox: DockerSandbox) -> None:
    spy = b'#!/bin/bash\necho "$0 $(id -u)" >>/tmp/spied\nexec /usr/bin/${0##*/} "$@"\n'
    for name in ("env", "setsid", "setpriv", "mkfifo", "type", "echo", "bash"):
        sandbox.files.write(f"/home/agent/.local/bin/{name}", spy, mode=0o755)
    assert _bash(sandbox, "env true").exit_code == 0
    assert set(sandbox.files.read("/tmp/spied").decode().splitlines()) <= {
        f"/home/agent/.local/bin/{name} 1000" for name in ("bash", "env")
    }


def test_loader_variables_do_not_reach_the_init(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    loader = {"LD_PRELOAD": "/workspace/none.so", "BASH_ENV": "/workspace/rc", "ENV": "/workspace/rc"}
    with docker_backend.create(config.model_copy(update={"env": loader})) as sandbox:
        sandbox.files.write("/workspace/rc", b"id -u >>/tmp/users\n")
        result = _bash(sandbox, "true")
        assert result.exit_code == 0 and b"setpriv" not in result.stderr and b"setsid" not in result.stderr
        assert set(sandbox.files.read("/tmp/users").split()) == {b"1000"}


def test_init_lives_on_when_it_cannot_fork(docker_backend: DockerBackend, config: SandboxConfig) -> None:
    with docker_backend.create(config.model_copy(update={"limits": Limits(processes=24)})) as sandbox:
        hog = sandbox.open_pty(["bash", "-c", "while :; do sleep 100 & done 2>/dev/null"])
        time.sleep(0.5)
        for _ in range(3):
            begun = time.monotonic()
            sandbox.run(["true"], timeout=2.0)
            assert time.monotonic() - begun < 5
        hog.close()
        sandbox.kill_all()
        assert sandbox.alive() and _bash(sandbox, "echo ok").stdout == b"ok\n"


def test_a_command_given_up_before_it_began_never_runs(
    docker_backend: DockerBackend, config: SandboxConfig
) -> None:
    with docker_backend.create(config.model_copy(update={"limits": Limits(processes=24)})) as sandbox:
        hog = sandbox.open_pty(
            ["bash", "-c", "for i in $(seq 40); do sleep 100 & done 2>/dev/null; sleep 100"]
        )
        time.sleep(0.5)
        given_up = sandbox.run(["touch", "/workspace/late"], timeout=0.5)
        hog.close()
        assert sandbox.run(["true"], timeout=30.0).exit_code == 0
        time.sleep(0.5)
        assert given_up.exit_code == 0 or sandbox.files.list("/workspace") == []


def test_spool_is_empty_after_use(sandbox: DockerSandbox) -> None:
    _bash(sandbox, "exit 1")
    sandbox.run(["sleep", "9"], timeout=0.2, stdin=b"x")
    sandbox.open_pty(["true"]).close()
    init = sandbox._container.init  # type: ignore[union-attr]
    assert [entry.name for entry in Path(f"/proc/{init}/root/dev/icae").iterdir()] == ["ctl"]
