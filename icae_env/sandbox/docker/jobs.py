"""A command started through a spool, as the host waits for it."""

from __future__ import annotations

from icae_env.sandbox import process_tree
from icae_env.sandbox.docker.container import Container
from icae_env.sandbox.docker.processes import leader, orphans
from icae_env.sandbox.docker.spool import Started
from icae_env.sandbox.launch.client import Child


class Job(Child):
    """A started command. Its exit code comes over a FIFO; 137 when what waited for it was killed too."""

    def __init__(self, container: Container, started: Started) -> None:
        """Take over ``started.status``."""
        super().__init__(0, -1, started.status)
        self._container, self._name = container, started.name

    def leader(self) -> int | None:
        """Return the host's number of the command, or None when it has not begun or has ended."""
        inner = self._container.spool.inner_number(self._name)
        if inner is None:
            return None
        found = leader(self._container.processes.table(), inner)
        return found.pid if found else None

    def kill_tree(self) -> None:
        """Kill the command with all its descendants, those it has detached included; before it has begun, forbid it to."""
        processes = self._container.processes
        inner = self._container.spool.inner_number(self._name)
        self._container.spool.forget(self._name)
        top = leader(processes.table(), inner) if inner is not None else None
        if inner is None:
            self._code = 137  # no exit code will come
        if top is None:
            return
        process_tree.kill_session(top.pid)
        processes.kill(lambda table: orphans(table, processes.init, top))

    def close(self) -> None:
        """Remove its files and release the descriptor; a second call does nothing."""
        if self._container.is_ours:
            self._container.spool.forget(self._name)
        super().close()
