"""One started container with everything the host holds of it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from pathlib import Path

from icae_env.errors import SandboxDiedError, SandboxError, SandboxStartError
from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.docker.engine import Engine
from icae_env.sandbox.docker.limits import identity, mode, tmpfs_places
from icae_env.sandbox.docker.processes import Processes
from icae_env.sandbox.docker.spool import NO_TOOLS, Spool
from icae_env.sandbox.rootfiles import RootFiles

_REACHABLE = 10.0
"""Seconds that a started container has to execute its init."""


class Container:
    """A container that is started on construction and destroyed by ``close``."""

    def __init__(self, engine: Engine, config: SandboxConfig, image: str) -> None:
        """Start a container.

        Args:
            engine: The daemon.
            config: What to make.
            image: What the daemon knows the image by.

        Raises:
            SandboxStartError: It could not be started; nothing is left behind.
        """
        self.engine, self.config = engine, config
        self._process = os.getpid()
        self._pidfd = -1
        self._open = contextlib.ExitStack()
        self.id = engine.create(config, image)
        try:
            with engine.errors(SandboxStartError, "Docker could not start a container"):
                engine.api.start(self.id)
            self._reach(image)
        except BaseException:
            self.close()
            raise

    def _reach(self, image: str) -> None:
        state = self.engine.state(self.id)
        if state is None or not state["Running"]:
            raise self._not_started(image)
        self.init: int = state["Pid"]
        uid, gid = identity()
        try:
            self._pidfd = os.pidfd_open(self.init)
            self._open.callback(os.close, self._pidfd)
            self.processes = Processes(self.init, self.id)
            self.files = self._root_files(uid, gid)
            self._open.callback(self.files.close)
            self.spool = Spool.open(
                self.init, uid=uid, gid=gid, drop=os.geteuid() == 0, tag=f"{os.getpid()}-"
            )
            self._open.callback(self.spool.close)
            for place in tmpfs_places(self.config.limits):
                Path(f"/proc/{self.init}/root{place}").chmod(mode(place))
        except OSError as error:
            raise self._not_started(image, error) from error

    def _root_files(self, uid: int, gid: int) -> RootFiles:
        deadline = time.monotonic() + _REACHABLE
        while True:
            try:
                return RootFiles.open(self.init, uid, gid)
            except PermissionError:  # only root may look into a process that has yet to execute its program
                if not self.alive() or time.monotonic() > deadline:
                    raise
            time.sleep(0.001)

    def _not_started(self, image: str, error: OSError | None = None) -> SandboxStartError:
        state = self.engine.state(self.id)
        code = state["ExitCode"] if state and not state["Running"] else None
        if code in (NO_TOOLS, 126, 127):
            return SandboxStartError(
                f"The Docker image '{image}' lacks one of bash, coreutils and util-linux. Mend: icae images build python"
            )
        if code is not None:
            return SandboxStartError(f"The container ended at once with exit code {code}.")
        return SandboxStartError(f"The container cannot be reached from this process: {error}.")

    @property
    def is_ours(self) -> bool:
        """Whether this process started it; a forked child has only a copy, and must leave the container alone."""
        return self._process == os.getpid()

    def alive(self) -> bool:
        """Return whether its init runs."""
        if self._pidfd < 0:
            return False
        poller = select.poll()
        poller.register(self._pidfd, select.POLLIN)
        return not poller.poll(0)

    def blame(self) -> bytes:
        """Say, for a container that has ended, what inside it was the cause.

        Raises:
            SandboxDiedError: Nothing inside can have been: it was removed or killed from outside, or the daemon is gone.
        """
        state = self.engine.state(self.id)
        if state is None:
            raise SandboxDiedError("The container was removed from outside the sandbox.")
        if state["OOMKilled"]:
            return b"The sandbox ran out of memory and ended.\n"
        if os.geteuid() == 0:  # no process inside may signal the init
            raise SandboxDiedError("The container was killed from outside the sandbox.")
        return b"A command inside ended the sandbox.\n"

    def close(self) -> None:
        """Destroy it; a second call does nothing. In a forked child, release only the child's own descriptors.

        Raises:
            SandboxError: The daemon would not remove it.
        """
        if not self.id:
            return
        container, self.id = self.id, ""
        if not self.is_ours:
            self._pidfd = -1
            self._open.close()
            return
        if self._pidfd >= 0:  # quicker than the daemon's own kill
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        self._pidfd = -1
        self._open.close()
        try:
            self.engine.remove(container)
        except SandboxError:
            self.id = container
            raise
