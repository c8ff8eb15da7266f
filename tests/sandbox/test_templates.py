"""One-command sandboxes made from a template: as fresh, as bounded and as closed as those with a bubblewrap of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from icae_env.errors import SandboxDiedError
from icae_env.sandbox import bubblewrap, cgroups, process_tree, template
from icae_env.sandbox.base import MIB, Completed, Limits, SandboxConfig

pytestmark = pytest.mark.bubblewrap

FEW: dict[str, tuple[bytes, int]] = {"data": (b"0123", 0o640)}
MANY = {**FEW, **{f"lib/{n}": (b"%d" % n, 0o644) for n in range(20)}}
FILES = pytest.mark.parametrize("files", [FEW, MANY], ids=["written", "overlaid"])
SMALL = SandboxConfig(
    limits=Limits(
        memory=192 * MIB,
        processes=40,
        workspace=4 * MIB,
        scratch=2 * MIB,
        shm=MIB,
        file=3 * MIB,
        open_files=100,
    )
)


def open_backend(*, shared: bool) -> bubblewrap.BubblewrapBackend:
    """Return a backend that makes one-command sandboxes from templates or each with a bubblewrap of its own."""
    made = bubblewrap.BubblewrapBackend()
    found = made.availability()
    if not found.ok:
        pytest.skip(found.detail)
    made._templates.usable = shared
    if shared:
        made.run_fresh(SandboxConfig(), {}, ["true"])
        if not made._templates.usable:
            made.close()
            pytest.skip("this kernel lets no template make sandboxes")
    return made


@pytest.fixture(scope="module")
def backend() -> Iterator[bubblewrap.BubblewrapBackend]:
    made = open_backend(shared=True)
    yield made
    assert made._templates.usable
    made.close()


@pytest.fixture(scope="module", params=["template", "own"])
def either(request: pytest.FixtureRequest) -> Iterator[bubblewrap.BubblewrapBackend]:
    """Each way to make a one-command sandbox in turn: what holds for one must hold for the other."""
    made = open_backend(shared=request.param == "template")
    yield made
    assert made._templates.usable is (request.param == "template")
    made.close()


def shell(backend: bubblewrap.BubblewrapBackend, script: str, files=FEW, config=SMALL, **more) -> Completed:
    return backend.run_fresh(config, files, ["bash", "-c", script], **more)


TRACES = """
import ctypes, os, socket, sys
libc = ctypes.CDLL(None)
open("/workspace/left", "w"); open("/tmp/left", "w"); open("/dev/shm/left", "w"); open("/run/left", "w")
print(libc.shmget(77, 4096, 0o1666), libc.semget(77, 1, 0o1666), libc.msgget(77, 0o1666))
held = socket.socket(socket.AF_UNIX); held.bind("\\0left"); held.listen()
a, b = socket.socketpair()
socket.send_fds(a, [b"x"], [b.fileno(), held.fileno()])  # a socket that holds itself outlives its process
with socket.create_server(("127.0.0.1", 4567)) as server, socket.create_connection(("127.0.0.1", 4567)):
    server.accept()
os.openpty()
if os.fork() == 0:
    os.setsid(); os.execvp("sleep", ["sleep", "77"])
