"""Checks of the contract: companions, and programs that can be executed but not read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager

from icae_env.errors import SandboxDiedError, SandboxUnavailableError
from icae_env.sandbox.base import Backend, Companion, Limits, Sandbox, SandboxConfig
from icae_env.sandbox.conformance.common import Checks, eventually, output, raised

ENV = {"PATH": "/usr/bin:/bin", "HOME": "/home/agent"}


class CompanionChecks(Checks):
    """A second sandbox beside a running one. A backend may have none: then it says so, and there is nothing to check."""

    @contextmanager
    def companion(
        self, backend: Backend, sandbox: Sandbox, program: bytes | None = None
    ) -> Iterator[Companion | None]:
        """Give a companion whose program is a shell, or None where the backend has none."""
        shell = program or sandbox.files.read(output(sandbox, "readlink -f /bin/bash"))
        try:
            made = backend.create_beside(sandbox, {"program": (shell, 0o755)}, "program", Limits())
        except SandboxUnavailableError:
            yield None
            return
        with made:
            yield made

    def test_companion_shares_the_workspace_and_nothing_else(
        self, backend: Backend, sandbox: Sandbox
    ) -> None:
        """Files of the workspace are the same; home, temporary folders and processes are not."""
        word = secrets.token_hex(8)
        sandbox.files.write("/workspace/in", word.encode())
        sandbox.files.write("/tmp/own", word.encode())
        sandbox.files.write("/home/agent/own", word.encode())
        with self.companion(backend, sandbox) as beside:
            if beside is None:
                return
            assert said(
                beside, "cat in; cp in out; cat /tmp/own /home/agent/own; echo /proc/[0-9]*"
            ).startswith(f"{word}cat: ")
            assert sandbox.files.read("/workspace/out") == word.encode()
            said(beside, "echo x > /tmp/theirs; echo x > ~/theirs")
            assert raised(lambda: sandbox.files.stat("/tmp/theirs"), FileNotFoundError)
            assert raised(lambda: sandbox.files.stat("/home/agent/theirs"), FileNotFoundError)
            assert output(sandbox, "stat -c %u /workspace/out; id -u").split()[0] == str(self.uid)

    def test_companion_has_no_network(self, backend: Backend, sandbox: Sandbox) -> None:
        """There is the loopback interface alone."""
        with self.companion(backend, sandbox) as beside:
            if beside is not None:
                assert said(beside, "tail -n +3 /proc/net/dev | cut -d: -f1").split() == ["lo"]

    def test_companion_keeps_its_program_to_itself(self, backend: Backend, sandbox: Sandbox) -> None:
        """The program can neither be read, changed nor looked into, from inside or from the first sandbox."""
        with self.companion(backend, sandbox) as beside:
            if beside is None:
                return
            tries = "cat $0 $PWD /proc/$$/exe /proc/$$/mem /proc/1/exe; chmod 777 /proc/$$/exe; : < /proc/$$/exe && echo opened"
            assert "opened" not in said(beside, tries)
            find = 'while read -r _ _ _ _ _ path; do case $path in *program*) echo "$path"; break; esac; done < /proc/self/maps'
            place = said(beside, find).strip()
            assert place.startswith("/"), place
            assert "opened" not in said(
                beside, f"cat {place}; rm -f {place}; mv {place} x; : < {place} && echo opened"
            )
            assert output(sandbox, f"test -e {place} && echo there; true") == ""

    def test_companion_passes_arguments_streams_and_exit_codes(
        self, backend: Backend, sandbox: Sandbox
    ) -> None:
        """Calls are told apart, run where they are told to, and report exit codes and signals."""
        sandbox.files.mkdir("/workspace/d")
        with self.companion(backend, sandbox) as beside:
            if beside is None:
                return
            assert said(beside, "pwd; echo $0", "/workspace/d") == "/workspace/d\nname\n"
            assert [ended(beside, f"exit {code}") for code in (0, 7, 255)] == [0, 7, 255]
            assert ended(beside, "kill -TERM $$") == -15
            assert raised(lambda: ended(beside, "exit 0", "/tmp"))

    def test_companion_leaves_no_process_of_a_call(self, backend: Backend, sandbox: Sandbox) -> None:
        """What a call has started goes with it, however it was detached."""
        with self.companion(backend, sandbox) as beside:
            if beside is not None:
                said(beside, "(setsid sleep 1000 &) ; sleep 0.1")
                assert eventually(lambda: "sleep" not in said(beside, "cat /proc/[0-9]*/comm"))

    def test_companion_gives_terminals(self, backend: Backend, sandbox: Sandbox) -> None:
        """A terminal of its own has a name and controls the program."""
        with self.companion(backend, sandbox) as beside:
            if beside is None:
                return
            master, slave = beside.terminal()
            try:
                script = "tty; : < /dev/tty && echo own"
                call = beside.run(["name", "-c", script], (slave,) * 3, env=ENV, cwd="/workspace", tty=True)
                with closing(call):
                    assert call.wait(10.0) == 0
                shown = b""
                while b"own" not in shown:
                    shown += os.read(master, 1000)
                assert b"/dev/pts/" in shown
            finally:
                os.close(master)
                os.close(slave)

    def test_companion_is_gone_after_its_end(self, backend: Backend, sandbox: Sandbox) -> None:
        """Afterwards nothing can be started, and the first sandbox goes on."""
        with self.companion(backend, sandbox) as beside:
            if beside is None:
                return
        assert not beside.alive()
        assert raised(lambda: said(beside, "true"), SandboxDiedError)
        assert output(sandbox, "echo on") == "on"

    def test_placed_program_runs_but_cannot_be_read(self, backend: Backend) -> None:
        """A program placed in a sandbox without tracing can be executed there and not read."""
        config = SandboxConfig(image=self.image, tracing=False)
        with backend.create(config) as sandbox:
            shell = sandbox.files.read(output(sandbox, "readlink -f /bin/bash"))
            try:
                path = backend.place_program(sandbox, {"program": (shell, 0o755)}, "program")
            except SandboxUnavailableError:
                return
            assert output(sandbox, f"{path} -c 'echo runs'") == "runs"
            # the last command of a script takes the shell's place
            inner = "for f in exe mem; do cat /proc/$$/$f; done; true"
            tries = (
                f"cat {path}; cp {path} copy; chmod u+r {path}; rm -f {path}; {path} -c '{inner}'; cat copy"
            )
            assert output(sandbox, f"{{ {tries}; }} 2>/dev/null | wc -c") == "0"


def said(beside: Companion, script: str, cwd: str = "/workspace") -> str:
    """Run a script and return all it prints."""
    read, write = os.pipe2(os.O_CLOEXEC)
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    with open(read, "rb") as stream:  # noqa: PTH123 - a descriptor
        try:
            call = beside.run(["name", "-c", script, "name"], (null, write, write), env=ENV, cwd=cwd)
        finally:
            os.close(write)
            os.close(null)
        with closing(call):
            text = stream.read().decode(errors="replace")
            call.wait(10.0)
    return text


def ended(beside: Companion, script: str, cwd: str = "/workspace") -> int | None:
    """Run a script and return its exit code, negative after a signal."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        call = beside.run(["name", "-c", script], (null, null, null), env=ENV, cwd=cwd)
    finally:
        os.close(null)
    with closing(call):
        return call.wait(10.0)
