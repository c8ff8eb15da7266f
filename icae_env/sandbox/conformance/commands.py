"""Checks of ``run``: exit codes, streams, limits and time."""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor

from icae_env.sandbox.base import Sandbox
from icae_env.sandbox.conformance.common import Checks, bash, eventually, marker, output, processes_inside

_EVERY_BYTE = bytes(range(256))


class CommandChecks(Checks):
    """One command, run to its end."""

    def test_exit_code_is_a_result(self, sandbox: Sandbox) -> None:
        """A non-zero exit raises nothing."""
        assert [bash(sandbox, f"exit {code}").exit_code for code in (0, 1, 3, 255)] == [0, 1, 3, 255]

    def test_death_by_signal_is_128_plus_its_number(self, sandbox: Sandbox) -> None:
        """SIGKILL gives 137, SIGTERM 143."""
        assert [bash(sandbox, f"kill -{number} $$").exit_code for number in (9, 15)] == [137, 143]

    def test_missing_program_is_127_with_a_message(self, sandbox: Sandbox) -> None:
        """A program that is not there is a result too."""
        for program in ("no-such-program", "/workspace/no-such-program"):
            result = sandbox.run([program])
            assert result.exit_code == 127 and program.encode() in result.stderr, result

    def test_program_that_may_not_run_is_126(self, sandbox: Sandbox) -> None:
        """A file without permission to execute."""
        sandbox.files.write("/workspace/plain", b"echo no\n", mode=0o644)
        assert sandbox.run(["/workspace/plain"]).exit_code == 126

    def test_arguments_arrive_verbatim(self, sandbox: Sandbox) -> None:
        """No shell looks at them."""
        words = [
            "",
            " ",
            "a b",
            "'",
            '"',
            "$(id)",
            "`id`",
            "*",
            "\\",
            "\n",
            "-n",
            "--",
            "é",
            "a=b",
            "~",
            "!",
            ";",
            "\t\r",
        ]
        result = sandbox.run(["printf", "%s\\0", *words])
        assert result.stdout.decode().split("\0")[:-1] == words

    def test_program_with_an_equals_sign_in_its_name(self, sandbox: Sandbox) -> None:
        """A path may hold anything."""
        sandbox.files.write("/workspace/a=b c", b"#!/bin/sh\necho ran $1\n", mode=0o755)
        assert sandbox.run(["/workspace/a=b c", "x"]).stdout == b"ran x\n"

    def test_standard_input_arrives_byte_for_byte(self, sandbox: Sandbox) -> None:
        """Any byte, any size."""
        for data in (b"x", _EVERY_BYTE, _EVERY_BYTE * 12_000):
            result = sandbox.run(["sha256sum"], stdin=data)
            assert result.stdout.split()[0].decode() == hashlib.sha256(data).hexdigest(), len(data)

    def test_no_input_is_end_of_file(self, sandbox: Sandbox) -> None:
        """A program that asks gets an answer, not a wait."""
        result = bash(sandbox, "cat; read -r line; echo status $?", timeout=10.0)
        assert (result.stdout, result.timed_out) == (b"status 1\n", False)

    def test_unread_input_is_no_error(self, sandbox: Sandbox) -> None:
        """A command may end without reading."""
        assert sandbox.run(["true"], stdin=_EVERY_BYTE * 4096).exit_code == 0

    def test_output_arrives_byte_for_byte_and_apart(self, sandbox: Sandbox) -> None:
        """Both streams, any byte."""
        result = bash(sandbox, "cat; printf '\\xff\\x00err' >&2", stdin=_EVERY_BYTE)
        assert (result.stdout, result.stderr) == (_EVERY_BYTE, b"\xff\0err")

    def test_streams_can_be_opened_by_name(self, sandbox: Sandbox) -> None:
        """Scripts write to /dev/stderr and read /dev/stdin."""
        result = bash(sandbox, "echo a >/dev/stdout; echo b >/dev/stderr; cat /dev/stdin", stdin=b"c")
        assert (result.stdout, result.stderr, result.exit_code) == (b"a\nc", b"b\n", 0)

    def test_output_beyond_the_limit_is_dropped_and_named(self, sandbox: Sandbox) -> None:
        """The head is kept and the command runs on to its end."""
        result = sandbox.run(["bash", "-c", "seq 3000000; echo end >&2; exit 5"], output_limit=1000)
        assert (len(result.stdout), result.truncated, result.exit_code) == (1000, True, 5)
        assert result.stdout.startswith(b"1\n2\n3\n") and result.stderr == b"end\n"

    def test_output_within_the_limit_is_whole(self, sandbox: Sandbox) -> None:
        """Exactly the limit is not beyond it."""
        result = sandbox.run(["head", "-c", "3000000", "/dev/zero"], output_limit=3_000_000)
        assert (len(result.stdout), result.truncated) == (3_000_000, False)

    def test_time_limit_kills_the_command_and_its_children(self, sandbox: Sandbox) -> None:
        """Exit code 124; what was printed is kept; nothing runs on, whatever it did to its session or its signals."""
        word = marker()
        begun = time.monotonic()
        result = bash(
            sandbox,
            f"echo first; trap '' TERM HUP INT; sleep {word} & setsid sleep {word} & (sleep {word}); wait",
            timeout=0.7,
        )
        assert (result.exit_code, result.timed_out, result.stdout) == (124, True, b"first\n")
        assert 0.6 < time.monotonic() - begun < 8
        assert eventually(lambda: word not in processes_inside(sandbox))

    def test_child_in_the_background_is_not_waited_for(self, sandbox: Sandbox) -> None:
        """Even when it holds the output open."""
        begun = time.monotonic()
        result = bash(sandbox, "sleep 120 & echo done", timeout=30.0)
        assert (result.stdout, result.exit_code) == (b"done\n", 0)
        assert time.monotonic() - begun < 10

    def test_orphans_are_reaped(self, sandbox: Sandbox) -> None:
        """The init collects what was detached, so that no zombies fill the process table."""
        bash(sandbox, "for i in $(seq 50); do (true &) ; done")
        zombies = "cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z ' || true"
        assert eventually(lambda: output(sandbox, zombies) == "0")

    def test_signals_have_their_default_effect(self, sandbox: Sandbox) -> None:
        """``yes | head`` ends and Ctrl-C works only where SIGPIPE and SIGINT are not ignored."""
        ignored = int(output(sandbox, "grep SigIgn: /proc/self/status").split()[1], 16)
        blocked = int(output(sandbox, "grep SigBlk: /proc/self/status").split()[1], 16)
        assert (ignored, blocked) == (0, 0)
        assert bash(sandbox, "yes | head -1", timeout=10.0).stdout == b"y\n"

    def test_many_commands_at_once(self, sandbox: Sandbox) -> None:
        """From threads, each gets its own answer."""
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda n: bash(sandbox, f"echo {n}; exit {n}"), range(40)))
        assert [(answer.stdout, answer.exit_code) for answer in answers] == [
            (b"%d\n" % n, n) for n in range(40)
        ]