"""
LOOK = (
    "find /workspace /tmp /var/tmp /run /home/agent /dev/shm /dev/pts -mindepth 1 | sort; cat /proc/sysvipc/*; "
    "cat /proc/net/dev /proc/net/tcp /proc/net/unix /proc/net/snmp /proc/net/netstat; ls -d /proc/[0-9]*; cat data; "
    "stat -c '%a %u %s' data . /tmp /run"
)


@FILES
def test_nothing_of_one_command_is_there_for_the_next(
    backend: bubblewrap.BubblewrapBackend, files: dict
) -> None:
    clean = shell(backend, LOOK, files)
    for _ in range(3):
        left = backend.run_fresh(SMALL, files, ["python3", "-c", TRACES])
        assert (left.exit_code, b"-1" in left.stdout) == (0, False), left
        assert shell(backend, LOOK, files).stdout == clean.stdout


def test_a_network_namespace_serves_again_only_if_it_was_not_used(
    backend: bubblewrap.BubblewrapBackend,
) -> None:
    name = "readlink /proc/self/ns/net"
    first = shell(backend, name).stdout
    assert shell(backend, name).stdout == first
    for use in (
        "s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', 9))",
        "s = socket.socket(); s.settimeout(1); s.connect_ex(('192.0.2.1', 80))",
        "s = socket.socket(socket.AF_INET6); s.settimeout(1); s.connect_ex(('2001:db8::1', 80))",
    ):
        before = shell(backend, name).stdout
        assert backend.run_fresh(SMALL, FEW, ["python3", "-c", f"import socket; {use}"]).exit_code == 0
        assert shell(backend, name).stdout != before
    denied = shell(
        backend, "for f in $(find /proc/sys/net -type f); do (echo 1 >$f) 2>/dev/null && echo $f; done"
    )
    assert denied.stdout == b""


@FILES
def test_both_ways_hold_the_limits(either: bubblewrap.BubblewrapBackend, files: dict) -> None:
    full = "head -c 9000000 /dev/zero >{0}/a; for n in 1 2 3; do head -c 2500000 /dev/zero >{0}/$n; done; du -sb {0}"
    for place, most in (
        ("/tmp", 2 * MIB),
        ("/var/tmp", 2 * MIB),
        ("/home/agent", 2 * MIB),
        ("/dev/shm", MIB),
    ):
        done = shell(either, f"{full.format(place)} 2>/dev/null", files)
        assert MIB // 2 < int(done.stdout.split()[0]) <= most + 4096, (place, done)
    one = shell(either, "head -c 9000000 /dev/zero >a; stat -c %s a", files)
    assert one.stdout == b"%d\n" % (3 * MIB)
    assert shell(either, "ulimit -n; ulimit -c; ulimit -Hn", files).stdout.split() == [b"100", b"0", b"100"]
    forks = shell(either, "for i in $(seq 60); do sleep 9 & done; wait", files, timeout=1.0)
    assert b"esource temporarily unavailable" in forks.stderr
    assert shell(either, "echo $(seq 20)", files).exit_code == 0


@FILES
def test_the_workspace_is_bounded(backend: bubblewrap.BubblewrapBackend, files: dict) -> None:
    done = shell(backend, "for n in 1 2 3; do head -c 2500000 /dev/zero >$n; done; du -sb .", files)
    assert 3 * MIB < int(done.stdout.split()[0]) <= 4 * MIB + 8192, done
    assert b"No space left" in done.stderr


@pytest.mark.skipif(cgroups.parent() is None, reason="no control group can be made here")
def test_memory_is_bounded_for_each_command(either: bubblewrap.BubblewrapBackend) -> None:
    hog = ["python3", "-c", "x = [bytearray(b'x' * (1 << 20)) for _ in range(400)]; print('all')"]
    fits = ["python3", "-c", "x = [bytearray(b'x' * (1 << 20)) for _ in range(50)]; print('all')"]
    for _ in range(2):
        assert either.run_fresh(SMALL, FEW, hog).exit_code == 137
        for _ in range(3):  # what one has used is free for the next
            assert either.run_fresh(SMALL, FEW, fits).stdout == b"all\n"
            assert (
                shell(either, "head -c 1500000 /dev/zero >/tmp/a; head -c 3000000 /dev/zero >b").exit_code
                == 0
            )


def test_a_small_limit_of_memory_is_enough_for_a_small_command(either: bubblewrap.BubblewrapBackend) -> None:
    config = SandboxConfig(limits=Limits(memory=16 * MIB, workspace=MIB, scratch=MIB, shm=MIB))
    for _ in range(3):
        assert shell(either, "cat data; seq 100000 | tail -n 1", config=config).stdout == b"0123100000\n"


def test_how_commands_are_found_and_end(either: bubblewrap.BubblewrapBackend) -> None:
    files = {
        "plain": (b"echo plain $1 $0\n", 0o755), "locked": (b"#!/bin/sh\n", 0o644), "dir/": (b"", 0o755),
        "nowhere": (b"#!/no/such/program\n", 0o755),
    }  # fmt: skip

    def run(*argv: str, **more) -> Completed:
        return either.run_fresh(SMALL, files, argv, **more)

    assert run("./plain", "x").stdout == b"plain x ./plain\n"  # a shell runs what has no first line
    assert run("seq", "2").stdout == b"1\n2\n"
    for name, code in (("./locked", 126), ("./dir", 126), ("./nowhere", 127), ("./none", 127), ("none", 127)):
        done = run(name)
        assert (done.exit_code, done.stdout) == (code, b"") and done.stderr, (name, done)
    assert run("bash", "-c", "kill -SEGV $$").exit_code == 139
    assert run("bash", "-c", "exit 255").exit_code == 255
    done = run("bash", "-c", "wc -c; sleep 77 & exit 3", stdin=b"x" * 3_000_000)
    assert (done.exit_code, done.stdout, done.timed_out) == (3, b"3000000\n", False)


def test_streams_of_any_size_come_apart_and_whole(backend: bubblewrap.BubblewrapBackend) -> None:
    script = "head -c 3000000 /dev/zero | tr '\\0' o; head -c 2000000 /dev/zero | tr '\\0' e >&2; printf end"
    done = shell(backend, script)
    assert (done.stdout, done.stderr) == (b"o" * 3_000_000 + b"end", b"e" * 2_000_000)
    cut = shell(backend, script, output_limit=10)
    assert (cut.stdout, cut.stderr, cut.truncated, cut.exit_code) == (b"o" * 10, b"e" * 10, True, 0)
    words = ["printf", "%s\n", *("y" * 90_000 for _ in range(4))]
    assert backend.run_fresh(SMALL, FEW, words).stdout == (b"y" * 90_000 + b"\n") * 4


def test_a_command_that_hangs_costs_only_itself(backend: bubblewrap.BubblewrapBackend) -> None:
    def one(number: int) -> Completed:
        script = "trap '' TERM; echo begun; sleep 77 & sleep 77" if number == 3 else f"echo {number}"
        return shell(backend, script, timeout=1.0)

    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(one, range(8)))
    hung = done.pop(3)
    assert (hung.exit_code, hung.timed_out, hung.stdout) == (124, True, b"begun\n")
    assert [each.stdout for each in done] == [b"%d\n" % number for number in range(8) if number != 3]


def _processes(*words: str) -> list[process_tree.ProcessInfo]:
    wanted = b"".join(word.encode() + b"\0" for word in words)
    found = []
    for each in process_tree.everything():
        try:
            if Path(f"/proc/{each.pid}/cmdline").read_bytes() == wanted:
                found.append(each)
        except OSError:
            continue
    return found


def _await_process(*words: str) -> process_tree.ProcessInfo:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if found := _processes(*words):
            return found[0]
    raise AssertionError(f"{words} did not start")


@pytest.mark.parametrize("victim", ["init", "server"])
def test_a_kill_from_outside_is_no_result_and_harms_no_other(
    backend: bubblewrap.BubblewrapBackend, victim: str
) -> None:
    word = f"{os.getpid()}66.{len(victim)}"
    failures: list[BaseException] = []

    def run() -> None:
        try:
            backend.run_fresh(SandboxConfig(), {}, ["sleep", word], timeout=30)
        except SandboxDiedError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    init = process_tree.info(_await_process("sleep", word).parent)
    assert init is not None
    os.kill(init.pid if victim == "init" else init.parent, signal.SIGKILL)
    thread.join(20)
    assert len(failures) == 1
    deadline = time.monotonic() + 5
    while _processes("sleep", word) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _processes("sleep", word)
    assert backend.run_fresh(SandboxConfig(), {}, ["echo", "on"]).stdout == b"on\n"


def test_an_idle_template_that_has_died_is_replaced(backend: bubblewrap.BubblewrapBackend) -> None:
    shell(backend, "true")
    for _, idle in backend._templates._idle:
        assert idle._server is not None
        os.kill(idle._server.pid, signal.SIGKILL)
        assert idle._server.wait(5.0) is not None
    assert shell(backend, "cat data").stdout == b"0123"


def test_only_a_few_templates_wait_and_none_after_close() -> None:
    made = open_backend(shared=True)
    with ThreadPoolExecutor(3) as threads:
        for number in range(8):
            files = {"n": (b"%d" % number, 0o644)}
            outputs = threads.map(lambda files: shell(made, "cat n", files).stdout, [files] * 3)
            assert list(outputs) == [b"%d" % number] * 3
    idle = [each for _, each in made._templates._idle]
    assert 1 <= len(idle) <= 4
    groups = [Path(group) for each in idle for group in each._namespaces.groups]
    pids = [each._server.pid for each in idle if each._server is not None]
    made.close()
    assert not [pid for pid in pids if process_tree.info(pid)]
    assert not [group for group in groups if group.exists()]
    assert shell(made, "cat n", {"n": (b"again", 0o644)}).stdout == b"again"
    made.close()


def test_where_the_kernel_refuses_each_sandbox_has_its_own_bubblewrap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = bubblewrap.BubblewrapBackend()
    if not (found := made.availability()).ok:
        pytest.skip(found.detail)
    too_long = b"\x06\0\0\0\0\0\xff\x7f" * 5000  # more instructions than the kernel takes
    monkeypatch.setattr(template, "filter_program", lambda *, tracing: too_long)
    try:
        for _ in range(2):
            assert shell(made, "cat data; grep Seccomp: /proc/self/status").stdout == b"0123Seccomp:\t2\n"
            assert not made._templates.usable
    finally:
        made.close()
    assert not made._templates._idle


PARENT = """
import os, sys, threading
from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.bubblewrap import BubblewrapBackend
backend = BubblewrapBackend()
files = {f"f{n}": (b"x", 0o644) for n in range(20)}
assert backend.run_fresh(SandboxConfig(), files, ["cat", "f1"]).stdout == b"x"
if sys.argv[2] == "fork":
    child = os.fork()
    if child == 0:
        done = backend.run_fresh(SandboxConfig(), files, ["cat", "f2"])
        backend.close()
        os._exit(done.stdout != b"x")
    assert os.waitpid(child, 0)[1] == 0
    assert backend.run_fresh(SandboxConfig(), files, ["cat", "f3"]).stdout == b"x"
    backend.close()
    sys.exit()
