"""A sandbox that is a Docker container."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import ClassVar, Self

from icae_env.errors import SandboxDiedError, SandboxStartError, SandboxUnavailableError
from icae_env.sandbox.base import MIB, WORKSPACE, Completed, Files, ImageRef, PtyProcess, SandboxConfig
from icae_env.sandbox.docker.container import Container
from icae_env.sandbox.docker.jobs import Job
from icae_env.sandbox.docker.limits import identity
from icae_env.sandbox.docker.run import environment, run_in
from icae_env.sandbox.docker.terminals import DockerPty, EndedPty

_ATTACH = Path(__file__).with_name("attach.py")


class DockerSandbox:
    """Implement ``base.Sandbox`` with a container.

    A container that its own commands have ended (out of memory to the last process) answers every command with exit code 137 and
    every terminal with end of file; one that was ended from outside raises ``SandboxDiedError``.
    """

    backend: ClassVar[str] = "docker"

    def __init__(self, config: SandboxConfig, image: ImageRef, obtain: Callable[[], Container]) -> None:
        """Describe a sandbox; nothing is started.

        Args:
            config: Its configuration.
            image: The image it runs on.
            obtain: Starts a container, or takes a warm one.
        """
        self.config, self.image = config, image
        self._obtain = obtain
        self._container: Container | None = None
        self._closed = False
        self._terminals: list[PtyProcess] = []

    @property
    def files(self) -> Files:
        """The sandbox's files.

        Raises:
            SandboxDiedError: It is not started, or closed.
        """
        return self._running().files

    @property
    def init(self) -> int:
        """The host's number of the init process, for who wants to join its mounts.

        Raises:
            SandboxDiedError: It is not started, or closed.
            SandboxUnavailableError: This process is not root, which alone may join them.
        """
        if os.geteuid() != 0:
            raise SandboxUnavailableError(
                "docker",
                "root alone may join a container's mounts to serve a program there.",
                mend="use --sandbox bubblewrap",
            )
        return self._running().init

    def start(self) -> None:
        """Start it.

        Raises:
            SandboxStartError: Docker could not start it; nothing is left behind.
        """
        if self._closed or self._container is not None:
            raise SandboxStartError("A sandbox starts once; make another.")
        self._container = self._obtain()

    def close(self) -> None:
        """Destroy it. A second call does nothing."""
        self._closed = True
        container, self._container = self._container, None
        if container is not None:
            container.close()
            for terminal in self._terminals:
                terminal.close()

    def alive(self) -> bool:
        """Return whether it still runs."""
        return self._container is not None and self._container.alive()

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
        return run_in(
            self._running(),
            argv,
            stdin=stdin,
            env=environment(self.config, env),
            cwd=cwd,
            timeout=timeout,
            output_limit=output_limit,
        )

    def open_pty(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: PurePosixPath | str = WORKSPACE,
        rows: int = 24,
        columns: int = 80,
    ) -> PtyProcess:
        """Start a command as session leader on a new pseudo-terminal.

        Raises:
            SandboxDiedError: The sandbox is gone, and nothing inside was the cause.
        """
        container = self._running()
        self._terminals = [terminal for terminal in self._terminals if terminal.fd >= 0]
        if not container.alive():
            container.blame()
            return EndedPty()
        started = container.spool.start_on_terminal(
            argv, environment(self.config, env), str(cwd), rows=rows, columns=columns
        )
        terminal = DockerPty(container, Job(container, started), started.streams[0])
        self._terminals.append(terminal)
        return terminal

    def attach_argv(self, argv: Sequence[str], *, cwd: PurePosixPath | str = WORKSPACE) -> list[str]:
        """Return a host command that runs ``argv`` inside on the terminal it is itself started on."""
        uid, gid = identity()
        assignments = [f"{key}={value}" for key, value in environment(self.config).items()]
        return [
            sys.executable, "-I", "-S", "-B", str(_ATTACH), str(self._running().init), str(uid), str(gid), str(cwd),
            str(len(assignments)), *assignments, *argv,
        ]  # fmt: skip

    def kill_all(self) -> None:
        """Kill every process inside but the init."""
        container = self._running()
        if not container.processes.kill_all() and container.alive():
            container.engine.api.pause(container.id)  # nothing can fork while it is frozen
            try:
                for pid in container.processes.numbers():
                    container.processes.signal(pid, 9)
            finally:
                container.engine.api.unpause(container.id)

    def _running(self) -> Container:
        if self._container is None:
            raise SandboxDiedError("The sandbox is not running.")
        return self._container

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Destroy it."""
        self.close()
