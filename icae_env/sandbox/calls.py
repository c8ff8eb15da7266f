"""One run of a companion's program, as the host waits for it."""

from __future__ import annotations

import contextlib
import os
import select
import signal


class SharedCall:
    """Implement ``beside.Call``."""

    def __init__(self, pidfd: int, status: int) -> None:
        self._pidfd, self._status = pidfd, status
        self._code: int | None = None
        self.pid = _pid_of(pidfd)
        """The host's number of its first process; 0 when that has ended already."""

    @property
    def status_fd(self) -> int:
        """A descriptor that becomes readable when it has ended and nothing of it is left."""
        return self._status

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait up to ``timeout`` seconds and return the exit code, negative after a signal, or None."""
        if self._code is None:
            poller = select.poll()
            poller.register(self._status, select.POLLIN)
            if poller.poll(None if timeout is None else max(timeout, 0.0) * 1000):
                text = os.read(self._status, 16)
                self._code = int(text) if text else -signal.SIGKILL  # the companion is gone
        return self._code

    def signal(self, number: int) -> None:
        """Send a signal to its process group; nothing happens when it has ended."""
        if self.pid > 0 and not _ended(self._pidfd):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def kill(self) -> None:
        """Kill it; what it has started goes with it."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Kill what still runs and release the descriptors; a second call does nothing."""
        if self._pidfd < 0:
            return
        self.kill()
        os.close(self._pidfd)
        os.close(self._status)
        self._pidfd = self._status = -1


def _ended(pidfd: int) -> bool:
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(0))


def _pid_of(pidfd: int) -> int:
    with open(f"/proc/self/fdinfo/{pidfd}", encoding="ascii") as info:  # noqa: PTH123 - for each call
        for line in info:
            if line.startswith("Pid:"):
                return max(int(line.split()[1]), 0)
    return 0
