"""Checks of ``open_pty`` and ``attach_argv``."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

from icae_env.sandbox.base import PtyProcess, Sandbox
from icae_env.sandbox.conformance.common import (
    Checks,
    eventually,
    marker,
    output,
    processes_inside,
)


def _until(process: PtyProcess, word: str, seconds: float = 10.0) -> str:
    """Read a terminal until a word shows, to its end, or until the time is up; return all that came."""
    seen = b""
    deadline = time.monotonic() + seconds
    while word.encode() not in seen and (left := deadline - time.monotonic()) > 0:
        if select.select([process.fd], [], [], left)[0]:
            try:
                part = os.read(process.fd, 1 << 16)
            except OSError:  # EIO: nobody holds the other side any more
                break
            if not part:
                break
            seen += part
    return seen.decode(errors="replace")


def _ended(process: PtyProcess) -> int | None:
    eventually(lambda: process.poll() is not None)
    return process.poll()


class TerminalChecks(Checks):
    """Commands on terminals."""

    def test_terminal_is_a_terminal_of_its_size(self, sandbox: Sandbox) -> None:
        """The command leads a session and the terminal is its own."""
        script = "stty size; test -t 0 -a -t 1 -a -t 2; echo tty=$?; : </dev/tty; echo own=$?."
        with contextlib.closing(sandbox.open_pty(["bash", "-c", script], rows=33, columns=101)) as process:
            seen = _until(process, "own=0.")
            assert "33 101" in seen and "tty=0" in seen and "own=0." in seen, seen
            assert _ended(process) == 0

    def test_terminal_has_a_name_inside(self, sandbox: Sandbox) -> None:
        """Programs that look it up (``tty``, ``script``) find it and may open it."""
        script = 'name=$(tty) && echo "by name" >"$name"; echo status=$?.'
        with contextlib.closing(sandbox.open_pty(["bash", "-c", script])) as process:
            seen = _until(process, "status=0.")
            assert "by name" in seen and "status=0." in seen, seen

    def test_exit_code_of_a_terminal(self, sandbox: Sandbox) -> None:
        """None while it runs, then its exit code, for ever."""
        with contextlib.closing(sandbox.open_pty(["bash", "-c", "read -r x; exit $x"])) as process:
            assert process.poll() is None
            os.write(process.fd, b"42\n")
            assert _ended(process) == 42 and process.poll() == 42

    def test_terminal_environment_and_folder(self, sandbox: Sandbox) -> None:
        """As for ``run``."""
        command = ["bash", "-c", 'echo "<$PWD|$MINE|$HOME|$(id -u)>."']
        with contextlib.closing(sandbox.open_pty(command, env={"MINE": "a b"}, cwd="/tmp")) as process:
            assert f"</tmp|a b|/home/agent|{self.uid}>" in _until(process, ">.")

    def test_interactive_shell_answers(self, sandbox: Sandbox) -> None:
        """State stays from line to line, and job control works."""
        with contextlib.closing(sandbox.open_pty(["bash", "--norc", "-i"])) as process:
            os.write(process.fd, b"cd /tmp; v=4; echo a''b\n")
            assert "ab" in _until(process, "ab")
            os.write(process.fd, b'sleep 0.1 & fg; echo "[$PWD $((v+1))]"\n')
            assert "[/tmp 5]" in _until(process, "[/tmp 5]")

    def test_interrupt_reaches_the_foreground_alone(self, sandbox: Sandbox) -> None:
        """The shell lives on."""
        with contextlib.closing(sandbox.open_pty(["bash", "--norc", "-i"])) as process:
            os.write(process.fd, b"echo go''ing; sleep 100; echo after=$?\n")
            _until(process, "going")
            assert eventually(lambda: "sleep 100" in processes_inside(sandbox))
            process.interrupt()
            assert eventually(lambda: "sleep 100" not in processes_inside(sandbox))
            os.write(process.fd, b"echo still''here\n")
            assert "stillhere" in _until(process, "stillhere")
            assert process.poll() is None

    def test_kill_children_spares_the_command(self, sandbox: Sandbox) -> None:
        """Even children that ignore every signal they can."""
        word = marker()
        with contextlib.closing(sandbox.open_pty(["bash", "--norc", "-i"])) as process:
            os.write(
                process.fd,
                b"bash -c \"trap '' INT TERM HUP; sleep %s; sleep %s\"\n" % (word.encode(), word.encode()),
            )
            assert eventually(lambda: f"sleep {word}" in processes_inside(sandbox).replace("\n", " "))
            process.kill_children()
            assert eventually(lambda: word not in processes_inside(sandbox))
            os.write(process.fd, b"echo still''here\n")
            assert "stillhere" in _until(process, "stillhere")

    def test_closing_a_terminal_kills_what_ran_on_it(self, sandbox: Sandbox) -> None:
        """Also what ignores the hang-up; a second close does nothing."""
        word = marker()
        process = sandbox.open_pty(
            ["bash", "-c", f"trap '' HUP TERM; sleep {word} & sleep {word}; sleep {word}"]
        )
        assert eventually(lambda: word in processes_inside(sandbox))
        process.close()
        process.close()
        assert eventually(lambda: word not in processes_inside(sandbox))

    def test_end_of_the_command_ends_the_stream(self, sandbox: Sandbox) -> None:
        """All it printed can still be read."""
        with contextlib.closing(sandbox.open_pty(["bash", "-c", "seq 20000; echo the''end"])) as process:
            seen = _until(process, "theend", 20.0)
            assert "\n19999\r" in seen and "theend" in seen
            assert _ended(process) == 0

    def test_several_terminals_at_once(self, sandbox: Sandbox) -> None:
        """Each has its own stream."""
        with contextlib.ExitStack() as stack:
            opened = [
                stack.enter_context(
                    contextlib.closing(sandbox.open_pty(["bash", "-c", f"read x; echo got{n}$x"]))
                )
                for n in range(4)
            ]
            for process in reversed(opened):
                os.write(process.fd, b"!\n")
            assert all(f"got{n}!" in _until(process, f"got{n}!") for n, process in enumerate(opened))

    def test_attached_command_uses_the_callers_terminal(self, sandbox: Sandbox) -> None:
        """Bytes, window size and exit code pass through, without anything of the caller's environment."""
        import pexpect  # noqa: PLC0415 - imported on first use

        script = 'stty size; echo "[$HOME $(id -u) $ICAE_CANARY]"; read -r x; stty size; echo "<$x>"; exit 7'
        argv = sandbox.attach_argv(["bash", "-c", script], cwd="/tmp")
        child = pexpect.spawn(argv[0], argv[1:], env={"ICAE_CANARY": "no"}, dimensions=(31, 97), timeout=15)
        try:
            child.expect_exact("31 97")
            child.expect_exact(f"[/home/agent {self.uid} ]")
            child.setwinsize(20, 50)
            time.sleep(0.2)
            child.sendline("é")
            child.expect_exact("20 50")
            child.expect_exact("<é>".encode())
            child.expect(pexpect.EOF)
        finally:
            child.close()
        assert child.exitstatus == 7

    def test_killed_client_leaves_no_command(self, sandbox: Sandbox) -> None:
        """The host's side of an attached command is killed without warning: what it ran ends."""
        import pexpect  # noqa: PLC0415

        word = marker()
        argv = sandbox.attach_argv(["bash", "-c", f"echo go''ing; sleep {word}; sleep {word}"])
        child = pexpect.spawn(argv[0], argv[1:], env={}, timeout=15)
        try:
            child.expect_exact("going")
            assert word in processes_inside(sandbox)
            child.kill(signal.SIGKILL)
            assert eventually(lambda: word not in processes_inside(sandbox))
        finally:
            child.close()
        assert output(sandbox, "echo ok") == "ok"
