"""A lasting bubblewrap sandbox: an init in its own namespaces, entered by the launcher for each command."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import struct
import sys
import termios
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import ClassVar, Self

from icae_env.errors import SandboxDiedError, SandboxStartError
from icae_env.sandbox import bwrap_command, process_tree
from icae_env.sandbox.base import MIB, WORKSPACE, Completed, Files, ImageRef, SandboxConfig
from icae_env.sandbox.bubblewrap_pty import BubblewrapPty, open_terminal
from icae_env.sandbox.launch.client import Child, launcher
from icae_env.sandbox.namespaces import Namespaces, owned, pipe
from icae_env.sandbox.pipes import collect
from icae_env.sandbox.seccomp import filter_program

_ATTACH = Path(__file__).parent / "launch" / "attach.py"
_KILL_ROUNDS = 3


class BubblewrapSandbox:
    """Implement ``base.Sandbox`` with bubblewrap."""

    backend: ClassVar[str] = "bubblewrap"

    def __init__(
        self, config: SandboxConfig, image: ImageRef, namespaces: Namespaces, environment: Mapping[str, str]
    ) -> None:
        """Describe a sandbox; nothing is started.

        Args:
            config: Its configuration.
            image: The image it runs on.
            namespaces: How it is started.
            environment: The whole environment of its commands.
        """
        self.config, self.image = config, image
        self._namespaces, self._environment = namespaces, dict(environment)
        self._closed = False

    @property
    def files(self) -> Files:
        """The sandbox's files.

        Raises:
            SandboxDiedError: It does not run.
        """
        if self._namespaces.files is None:
            raise SandboxDiedError("The sandbox is not running.")
        return self._namespaces.files

    @property
    def init(self) -> int:
        """The host's number of the init process."""
        return self._namespaces.init

    def start(self) -> None:
        """Start it.

        Raises:
            SandboxStartError: bubblewrap failed, with its message; nothing is left behind.
        """
        if self._closed or self._namespaces.child is not None:
            raise SandboxStartError("A sandbox starts once; make another.")
        self._namespaces.start(launcher(), bwrap_command.INIT, env={}, streams={})
        self._namespaces.protect()

    def close(self) -> None:
        """Destroy it. A second call does nothing."""
        self._closed = True
        self._namespaces.close()

    def alive(self) -> bool:
        """Return whether it still runs."""
        return self._namespaces.alive()

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: PurePosixPath | str = WORKSPACE,
        timeout: float = 60.0,
        output_limit: int = 4 * MIB,
    ) -> Completed:
        """Run one command to its end, apart from any shell (see ``base.Sandbox.run``)."""
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            out, out_end = pipe(ours, theirs)
            err, err_end = pipe(ours, theirs)
            given = owned(theirs, bwrap_command.memory_file(stdin))
            self._namespaces.give(given, out_end, err_end)
            try:
                child = self._enter(argv, {0: given, 1: out_end, 2: err_end}, env=env, cwd=cwd, tty=False)
            except _NotStartedError as failure:
                return failure.result
            ours.callback(child.close)
            theirs.close()

            def kill() -> None:
                process_tree.kill_session(child.pid)

            return collect(child, out, err, timeout=timeout, output_limit=output_limit, kill=kill)

    def open_pty(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: PurePosixPath | str = WORKSPACE,
        rows: int = 24,
        columns: int = 80,
    ) -> BubblewrapPty:
        """Start a command as session leader on a new pseudo-terminal.

        Raises:
            SandboxDiedError: The sandbox is gone.
            SandboxStartError: The command could not be started.
        """
        master, slave = open_terminal(self._namespaces)
        try:
            ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            child = self._enter(argv, {0: slave, 1: slave, 2: slave}, env=env, cwd=cwd, tty=True)
        except _NotStartedError as failure:
            os.close(master)
            raise SandboxStartError(failure.result.stderr.decode(errors="replace")) from None
        except BaseException:
            os.close(master)
            raise
        finally:
            os.close(slave)
        return BubblewrapPty(master, child)

    def attach_argv(self, argv: Sequence[str], *, cwd: PurePosixPath | str = WORKSPACE) -> list[str]:
        """Return a host command that runs ``argv`` inside on the terminal it is itself started on."""
        request = {
            "pid": self.init, "argv": list(argv), "cwd": str(cwd), "env": self._environment, "uid": self._namespaces.identity[0],
            "gid": self._namespaces.identity[1], "groups": self._namespaces.groups, "limits": self._limits(),
            "seccomp": filter_program(tracing=self.config.tracing).hex(),
        }  # fmt: skip
        return [sys.executable, "-I", "-S", "-B", str(_ATTACH), json.dumps(request)]

    def kill_all(self) -> None:
        """Kill every process inside but the init."""
        for _ in range(_KILL_ROUNDS):
            try:
                killer = self._enter(["kill"], {}, env=None, cwd="/", tty=False, signal_all=signal.SIGKILL)
            except _NotStartedError:
                continue
            code = killer.wait(1.0)
            killer.kill()
            killer.close()
            if code == 0:  # the signal has reached all at one moment, and what is being killed cannot fork
                return
        # Without root, the killer is of the same user as those it is to kill, and they may be quicker.
        process_tree.kill_namespace(self.init)

    def _limits(self) -> dict[str, int]:
        grouped = self._namespaces.group is not None
        return bwrap_command.resource_limits(self.config, memory_group=grouped)

    def _enter(
        self,
        argv: Sequence[str],
        descriptors: Mapping[int, int],
        *,
        env: Mapping[str, str] | None,
        cwd: PurePosixPath | str,
        tty: bool,
        signal_all: int = 0,
    ) -> Child:
        if not self.alive():
            raise self._death(argv)
        program = bwrap_command.seccomp_file(self.config)
        try:
            return launcher().enter(
                self.init, argv, descriptors, seccomp=program, env={**self._environment, **(env or {})}, cwd=str(cwd), tty=tty,
                uid=self._namespaces.identity[0], gid=self._namespaces.identity[1],
                # A killer has to work even where the memory is used up.
                groups=[] if signal_all else self._namespaces.groups, limits=self._limits(), signal_all=signal_all,
            )  # fmt: skip
        except OSError as error:
            raise (_NotStartedError(argv, error) if self.alive() else self._death(argv)) from error
        finally:
            os.close(program)

    def _death(self, argv: Sequence[str]) -> Exception:
        """Return what a command gets from a sandbox that is gone: a result where what ran inside may be the cause."""
        if self._namespaces.child is not None and self._namespaces.starved():
            return _NotStartedError(argv, OSError(errno.ESRCH, "the sandbox ran out of memory and ended"))
        return SandboxDiedError("The sandbox is not running.")

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Destroy it."""
        self.close()


class _NotStartedError(Exception):
    """The program could not be executed inside: a result of the command, as a shell would give it."""

    def __init__(self, argv: Sequence[str], error: OSError) -> None:
        super().__init__(str(error))
        code = {errno.ENOENT: 127, errno.ESRCH: 137}.get(error.errno or 0, 126)
        text = f"{argv[0] if argv else ''}: {error.strerror or error}\n"
        self.result = Completed(exit_code=code, stderr=text.encode(errors="replace"))
