"""What only the bubblewrap backend has: the launcher, one-command sandboxes, its init."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from icae_env.errors import SandboxDiedError, SandboxStartError
from icae_env.sandbox import cgroups, process_tree
from icae_env.sandbox.base import Limits, SandboxConfig
from icae_env.sandbox.bubblewrap import BubblewrapBackend
from icae_env.sandbox.seccomp import filter_program

pytestmark = pytest.mark.bubblewrap


@pytest.fixture(scope="module")
def backend():
    made = BubblewrapBackend()
    found = made.availability()
    if not found.ok:
        pytest.skip(found.detail)
    yield made
    made.close()


def test_fresh_sandboxes_share_nothing(backend):
    files = {
        "run": (b"#!/bin/sh\ncat seen 2>/dev/null; echo x > seen; echo y > /tmp/seen; ls /tmp\n", 0o755),
        "empty/": (b"", 0),
    }
    for _ in range(3):
        done = backend.run_fresh(SandboxConfig(), files, ["./run"])
        assert (done.stdout, done.exit_code) == (b"seen\n", 0)


def test_many_files_are_shared_but_never_changed(backend):
    files = {f"lib/{n}": (b"%d" % n, 0o644) for n in range(50)}
    files["run"] = (
        b"#!/bin/sh\ncat lib/7; echo spoiled > lib/7; rm lib/8; ls lib | wc -l; touch lib/new\n",
        0o755,
    )
    for _ in range(3):
        done = backend.run_fresh(SandboxConfig(), files, ["./run"])
        assert done.stdout == b"749\n", done


def test_exit_codes_and_streams(backend):
    def run(script: str, **more):
        return backend.run_fresh(SandboxConfig(), {}, ["/bin/sh", "-c", script], **more)

    assert run("exit 7").exit_code == 7
    assert run("kill -9 $$").exit_code == 137
    assert run("kill -TERM $$").exit_code == 143
    assert backend.run_fresh(SandboxConfig(), {}, ["./nothing"]).exit_code == 127
    done = run("cat; echo err >&2", stdin=bytes(range(256)))
    assert (done.stdout, done.stderr) == (bytes(range(256)), b"err\n")
    begun = time.monotonic()
    assert run("trap '' TERM INT; sleep 60 & sleep 60", timeout=0.5).timed_out
    assert time.monotonic() - begun < 5
    assert run("yes", timeout=0.5, output_limit=1000).truncated
    assert run("(sleep 60; echo late) & echo now").stdout == b"now\n"


def test_killing_everything_inside_is_a_result(backend):
    assert (
        backend.run_fresh(SandboxConfig(), {}, ["/bin/bash", "-c", "kill -9 -1; kill -9 1; echo on"]).stdout
        == b"on\n"
    )


def test_a_kill_from_outside_is_an_error(backend):
    marker = f"{os.getpid()}77.5"
    failures: list[BaseException] = []

    def victim() -> None:
        try:
            backend.run_fresh(SandboxConfig(), {}, ["/bin/sleep", marker], timeout=30)
        except SandboxDiedError as error:
            failures.append(error)

    thread = threading.Thread(target=victim)
    thread.start()
    found = None
    deadline = time.monotonic() + 10
    while found is None and time.monotonic() < deadline:
        for each in process_tree.everything():
            try:
                with open(f"/proc/{each.pid}/cmdline", "rb") as file:
                    if file.read() == f"/bin/sleep\0{marker}\0".encode():
                        found = each
            except OSError:
                continue
    assert found is not None
    os.kill(found.parent, signal.SIGKILL)
    thread.join(20)
    assert len(failures) == 1


@pytest.mark.parametrize(
    "call",
    ["os.kill(1, 9)", "libc.ptrace(16, 1, 0, 0)", "open('/proc/1/mem', 'r+b')", "os.open('/proc/1/fd/5', 0)"],
)
def test_the_init_cannot_be_touched(backend, call):
    script = f"import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\ntry:\n    print({call})\nexcept OSError as e:\n    print('refused', e.errno)"
    with backend.create(SandboxConfig()) as box:
        done = box.run(["python3", "-c", script])
        assert done.stdout.strip() in {b"-1", b"refused 13", b"refused 1", b"None"}, done
        assert box.alive()


def test_capabilities_and_filter(backend):
    with backend.create(SandboxConfig()) as box:
        status = box.run(["cat", "/proc/self/status"]).stdout.decode()
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            assert f"{name}:\t0000000000000000" in status
        assert "NoNewPrivs:\t1" in status
        assert "Seccomp:\t2" in status
        assert sorted(box.run(["ls", "/proc/self/fd"]).stdout.split()) == [b"0", b"1", b"2", b"3"]
        for command in ("unshare -Ur true", "mount -t tmpfs x /tmp", "unshare -n true"):
            assert box.run(["/bin/sh", "-c", command]).exit_code != 0


def test_filter_is_well_formed():
    for machine in ("x86_64", "aarch64"):
        program = filter_program(machine)
        assert len(program) % 8 == 0
        steps = len(program) // 8
        for index in range(steps):
            code, true, false = (
                int.from_bytes(program[index * 8 : index * 8 + 2], sys.byteorder),
                program[index * 8 + 2],
                program[index * 8 + 3],
            )
            if code & 7 == 5:
                assert index + 1 + max(true, false) < steps


def test_processes_and_files_are_bounded(backend):
    config = SandboxConfig(limits=Limits(processes=40, workspace=2 << 20, file=1 << 20))
    with backend.create(config) as box:
        done = box.run(["bash", "-c", "for i in $(seq 100); do sleep 5 & done; wait"], timeout=20)
        assert b"esource temporarily unavailable" in done.stderr
        box.kill_all()
        assert box.run(["sh", "-c", "head -c 3000000 /dev/zero > a"]).exit_code != 0
        assert box.files.stat("/workspace/a").size == 1 << 20
        box.run(["sh", "-c", "for i in 1 2 3 4; do head -c 900000 /dev/zero > b$i; done"])
        assert (
            sum(box.files.stat(f"/workspace/{name}").size for name in box.files.list("/workspace")) <= 2 << 20
        )


@pytest.mark.skipif(cgroups.parent() is None, reason="no control group can be made here")
def test_memory_is_bounded_and_the_init_survives(backend):
    config = SandboxConfig(limits=Limits(memory=64 << 20))
    with backend.create(config) as box:
        box.run(
            [
                "sh",
                "-c",
                "head -c 100000000 /dev/zero > /workspace/fill; head -c 100000000 /dev/zero > /tmp/fill",
            ]
        )
        hog = "import os\nwhile True:\n    if os.fork() == 0:\n        a = []\n        while True: a.append(bytearray(1 << 20))"
        for _ in range(3):
            box.run(["python3", "-c", hog], timeout=2)
            box.kill_all()
        assert box.alive()
        box.files.remove("/workspace/fill")
        assert box.run(["echo", "ok"]).stdout == b"ok\n"


def test_start_failure_is_clear_and_leaves_nothing(backend):
    with pytest.raises(Exception, match="no-such-image"):
        backend.create(SandboxConfig(image="no-such-image"))
    box = backend.create(SandboxConfig())
    box.start()
    with pytest.raises(SandboxStartError):
        box.start()
    box.close()
    box.close()
    with pytest.raises(SandboxDiedError):
        box.run(["true"])


def test_a_sandbox_outlives_the_thread_that_started_it(backend):
    made = []

    def start() -> None:
        box = backend.create(SandboxConfig())
        box.start()
        made.append(box)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    time.sleep(0.2)
    assert made[0].run(["echo", "alive"]).stdout == b"alive\n"
    made[0].close()


def test_nothing_is_left_when_the_parent_is_killed():
    marker = f"{os.getpid()}88.5"
    program = (
        "import sys, time\n"
        "from icae_env.sandbox.bubblewrap import BubblewrapBackend\n"
        "from icae_env.sandbox.base import SandboxConfig\n"
        "from icae_env.sandbox.shell import Shell\n"
        "boxes = [BubblewrapBackend().create(SandboxConfig()) for _ in range(3)]\n"
        "for box in boxes:\n"
        "    box.start()\n"
        f"    Shell(box).run('sleep {marker} & setsid sleep {marker} & true')\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        assert _count(marker) >= 3
        parent.kill()
    deadline = time.monotonic() + 5
    while _count(marker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _count(marker) == 0


def _count(marker: str) -> int:
    found = 0
    for each in process_tree.everything():
        try:
            with open(f"/proc/{each.pid}/cmdline", "rb") as file:
                found += file.read() == f"sleep\0{marker}\0".encode()
        except OSError:
            continue
    return found
