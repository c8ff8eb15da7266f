"""Checks that a command reaches nothing but its own sandbox."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
from pathlib import Path

from icae_env.sandbox.base import Backend, Sandbox
from icae_env.sandbox.conformance.common import Checks, bash, marker, output, processes_inside


class IsolationChecks(Checks):
    """Host, network and other sandboxes."""

    def test_host_files_are_not_there(self, sandbox: Sandbox) -> None:
        """Neither in the caller's home nor in its temporary folder."""
        word = marker()
        with contextlib.ExitStack() as stack:
            for parent in {Path.home(), Path(tempfile.gettempdir())}:
                file = stack.enter_context(tempfile.NamedTemporaryFile(prefix=f"icae-{word}-", dir=parent))
                Path(file.name).chmod(0o644)
            found = bash(
                sandbox, f"find / -xdev -name '*{word}*' 2>/dev/null; ls -a {Path.home()} /tmp 2>/dev/null"
            ).stdout
        assert word.encode() not in found

    def test_processes_are_its_own(self, sandbox: Sandbox) -> None:
        """A process of the host is neither seen nor killed, by any number."""
        word = marker()
        with subprocess.Popen(["sleep", word]) as host:
            try:
                assert word not in processes_inside(sandbox)
                bash(sandbox, f"kill -9 {host.pid} {os.getpid()} -1")
                assert host.poll() is None
            finally:
                host.kill()
        assert int(output(sandbox, "ls -d /proc/[0-9]* | wc -l")) < 20

    def test_no_network(self, sandbox: Sandbox) -> None:
        """There is no interface but the loopback, and nothing of the host listens on that."""
        interfaces = [
            line.split(":")[0].strip() for line in output(sandbox, "cat /proc/net/dev").splitlines()[2:]
        ]
        assert interfaces in ([], ["lo"])
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            assert bash(sandbox, f"exec 5<>/dev/tcp/127.0.0.1/{port}", timeout=10.0).exit_code == 1
        assert bash(sandbox, "exec 5<>/dev/tcp/192.0.2.1/80", timeout=10.0).exit_code == 1

    def test_abstract_sockets_of_the_host_are_out_of_reach(self, sandbox: Sandbox) -> None:
        """They belong to a network namespace, not to the file system."""
        name = f"icae-{marker()}"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("\0" + name)
            server.listen(1)
            assert name not in output(sandbox, "cat /proc/net/unix")

    def test_nothing_can_be_mounted_or_unmasked(self, sandbox: Sandbox) -> None:
        """No new namespaces with rights of their own, no mounts, no kernel settings."""
        for command in ("mount -t tmpfs none /tmp", "umount /tmp", "mount -o remount,rw /", "chroot / true"):
            assert bash(sandbox, command).exit_code != 0, command
        assert bash(sandbox, "echo 1 >/proc/sys/kernel/panic; echo b >/proc/sysrq-trigger").exit_code != 0

    def test_setuid_programs_give_nothing(self, sandbox: Sandbox) -> None:
        """Whatever the image holds."""
        found = output(sandbox, "find / -xdev -perm /6000 -type f 2>/dev/null | head -3; true").split()
        for program in found:
            bash(sandbox, f"{program} </dev/null", timeout=5.0)
        result = bash(sandbox, "cp /bin/bash /tmp/b; chmod 4755 /tmp/b; /tmp/b -p -c 'id -u'")
        assert result.stdout == b"%d\n" % self.uid, result

    def test_init_cannot_be_harmed(self, sandbox: Sandbox) -> None:
        """No signal ends it."""
        bash(sandbox, "for s in $(seq 64); do kill -$s 1; done 2>/dev/null; true")
        assert sandbox.alive() and output(sandbox, "echo ok") == "ok"

    def test_kill_everything_from_inside(self, sandbox: Sandbox) -> None:
        """``kill -9 -1`` ends what runs inside; the sandbox takes the next command."""
        word = marker()
        process = sandbox.open_pty(["sleep", word])
        for _ in range(3):
            assert bash(sandbox, "kill -9 -1; exit 5", timeout=20.0).exit_code in (5, 137)
        assert sandbox.alive() and word not in processes_inside(sandbox)
        process.close()

    def test_two_sandboxes_do_not_meet(self, backend: Backend, sandbox: Sandbox) -> None:
        """Files, processes, signals, sockets and shared memory."""
        word = marker()
        with backend.create(self.config()) as other, contextlib.closing(other.open_pty(["sleep", word])):
            bash(other, "echo x | tee /workspace/f /tmp/f /dev/shm/f /run/f /home/agent/f")
            assert word not in processes_inside(sandbox)
            assert output(sandbox, "ls -A /workspace /tmp /dev/shm /home/agent | grep -x f; true") == ""
            bash(sandbox, "kill -9 -1")
            assert word in processes_inside(other) and other.files.read("/workspace/f") == b"x\n"
