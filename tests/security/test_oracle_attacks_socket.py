"""Attacks on the way to a served reference: forged requests, floods, odd descriptors, huge arguments, other sandboxes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_sandboxes import image_or_skip
from reference_programs import MARK, reference
from served import Served, served

from icae_env.sandbox.base import Backend

LIBRARY = """
import array, os, socket, struct, sys, time

def call(flags=0, ignored=0, rows=24, columns=80, cwd=b"/workspace", term=b"xterm", argv=(b"./executable", b"args"), fds=(), length=None,
         mark=b"ICAE"):
    body = struct.pack("<BBHH", flags, ignored, rows, columns) + b"".join(word + b"\\0" for word in (cwd, term, *argv))
    return send(struct.pack("<4sI", mark, len(body) if length is None else length) + body, fds)

def send(data, fds=()):
    s = socket.socket(socket.AF_UNIX)
    s.connect("/run/oracle/socket")
    s.settimeout(8)
    control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    try:
        s.sendmsg([data], control)
    except OSError as error:
        print("send", error)
    return s

def answer(s):
    out = b""
    try:
        while True:
            part, fds, _, _ = socket.recv_fds(s, 4096, 10)
            for fd in fds:
                print("pipe", oct(os.stat(fd).st_mode), os.readlink(f"/proc/self/fd/{fd}").split(":")[0])
                if os.get_blocking(fd):
                    out += os.read(fd, 65536)
                os.close(fd)
            out += part
            if not part:
                break
    except OSError as error:
        print("end", error)
    return out
