"""What a graded submission holds when it starts: no way to the host's files, no right over its sandbox's init."""

from __future__ import annotations

import os
import threading
import time

import pytest

from icae_env.sandbox.base import Backend, SandboxConfig
from icae_env.sandbox.bubblewrap import BubblewrapBackend

FEW = {"run": (b"", 0o755)}
MANY = {f"lib/{number}": (b"x", 0o644) for number in range(20)}
FILES = pytest.mark.parametrize("files", [FEW, MANY], ids=["written", "overlaid"])
ESCAPE = r"""
import os
for name in os.listdir("/proc/self/fd"):
    up = f"/proc/self/fd/{name}/../../../../../.."
    if int(name) > 2 and os.path.isdir(up):
        print(name, os.readlink(f"/proc/self/fd/{name}"), sorted(os.listdir(up)))
"""
TRACE = r"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print([libc.ptrace(16, 1, None, None), ctypes.get_errno()])  # PTRACE_ATTACH
for name in ("root", "cwd", "fd/0", "fd/4", "exe"):
    try:
        print(os.readlink(f"/proc/1/{name}"))
    except OSError as error:
        print(type(error).__name__)
"""


@FILES
def test_no_descriptor_leads_out(attacked: Backend, attacked_image: str, files: dict) -> None:
    done = attacked.run_fresh(SandboxConfig(image=attacked_image), files, ["python3", "-c", ESCAPE])
    assert (done.exit_code, done.stdout) == (0, b""), done


@FILES
def test_the_init_cannot_be_traced(attacked: Backend, attacked_image: str, files: dict) -> None:
    done = attacked.run_fresh(SandboxConfig(image=attacked_image), files, ["python3", "-c", TRACE])
    assert done.stdout.splitlines() == [b"[-1, 1]", *[b"PermissionError"] * 5], done


def test_no_capability_is_held(attacked: Backend, attacked_image: str) -> None:
    command = ["grep", "-E", "^Cap(Inh|Prm|Eff|Amb)|^NoNewPrivs", "/proc/self/status"]
    expected = {b"0000000000000000", b"1"}
    config = SandboxConfig(image=attacked_image)
    graded = attacked.run_fresh(config, FEW, command).stdout
    with attacked.create(config) as sandbox:
        episode = sandbox.run(command).stdout
    for shown in (graded, episode):
        assert len(shown.splitlines()) == 5
        assert {line.split()[1] for line in shown.splitlines()} == expected, shown


def test_no_user_namespace_can_be_made(attacked: Backend, attacked_image: str) -> None:
    command = ["sh", "-c", "unshare -U true; unshare -Ur true; unshare -n true; nsenter -t 1 -m true; exit 0"]
    done = attacked.run_fresh(SandboxConfig(image=attacked_image), FEW, command)
    assert len(done.stderr.strip().splitlines()) >= 4, done


@pytest.mark.bubblewrap
@FILES
def test_a_bubblewrap_of_its_own_holds_as_little(bubblewrap: Backend, files: dict) -> None:
    """Where the kernel lets no template make sandboxes."""
    own = BubblewrapBackend()
    own._templates.usable = False
    try:
        done = own.run_fresh(SandboxConfig(), files, ["python3", "-c", ESCAPE + TRACE])
        status = own.run_fresh(
            SandboxConfig(), files, ["grep", "-E", "^Cap(Inh|Prm|Eff|Amb)", "/proc/self/status"]
        )
    finally:
        own.close()
    assert done.stdout.splitlines() == [b"[-1, 1]", *[b"PermissionError"] * 5], done
    assert {line.split()[1] for line in status.stdout.splitlines()} == {b"0000000000000000"}


@pytest.mark.bubblewrap
def test_unpacked_submissions_stay_while_they_are_used(bubblewrap: Backend) -> None:
    """More submissions at once than copies are kept: none may lose its files while it runs."""
    gate = threading.Barrier(9)
    outputs: list[bytes] = []

    def grade(number: int) -> None:
        files = {f"lib/{n}": (b"%d" % number, 0o644) for n in range(20)}
        gate.wait()
        for _ in range(3):
            script = f"sleep 0.2; cat lib/* | tr -d '\\n'; test $(cat lib/3) = {number} && echo"
            outputs.append(bubblewrap.run_fresh(SandboxConfig(), files, ["sh", "-c", script]).stdout)

    threads = [threading.Thread(target=grade, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    gate.wait()
    for thread in threads:
        thread.join()
    assert sorted(outputs) == sorted(b"%d" % number * 20 + b"\n" for number in range(8) for _ in range(3))


@pytest.mark.bubblewrap
def test_a_flood_does_not_put_off_the_end(bubblewrap: Backend) -> None:
    flood = "for i in 1 2 3 4 5 6; do (while :; do cat /dev/zero; done) & (cat /dev/zero >&2) & done; wait"
    begun = time.monotonic()
    done = bubblewrap.run_fresh(SandboxConfig(), FEW, ["bash", "-c", flood], timeout=1.0, output_limit=1000)
    assert done.timed_out
    assert time.monotonic() - begun < 5


def test_the_collector_ends_although_there_is_always_output() -> None:
    """A pipe that is never empty, which a real flood makes on a machine with many processors."""
    from icae_env.sandbox.launch.client import Child
    from icae_env.sandbox.pipes import collect

    endless = os.open("/dev/zero", os.O_RDONLY)
    status, keep = os.pipe()
    killed: list[float] = []

    def kill() -> None:
        killed.append(time.monotonic())
        os.write(keep, b"137")

    begun = time.monotonic()
    done = collect(Child(0, -1, status), endless, endless, timeout=0.3, output_limit=10, kill=kill)
    for fd in (endless, keep, status):
        os.close(fd)
    assert done.timed_out
    assert killed[0] - begun < 2