for _ in range(2):
    threading.Thread(target=backend.run_fresh, args=(SandboxConfig(), files, ["sleep", sys.argv[1]])).start()
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder for temporary files that root's sandboxes can reach, unlike pytest's."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o711)
        yield Path(name)


def test_nothing_is_left_when_the_parent_is_killed(
    backend: bubblewrap.BubblewrapBackend, open_folder: Path
) -> None:
    word = f"{os.getpid()}55.5"
    environment = {**os.environ, "TMPDIR": str(open_folder)}
    with subprocess.Popen([sys.executable, "-c", PARENT, word, "sleep"], env=environment) as parent:
        deadline = time.monotonic() + 20
        while len(_processes("sleep", word)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        inits = [process_tree.info(each.parent) for each in _processes("sleep", word)]
        servers = [init.parent for init in inits if init is not None]
        assert len(servers) == 2
        groups = {
            line
            for pid in servers
            for line in Path(f"/proc/{pid}/cgroup").read_text().split()
            if "icae" in line
        }
        assert len(groups) == 2 or cgroups.parent() is None
        parent.kill()
    folders = [Path("/sys/fs/cgroup", *line.split(":")[1:2], line.split(":")[2][1:]) for line in groups]
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        left = [*_processes("sleep", word), *filter(process_tree.info, servers), *open_folder.glob("icae*")]
        left += [folder for folder in folders if folder.exists()]
        if not left:
            break
        time.sleep(0.05)
    assert not left


def test_a_forked_process_has_templates_of_its_own(backend: bubblewrap.BubblewrapBackend) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PARENT, "0", "fork"], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
