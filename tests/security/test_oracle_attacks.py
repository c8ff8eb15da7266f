"""Attempts at reading a served reference, on each sandbox and in both modes: every one is denied or harmless.

The reference can do much on behalf of whoever calls it: show any file from any place in it, run commands, execute programs with
chosen variables. A constant in it is its secret.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from real_sandboxes import image_or_skip
from reference_programs import MARK, PRELOAD, REFERENCE, SPY, compiled, reference
from served import Served, oracle_task, served

from icae_env.sandbox.base import Backend

LOADER = "$(ls /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 2>/dev/null)"
HELD = """
./executable hold > held & client=$!
until grep -q holding held 2>/dev/null; do sleep 0.02; done
pid=$client
"""
"""The agent's process that runs the program, or is its client."""
TARGETS = "./executable executable /run/reference/executable /proc/self/exe /proc/self/mem /proc/1/exe /proc/1/mem /proc/thread-self/exe"


@pytest.fixture(scope="module", params=["proxy", "direct"])
def victim(request: pytest.FixtureRequest, attacked: Backend) -> Iterator[Served]:
    """A sandbox with a served reference and the attacker's tools in it."""
    image = image_or_skip(attacked.name, "base")
    mode = request.param
    with served(attacked, image, reference(static=mode == "direct"), spec=oracle_task(mode=mode)) as made:
        for name, program in (
            ("spy", compiled(SPY, "-static")),
            ("dump.so", compiled(PRELOAD, "-shared", "-fPIC")),
        ):
            made.sandbox.files.write(f"/workspace/{name}", program, mode=0o755)
        made.sum = made.text("./executable sum")  # type: ignore[attr-defined]
        yield made


ATTACKS = {
    "cat": f"for f in {TARGETS}; do cat $f; done",
    "copy": "cp executable copy; cp -L executable copy2; install executable copy3; dd if=/run/reference/executable of=copy4; cat copy*",
    "hash": "md5sum executable /run/reference/executable; sha256sum -b /run/reference/executable",
    "link": "ln /run/reference/executable hard; ln executable hard2; cat hard; mv /run/reference /workspace/moved; cat moved/*",
    "archive": "tar -chf all.tar executable /run/reference; git init -q .; git add -f executable; cat all.tar; rm -rf .git",
    "permissions": "chmod a+r executable /run/reference /run/reference/executable; chown agent /run/reference/executable; cat executable",
    "interpreters": "python3 -c 'print(open(\"/run/reference/executable\",\"rb\").read())'; bash executable; . /run/reference/executable",
    "loader": f"{LOADER} /run/reference/executable args; {LOADER} --list executable; LD_TRACE_LOADED_OBJECTS=1 ./executable; ldd executable",
    "preload": "LD_PRELOAD=$PWD/dump.so ./executable args; LD_AUDIT=$PWD/dump.so ./executable args; LD_DEBUG=all ./executable args",
    "library path": "mkdir lib; cp dump.so lib/libc.so.6; LD_LIBRARY_PATH=$PWD/lib ./executable args; GLIBC_TUNABLES=x=y ./executable",
    "profile": "LD_PROFILE=libc.so.6 LD_PROFILE_OUTPUT=$PWD ./executable args; LD_SHOW_AUXV=1 ./executable args; cat *.profile",
    "proc files": f"{HELD} for p in $pid $(pgrep -x executable); do for f in exe mem maps auxv environ root fd/0 map_files/*; do cat /proc/$p/$f; done; done",
    "proc links": f"{HELD} ls -l /proc/$pid/; cp /proc/$pid/exe got; cat got; cat /proc/$pid/root/run/reference/executable; ls -lR /proc/$pid/fd",
    "spy mem": f"{HELD} ./spy mem $pid; ./spy mem $(pgrep -x executable | tail -n 1)",
    "spy vm": f"{HELD} ./spy vm $pid; ./spy vm $(pgrep -x executable | tail -n 1)",
    "spy attach": f"{HELD} ./spy attach $pid; ./spy fds $pid; kill -CONT $pid",
    "spy steer": "./spy steer ./executable args",
    "debuggers": "gdb -batch -ex 'x/100s 0x400000' -ex run ./executable; strace -e trace=all ./executable; perf record ./executable; ltrace ./executable",
    "core": f"ulimit -c unlimited; ./executable raise 6; ./executable raise 11; {HELD} kill -ABRT $client; wait; cat core* /tmp/core*; ls",
    "limits": "for o in '-v 200000' '-s 64' '-n 4' '-f 1' '-t 1' '-d 2000'; do (ulimit $o; ./executable args; ./executable cat ./executable); done",
    "path arguments": f"for f in {TARGETS}; do ./executable cat $f; ./executable cat $f 4096; ./executable cat $f 0x400000; ./executable cat $f 0x401000; done",
    "input from itself": "./executable cat < executable; ./executable cat < /run/reference/executable; ./executable cat /dev/stdin < /proc/self/exe",
    "memory arguments": "for p in self 1 2 3 4; do for at in 0x400000 0x480000 0x555555554000; do ./executable cat /proc/$p/mem $at; done; done",
    "shell of the program": "./executable sh 'cat /proc/$PPID/exe /proc/$PPID/mem /proc/1/exe /run/reference/executable /proc/*/exe'",
    "shell spies": "./executable sh './spy mem $PPID; ./spy vm $PPID; ./spy attach $PPID; ./spy fds $PPID; ./spy steer /run/reference/executable args'",
    "shell preload": "./executable sh 'LD_PRELOAD=/workspace/dump.so /run/reference/executable args; LD_PRELOAD=/workspace/dump.so ./executable args'",
    "program executes itself": "./executable exec /proc/self/exe args; ./executable exec /run/reference/executable args",
    "program preloads itself": "for f in /proc/self/exe /run/reference/executable; do ./executable env LD_PRELOAD=/workspace/dump.so $f args; done",
    "program loads itself": f"./executable exec {LOADER} /run/reference/executable args; ./executable exec /bin/cat /proc/self/exe",
    "traceback": f"{HELD} kill -INT $client; wait; cat held; ./executable cat & sleep 0.1; kill -INT $!; wait",
    "linked workspace": "ln -sfn /run/reference away; ln -sfn / top; ./executable cat away/executable; (cd away && /workspace/executable cat executable); ./executable cat top/run/reference/executable",
    "linked folder": "mkdir -p d; cd d; rmdir ../d; ../executable args; cd ..; ln -s /proc/self e; (cd e; /workspace/executable cat exe; /workspace/executable cat mem 4194304)",
    "fifo": "mkfifo fifo; (timeout 1 cat fifo > from) & ./executable sh 'cat /run/reference/executable /proc/$PPID/exe > fifo'; wait; cat from",
    "descriptors": "exec 5<executable 6</run/reference/executable; ./executable cat /proc/self/fd/5; ./executable cat /proc/self/fd/6; ./executable sh 'ls -l /proc/self/fd /proc/$PPID/fd; cat <&9 <&10'",
    "left behind": "./executable sh '(setsid sh -c \"sleep 0.3; cat /proc/*/exe /proc/*/mem > /workspace/late\" &)'; sleep 0.5; cat late",
    "other users": "su -c 'cat /run/reference/executable' root; sudo -n cat executable; setpriv --reuid 65532 cat /run/reference/executable; unshare -Ur cat executable",
    "mounts": "mount -o remount,rw /run/reference; umount -l /run/reference; mount --bind /run/reference /workspace; nsenter -t 1 -m cat executable; cat executable",
}  # fmt: skip


