"""Who is to blame when a call or the second sandbox ends: the program's own doing, its limits, the host."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from reference_programs import reference
from served import Served, oracle_task, served

from icae_env.errors import ConfigError, SandboxDiedError
from icae_env.sandbox.base import MIB, Backend
from icae_env.sandbox.recipes import PLACE

SCRIPT = b"#!/bin/sh\necho hidden\n"


def test_a_call_has_a_time_limit(real: Backend, image: str) -> None:
    with served(real, image, reference(), spec=oracle_task(seconds=0.5)) as box:
        done = box.run("./executable hold; echo $?")
        assert done.stdout.endswith(b"holding\n124\n") and b"ended after 0.5 seconds" in done.stderr
        assert [probe.exit_code for probe in box.probes()] == [124]


def test_memory_is_bounded_and_the_next_call_works(real: Backend, image: str) -> None:
    with served(real, image, reference(), memory=128 * MIB) as box:
        assert box.run("./executable eat; echo $?").stdout in (b"137\n", b"1\n")
        assert box.text("./executable args") == "[./executable]\n[args]\n"


def test_processes_are_bounded(box: Served) -> None:
    text = box.text(
        "./executable sh 'for n in $(seq 300); do sleep 1 & done; echo over' 2>&1 | tail -n 1; ./executable args x"
    )
    assert text.endswith("[./executable]\n[args]\n[x]\n")
    assert "over" not in text


def test_a_second_sandbox_that_is_killed_from_outside_is_the_hosts_failure(box: Served) -> None:
    before = _inits()
    done = box.run("./executable hold > out & until grep -q holding out; do sleep 0.02; done; cat out")
    assert done.exit_code == 0
    (init,) = _inits() - before
    os.kill(init, signal.SIGKILL)
    box.run("./executable args")
    with pytest.raises(SandboxDiedError, match="from outside"):
        box.serving.check()


def _inits() -> set[int]:
    """Return the host's numbers of the first processes of second sandboxes that run the program now."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and str((folder / "exe").readlink()) == str(PLACE / "executable"):
                found.add(int((folder / "stat").read_text().rpartition(")")[2].split()[1]))
        except OSError:
            continue
    return found


def test_scripts_are_refused(real: Backend, image: str) -> None:
    with pytest.raises(ConfigError, match="is a script"), served(real, image, SCRIPT):
        pass


def test_directly_only_what_no_loader_opens(real: Backend, image: str) -> None:
    with (
        pytest.raises(ConfigError, match="linked dynamically"),
        served(real, image, reference(static=False), spec=oracle_task(mode="direct")),
    ):
        pass
    spec = oracle_task(mode="direct", allow_dynamic=True)
    with served(real, image, reference(static=False), spec=spec) as box:
        assert box.text("./executable args; ls docs") == "[./executable]\n[args]\nREADME\n"


def test_nothing_is_left_behind(real: Backend, image: str) -> None:
    inits = _inits()
    threads = set(Path("/proc/self/task").iterdir())
    fds = len(os.listdir("/proc/self/fd"))
    with served(real, image, reference()) as box:
        assert box.text("./executable args; (./executable hold &) ; sleep 0.2").startswith("[./executable]")
    assert str(PLACE) not in Path("/proc/self/mountinfo").read_text()
    assert set(Path("/proc/self/task").iterdir()) <= threads
    assert len(os.listdir("/proc/self/fd")) <= fds
    assert _inits() <= inits
