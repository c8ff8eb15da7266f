"""Processes inside that attack whatever joins their sandbox: they harm their own sandbox and no other."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from icae_env.sandbox import process_tree
from icae_env.sandbox.base import Backend, Sandbox, SandboxConfig
from icae_env.sandbox.openat2 import acting_as

pytestmark = pytest.mark.bubblewrap

HUNTER = b"""
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    if (fork()) return 0;
    setsid();
    for (;;) kill(-1, atoi(words[1]));
}
"""
WATCHER = r"""
import os, sys, time
seen = set()
end = time.monotonic() + 3
while time.monotonic() < end:
    for pid in os.listdir("/proc"):
        if not pid.isdigit() or int(pid) <= os.getpid():
            continue
        try:
            seen.add(open(f"/proc/{pid}/cmdline", "rb").read())
        except OSError:
            pass
        for name in ("exe", "root", "cwd", "fd/0", "fd/3"):
            try:
                seen.add(os.readlink(f"/proc/{pid}/{name}").encode())
            except OSError:
                pass
        for name in ("environ", "maps", "mem"):
            try:
                seen.add(open(f"/proc/{pid}/{name}", "rb").read(200000))
            except OSError:
                pass
sys.stdout.buffer.write(b"\n".join(sorted(seen)))
"""


@pytest.fixture
def hunted(bubblewrap: Backend) -> Iterator[Sandbox]:
    """Return a sandbox that holds ``/workspace/hunter``."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc on this machine; a slower attacker proves nothing.")
    with bubblewrap.create(SandboxConfig()) as sandbox:
        sandbox.files.write("/workspace/hunter.c", HUNTER)
        built = sandbox.run(["gcc", "-O2", "-o", "hunter", "hunter.c"])
        assert built.exit_code == 0, built
        yield sandbox


def gone(sandbox: Sandbox) -> bool:
    """Return whether the hunter ends; what is killed is listed until the init has reaped it."""
    for _ in range(40):
        if sandbox.run(["pgrep", "hunter"]).exit_code == 1:
            return True
        time.sleep(0.05)
    return False


def test_stopping_whatever_enters_holds_up_no_other_sandbox(bubblewrap: Backend, hunted: Sandbox) -> None:
    hunted.run(["./hunter", "19"], timeout=1.0)
    with bubblewrap.create(SandboxConfig()) as other:
        begun = time.monotonic()
        assert hunted.run(["true"], timeout=1.0).exit_code in (0, 124, 137)
        assert time.monotonic() - begun < 20
        for _ in range(20):
            assert other.run(["true"], timeout=5.0).exit_code == 0
        hunted.kill_all()
        assert gone(hunted)


def test_killing_whatever_enters_does_not_survive_kill_all(hunted: Sandbox) -> None:
    for _ in range(3):
        hunted.run(["./hunter", "9"], timeout=1.0)
        hunted.kill_all()
        assert gone(hunted)


def test_the_last_resort_kills_all_but_the_init(hunted: Sandbox) -> None:
    hunted.run(["./hunter", "9"], timeout=1.0)
    process_tree.kill_namespace(hunted.init)
    assert hunted.alive()
    assert gone(hunted)


def test_a_watcher_sees_nothing_of_the_host(bubblewrap: Backend) -> None:
    """While commands enter, their process is looked at from inside in every way /proc offers."""
    with bubblewrap.create(SandboxConfig()) as sandbox:
        sandbox.files.write("/workspace/watch.py", WATCHER.encode())
        sandbox.run(["sh", "-c", "python3 watch.py >seen 2>&1 &"])
        for _ in range(300):
            sandbox.run(["/bin/true", "marker"])
        time.sleep(3)
        seen = sandbox.files.read("/workspace/seen")
    assert b"marker" in seen  # it did watch
    for sign in (b"server.main", b"sys.argv", b"icae", b"-I\0-S", b"/launch"):
        assert sign not in seen, [line for line in seen.split(b"\n") if sign in line]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its identity")
def test_the_host_reaches_into_a_sandbox_without_capabilities() -> None:
    def held() -> set[str]:
        lines = Path("/proc/thread-self/status").read_text().splitlines()
        return {line for line in lines if line.startswith(("CapEff", "Uid"))}

    before = held()
    with ThreadPoolExecutor(1) as another_thread:
        another_thread.submit(held).result()
        with acting_as(65_533, 65_533):
            inside = held()
            other = another_thread.submit(held).result()
    assert "CapEff:\t0000000000000000" in inside
    assert any(line.split()[-1] == "65533" for line in inside)
    assert held() == other == before
