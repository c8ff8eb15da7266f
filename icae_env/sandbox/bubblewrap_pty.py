"""Pseudo-terminals of bubblewrap sandboxes."""

from __future__ import annotations

import os
import pty
import struct
from fcntl import ioctl

from icae_env.sandbox import process_tree
from icae_env.sandbox.launch.client import Child
from icae_env.sandbox.namespaces import Namespaces

_TIOCSPTLCK, _TIOCGPTPEER = 0x40045431, 0x5441


class BubblewrapPty:
    """A command on a pseudo-terminal whose other end the host holds."""

    def __init__(self, fd: int, child: Child) -> None:
        self.fd, self._child = fd, child

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._child.poll()

    def interrupt(self) -> None:
        """Send SIGINT to the terminal's foreground process group."""
        process_tree.interrupt_foreground(self._child.pid)

    def kill_children(self) -> None:
        """Kill the terminal's foreground process group and its descendants, but not the command itself."""
        process_tree.kill_foreground(self._child.pid)

    def close(self) -> None:
        """Kill the command and what is left of its session, and release the descriptor."""
        if self.fd < 0:
            return
        if not self._child.ended():
            process_tree.kill_session(self._child.pid)
            self._child.wait(5.0)
        self._child.close()
        os.close(self.fd)
        self.fd = -1


def open_terminal(namespaces: Namespaces) -> tuple[int, int]:
    """Return both ends of a pseudo-terminal of the sandbox's own, so that it has a name inside.

    Where what runs inside has used them all up, one of the host's serves as well, though it is nameless there.
    """
    try:
        master = namespaces.terminal()
    except OSError:
        master, slave = pty.openpty()
        os.set_inheritable(master, False)
        namespaces.give(slave)
        return master, slave
    try:
        unlocked = struct.pack("i", 0)
        ioctl(master, _TIOCSPTLCK, unlocked)
        return master, ioctl(master, _TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        os.close(master)
        raise
