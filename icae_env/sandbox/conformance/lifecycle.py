"""Checks of beginning and end: of a sandbox, of what runs in it, and of sandboxes for one command."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor

from icae_env.errors import SandboxError
from icae_env.sandbox.base import WORKSPACE, Backend, Sandbox
from icae_env.sandbox.conformance.common import (
    Checks,
    bash,
    eventually,
    marker,
    output,
    processes_inside,
    processes_on_host,
    raised,
)

_TRACES = (
    "touch /workspace/left /tmp/left /var/tmp/left /home/agent/left /dev/shm/left /run/left; mkdir -p /tmp/d/e; chmod 000 /tmp/d; "
    "chmod 700 /workspace; (trap '' HUP TERM; setsid sleep {word} >/dev/null 2>&1 &)"
)
_LOOK = "stat -c %a /workspace; find /workspace /tmp /var/tmp /home/agent /dev/shm /run -mindepth 1 2>&1; cat /proc/[0-9]*/cmdline"


class LifecycleChecks(Checks):
    """Start, kill, close, and start over."""

    def test_backend_says_that_it_works(self, backend: Backend) -> None:
        """A backend under test is an available one, and its name is set."""
        availability = backend.availability()
        assert availability.ok, availability
        assert backend.name and availability.detail

    def test_life_of_a_sandbox(self, backend: Backend) -> None:
        """Not alive before, alive between, not alive after; ends are final."""
        sandbox = backend.create(self.config())
        assert not sandbox.alive()
        assert raised(lambda: sandbox.run(["true"]), SandboxError)
        sandbox.start()
        try:
            assert sandbox.alive() and sandbox.backend == backend.name and sandbox.config == self.config()
            assert sandbox.image.name == self.image and sandbox.image.digest
            assert raised(sandbox.start, SandboxError)
        finally:
            sandbox.close()
        sandbox.close()
        assert not sandbox.alive()
        for call in (lambda: sandbox.run(["true"]), lambda: sandbox.open_pty(["true"]), sandbox.start):
            assert raised(call, SandboxError)

    def test_never_started_can_be_closed(self, backend: Backend) -> None:
        """And cannot be started then."""
        sandbox = backend.create(self.config())
        sandbox.close()
        assert raised(sandbox.start, SandboxError)

    def test_nothing_is_left_after_close(self, backend: Backend) -> None:
        """No process of any kind, and quickly."""
        word = marker()
        sandbox = backend.create(self.config())
        with sandbox:
            process = sandbox.open_pty(
                ["bash", "-c", f"trap '' HUP TERM; setsid sleep {word} & sleep {word}; sleep {word}"]
            )
            bash(sandbox, f"setsid nohup sleep {word} >/dev/null 2>&1 & sleep 0.1")
            assert eventually(lambda: processes_inside(sandbox).count(f"sleep {word} ") >= 3)
            begun = time.monotonic()
        assert time.monotonic() - begun < 5
        process.close()
        assert eventually(lambda: not processes_on_host(word))

    def test_exception_inside_the_context_closes_it(self, backend: Backend) -> None:
        """Whatever it is."""
        seen: list[Sandbox] = []
        with contextlib.suppress(KeyError), backend.create(self.config()) as sandbox:
            seen.append(sandbox)
            raise KeyError
        assert not seen[0].alive()

    def test_kill_all_leaves_files_and_the_sandbox(self, sandbox: Sandbox) -> None:
        """Whatever hides in other sessions or ignores signals; twice is no error."""
        word = marker()
        process = sandbox.open_pty(["bash", "-c", f"trap '' HUP TERM INT; sleep {word}; sleep {word}"])
        bash(
            sandbox,
            f"echo x >f; (setsid sleep {word} >/dev/null 2>&1 &); nohup sleep {word} >/dev/null 2>&1 &",
        )
        assert eventually(lambda: processes_inside(sandbox).count(f"sleep {word} ") >= 3)
        sandbox.kill_all()
        sandbox.kill_all()
        assert word not in processes_inside(sandbox)
        assert eventually(lambda: process.poll() is not None)
        assert output(sandbox, "cat f") == "x"
        process.close()

    def test_sandboxes_start_at_once_from_threads(self, backend: Backend) -> None:
        """Each is its own."""

        def one(number: int) -> str:
            with backend.create(self.config()) as sandbox:
                sandbox.files.write("/workspace/f", b"%d" % number)
                return output(sandbox, "cat f; ls -A | wc -l")

        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(one, range(8))) == [f"{number}1" for number in range(8)]

    def test_fresh_run(self, backend: Backend) -> None:
        """Files, modes, folder, input, streams and exit code."""
        files = {
            "run": (b"#!/bin/sh\npwd; cat; cat a/b/data; exit 9\n", 0o755),
            "a/b/data": (b"\x00\xff", 0o644),
        }
        result = backend.run_fresh(self.config(), files, ["./run"], stdin=b"in\n")
        assert (result.exit_code, result.stdout, result.stderr) == (
            9,
            f"{WORKSPACE}\nin\n".encode() + b"\x00\xff",
            b"",
        )

    def test_fresh_run_has_limits(self, backend: Backend) -> None:
        """Of time and output."""
        word = marker()
        result = backend.run_fresh(self.config(), {}, ["bash", "-c", f"echo x; sleep {word}"], timeout=0.7)
        assert (result.exit_code, result.timed_out, result.stdout) == (124, True, b"x\n")
        assert eventually(lambda: not processes_on_host(word))
        result = backend.run_fresh(self.config(), {}, ["seq", "100000"], output_limit=100)
        assert (len(result.stdout), result.truncated) == (100, True)

    def test_fresh_runs_share_nothing(self, backend: Backend) -> None:
        """No file, mode or process of one is there in the next."""
        word = marker()
        clean = backend.run_fresh(self.config(), {}, ["bash", "-c", _LOOK]).stdout
        for _ in range(3):
            backend.run_fresh(self.config(), {}, ["bash", "-c", _TRACES.format(word=word)])
            seen = backend.run_fresh(self.config(), {}, ["bash", "-c", _LOOK]).stdout
            assert word.encode() not in seen and b"left" not in seen.replace(_LOOK.encode(), b""), seen
            assert seen.splitlines()[0] == clean.splitlines()[0]
        assert eventually(lambda: not processes_on_host(word))

    def test_fresh_runs_at_once(self, backend: Backend) -> None:
        """From threads, each sees its own files alone."""

        def one(number: int) -> bytes:
            return backend.run_fresh(
                self.config(), {"n": (b"%d" % number, 0o644)}, ["bash", "-c", "cat n; ls"]
            ).stdout

        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(one, range(16))) == [b"%dn\n" % number for number in range(16)]