def leaks(victim: Served, script: str) -> bytes | None:
    """Run an attack and return its output, if the secret is in that or in any file it made."""
    done = victim.run(script, timeout=20.0)
    shown = done.stdout + done.stderr
    found = victim.run(
        "grep -rlaF -e "
        + MARK
        + " /workspace /tmp /home/agent /dev/shm /var/tmp --exclude-dir=.git 2>/dev/null"
    )
    return shown + found.stdout if MARK.encode() in shown or found.stdout else None


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_does_not_read_the_program(victim: Served, name: str) -> None:
    if name == "program preloads itself" and os.geteuid() != 0:
        pytest.xfail(
            "without root, a reference that starts programs with the caller's variables can be preloaded (README, Limits)"
        )
    victim.run("mkdir -p /tmp/tools; cp -f spy dump.so /tmp/tools")
    try:
        found = leaks(victim, ATTACKS[name])
        assert found is None, found[:500]
        assert victim.text("./executable sum") == victim.sum  # type: ignore[attr-defined]
    finally:
        victim.run(
            "pkill -KILL -x executable; chmod -R u+w . ; rm -rf $(ls -A | grep -v '^executable$'); cp /tmp/tools/* .; rm -f core*"
        )


def test_the_secret_can_be_found_where_it_is(victim: Served) -> None:
    """Where a program of one's own is attacked likewise, the attacks succeed: they are none that cannot."""
    own = compiled(REFERENCE, "-static")
    victim.sandbox.files.write("/workspace/own", own, mode=0o755)
    try:
        for script in (
            "cat own",
            "./own cat /proc/self/exe",
            "./own hold & sleep 0.2; ./spy mem $!; kill %1",
        ):
            assert MARK.encode() in victim.run(script).stdout, script
        assert leaks(victim, "cp own copied") is not None
    finally:
        victim.run("rm -f own copied")