"""

FORGED = {
    "noise": "print(answer(send(os.urandom(5000))))",
    "nothing": "s = send(b'I'); print(answer(s))",
    "another mark": "print(answer(call(mark=b'EVIL')))",
    "too long": "print(answer(call(length=1 << 31)))",
    "too short": "print(answer(call(length=4)))",
    "no end": "print(answer(call(length=5000)))",
    "no strings": "print(answer(send(struct.pack('<4sI', b'ICAE', 10) + b'x' * 10)))",
    "a file that is not there": "print(answer(call(flags=16)))",
    "a file that was not announced": "print(answer(call(fds=[os.open('spy', os.O_RDONLY)])))",
    "a file to write": "open('w', 'w'); print(answer(call(flags=16, fds=[os.open('w', os.O_RDWR)])))",
    "a folder": "print(answer(call(flags=16, fds=[os.open('/', os.O_RDONLY)])))",
    "a path": "print(answer(call(flags=16, fds=[os.open('/etc/passwd', os.O_PATH)])))",
    "a socket": "print(answer(call(flags=16, fds=[socket.socket().fileno()])))",
    "a device": "print(answer(call(flags=16, fds=[os.open('/dev/zero', os.O_RDONLY)])))",
    "many descriptors": "print(answer(call(flags=16, fds=[0] * 200)))",
    "a directory elsewhere": "[print(answer(call(cwd=cwd))) for cwd in (b'/', b'/run/reference', b'/workspace/../run/reference', b'', b'.', b'/proc/self/root')]",
    "a directory by a link": "os.symlink('/run/reference', 'out'); print(answer(call(cwd=b'/workspace/out', argv=(b'./executable', b'cat', b'executable'))))",
    "a directory that is none": "open('file', 'w'); [print(answer(call(cwd=cwd))) for cwd in (b'/workspace/file', b'/workspace/none')]",
    "another kind of terminal": "[print(answer(call(flags=7, term=term))) for term in (b'x' * 50, b'../../run', b'a\\nLD_PRELOAD=x', b'')]",
    "an immense screen": "print(answer(call(flags=7, rows=65535, columns=65535, argv=(b'./executable', b'tty'))))",
    "another program's name": "[print(answer(call(argv=(name, b'args')))) for name in (b'', b'/bin/sh', b'/run/reference/executable', b'-sh')]",
    "no name": "print(answer(call(argv=())))",
    "every flag": "[print(answer(call(flags=flags, ignored=255))) for flags in range(0, 256, 7)]",
    "other messages": "s = call(argv=(b'./executable', b'hold')); time.sleep(0.3); [s.send(m) for m in (b'S\\x09\\0\\0\\0\\0', b'S\\x13\\0\\0\\0\\0', b'W\\xff\\xff\\xff\\xff\\0', b'X\\0\\0\\0\\0\\0', b'abc')]; s.shutdown(1); print(answer(s))",
    "huge arguments": "print(len(answer(call(argv=(b'./executable', b'args', b'x' * 2_000_000)))))",
    "many arguments": "print(len(answer(call(argv=(b'./executable', b'args', *[b'x'] * 500_000)))))",
    "a flood": "kept = [send(b'') for _ in range(60)]; time.sleep(0.2); [s.close() for s in kept]",
    "a flood of calls": "kept = [call(argv=(b'./executable', b'exit', b'0')) for _ in range(150)]; print(sum(len(answer(s)) for s in kept))",
    "calls that nobody waits for": "[call(argv=(b'./executable', b'forever')).close() for _ in range(60)]",
    "the program's own words": "s = call(argv=(b'./executable', b'hold')); data, fds, _, _ = socket.recv_fds(s, 4, 10); [print(os.listdir(f'/proc/self/fd'), os.read(fd, 100)) for fd in fds[1:2]]; s.close()",
    "abstract sockets": "print(open('/proc/net/unix').read()); t = socket.socket(socket.AF_UNIX); t.bind('\\0icae'); t.listen(); print('bound')",
}  # fmt: skip


@pytest.fixture(scope="module")
def victims(attacked: Backend) -> Iterator[tuple[Served, Served]]:
    """Two sandboxes with a served reference each: one is attacked."""
    image = image_or_skip(attacked.name, "python")
    with (
        served(attacked, image, reference(static=False)) as one,
        served(attacked, image, reference(static=False)) as other,
    ):
        yield one, other


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_request_is_harmless(victims: tuple[Served, Served], name: str) -> None:
    victim, other = victims
    victim.sandbox.files.write("/workspace/forge.py", (LIBRARY + FORGED[name] + "\n").encode())
    before = _descriptors()
    done = victim.run(
        "touch spy; timeout 15 python3 forge.py; rm -rf $(ls -A | grep -v '^executable$')", timeout=20.0
    )
    assert MARK.encode() not in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr, done.stderr
    assert other.text("./executable exit 3; echo $?; ls") == "3\ndocs\nexecutable\n"
    assert victim.text("./executable exit 4; echo $?") == "4\n"
    assert _eventually(lambda: _descriptors() <= before + 2), "descriptors of the host stay open"
    for box in victims:
        box.serving.check()


def test_a_client_that_holds_all_places_only_makes_its_own_sandbox_wait(attacked: Backend) -> None:
    image = image_or_skip(attacked.name, "python")
    with served(attacked, image, reference()) as victim, served(attacked, image, reference()) as other:
        held = "kept = [call(argv=(b'./executable', b'hold')) for _ in range(40)]; print('held', flush=True); time.sleep(3)"
        victim.sandbox.files.write("/workspace/forge.py", (LIBRARY + held).encode())
        thread = threading.Thread(target=victim.run, args=("python3 forge.py",))
        thread.start()
        time.sleep(1.0)
        assert other.text("./executable exit 5; echo $?") == "5\n"
        thread.join()
        assert victim.text("./executable exit 6; echo $?") == "6\n"


def test_a_socket_that_is_removed_harms_its_own_sandbox_alone(
    attacked: Backend, victims: tuple[Served, Served]
) -> None:
    with served(attacked, image_or_skip(attacked.name, "python"), reference()) as victim:
        removed = (
            "os.unlink('/run/oracle/socket'); t = socket.socket(socket.AF_UNIX); t.bind('/run/oracle/socket')"
        )
        victim.sandbox.files.write("/workspace/forge.py", (LIBRARY + removed + "\n").encode())
        assert victim.text("python3 forge.py; ./executable; echo $?").endswith("Connection refused\n")
        victim.serving.check()
    assert victims[1].text("./executable exit 3; echo $?") == "3\n"


def test_no_second_sandbox_sees_another(victims: tuple[Served, Served]) -> None:
    one, other = victims
    one.run("echo mine > /workspace/mine")
    assert "mine" not in other.text(
        "./executable sh 'ls /workspace; ls /proc | grep -c ^[0-9]; cat /proc/*/cmdline'"
    )
    listing = one.text(
        "./executable sh 'echo home > ~/own; ls -d ~/own; ls /tmp /dev/shm /run/oracle'; ls ~/own /tmp"
    )
    assert "/home/agent/own\n" in listing and "No such file" in listing
    assert (
        one.text(
            "(./executable hold > /dev/null &) ; sleep 0.3; ./executable sh 'cat /proc/net/dev | grep -vc lo'"
        ).strip()
        == "2"
    )


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _eventually(condition: object, seconds: float = 10.0) -> bool:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_root_of_the_sandbox_reads_nothing(attacked: Backend) -> None:
    """Whoever became root of the agent's sandbox would still not be where the program is."""
    if os.geteuid() != 0:
        pytest.skip("only root can make itself root of a sandbox")
    script = (
        "id -u; cat /run/reference/executable; find / -xdev -newer /workspace/docs -type f -size +10k 2>/dev/null | head; "
        "for p in /proc/[0-9]*; do cat $p/exe $p/root/run/reference/executable; done; grep -rlaF mark- /run /dev /tmp 2>/dev/null"
    )
    with served(attacked, image_or_skip(attacked.name, "base"), reference()) as victim:
        (init,) = {int(pid) for pid in [_init_of(victim)]}
        victim.run("(./executable hold > /dev/null &) ; sleep 0.3")
        done = _as_root(init, script)
        assert done.startswith(b"0\n") and MARK.encode() not in done


def _init_of(victim: Served) -> int:
    return victim.sandbox.init  # type: ignore[attr-defined,no-any-return]


def _as_root(init: int, script: str) -> bytes:
    """Run a script as root in the namespaces of a sandbox's init, with every right that counts there."""
    import subprocess

    user = Path(f"/proc/{init}/ns/user")
    code = (
        "import ctypes,fcntl,os,sys\n"
        "libc=ctypes.CDLL(None,use_errno=True)\n"
        f"fds=[os.open('/proc/{init}/ns/'+n,os.O_RDONLY) for n in ('mnt','pid','net','ipc')]\n"
        "owner=fcntl.ioctl(fds[0],0xB701)\n"
        "if os.fstat(owner).st_ino!=os.stat('/proc/self/ns/user').st_ino: assert libc.setns(owner,0)==0\n"
        "for fd in fds: assert libc.setns(fd,0)==0\n"
        "pid=os.fork()\n"
        "if pid==0:\n"
        " try: os.setgid(0); os.setuid(0)\n"
        " except OSError: pass\n"
        f" os.execv('/bin/bash',['bash','-c',{script!r}])\n"
        "os.waitpid(pid,0)\n"
    )
    assert user.exists()
    done = subprocess.run(
        ["/usr/bin/env", "python3", "-c", code], capture_output=True, timeout=60, check=False
    )
    return done.stdout + done.stderr
