"""A command on a pseudo-terminal of the container's own devpts, whose other end the host holds."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import struct
import termios

from icae_env.sandbox import process_tree
from icae_env.sandbox.docker.container import Container
from icae_env.sandbox.docker.jobs import Job


class DockerPty:
    """Implement ``base.PtyProcess``."""

    def __init__(self, container: Container, job: Job, fd: int) -> None:
        """Take over a job and its terminal."""
        self._container, self._job, self.fd = container, job, fd

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        if not self._container.alive():
            return self._job.poll() or 137
        return self._job.poll()

    def interrupt(self) -> None:
        """Send SIGINT to the terminal's foreground process group."""
        (group,) = struct.unpack("i", fcntl.ioctl(self.fd, termios.TIOCGPGRP, bytes(4)))
        if group > 0:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGINT)

    def kill_children(self) -> None:
        """Kill the terminal's foreground process group and its descendants, but not the command itself."""
        if (pid := self._job.leader()) is not None:
            process_tree.kill_foreground(pid)

    def close(self) -> None:
        """Kill the command and what is left of its session, and release the descriptor; a second call does nothing.

        In a forked child, only the child's own descriptor is released.
        """
        if self.fd < 0:
            return
        ours = self._container.is_ours
        if ours and self._job.poll() is None and (pid := self._job.leader()) is not None:
            process_tree.kill_session(pid)
        self._job.close()
        os.close(self.fd)
        self.fd = -1


class EndedPty:
    """The terminal of a sandbox that its own commands have ended: end of file, exit code 137."""

    def __init__(self) -> None:
        """Open a descriptor that is at its end."""
        self.fd, writer = os.pipe2(os.O_CLOEXEC)
        os.close(writer)

    def poll(self) -> int | None:
        """Return 137."""
        return 137

    def interrupt(self) -> None:
        """Do nothing."""

    def kill_children(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Release the descriptor; a second call does nothing."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
