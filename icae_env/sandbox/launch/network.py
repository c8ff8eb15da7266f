"""Network namespaces for one-command sandboxes (runs in a template's process; standard library only).

Making one and tearing it down costs as much as all the rest of a sandbox, and hardly any program that is graded uses it. So one
that nothing has used serves the next command too: nothing can be told from it, for the kernel's own accounts are as they were
when it was new. They count every packet, every failed attempt at sending one and every socket, and whoever has no capability
can leave nothing else behind. The namespace belongs to a user namespace without a root, so nobody inside may write its sysctls.
"""

import array
import fcntl
import os
import socket
import struct

import fresh
import messages
import syscalls

_SIOCSIFFLAGS = 0x8914
_LOOPBACK_UP = struct.pack("16sh14x", b"lo", 1)
_ACCOUNTS = ("dev", "snmp", "netstat", "snmp6", "sockstat")
_ROOM = 1 << 16


class Network:
    """The network namespace of this process, and so of those it forks."""

    def __init__(self, recipe: fresh.Recipe) -> None:
        """Join a new one."""
        self.recipe = recipe
        self.accounts: list[int] = []
        self.renew()

    def renew(self) -> None:
        """Join a new one in place of the one that was used."""
        for fd in self.accounts:
            os.close(fd)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        maker = syscalls.fork_into(syscalls.CLONE_NEWPID | syscalls.CLONE_NEWNS)
        if maker == 0:
            _make(self.recipe, theirs)
        theirs.close()
        message, fds = messages.receive(ours, 4096)
        ours.close()
        os.waitpid(maker, 0)
        if not fds:
            raise OSError(0, f"no network namespace: {message.decode(errors='replace')}")
        syscalls.setns(fds[0])
        os.close(fds[0])
        self.accounts = fds[1:]
        self.when_new = self.read()

    def read(self) -> list[bytes]:
        """Return what the kernel has counted in it."""
        *counted, sockets = [os.pread(fd, _ROOM, 0) for fd in self.accounts]
        return [*counted, sockets.partition(b"\n")[0]]  # the lines below are about the whole machine

    def refresh(self) -> None:
        """Renew it if it was used."""
        if self.read() != self.when_new:
            self.renew()


def _make(recipe: fresh.Recipe, channel: socket.socket) -> None:
    """Make a network namespace and send it along with its accounts; this never returns."""
    try:
        syscalls.mount(b"proc", b"/proc", syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC, b"")
        fresh.map_user(recipe)
        syscalls.unshare(syscalls.CLONE_NEWNET)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, _LOOPBACK_UP)
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)  # else its folder in /proc is the host's root's
        paths = ["/proc/self/ns/net", *(f"/proc/self/net/{name}" for name in _ACCOUNTS)]
        fds = array.array("i", [os.open(path, os.O_RDONLY) for path in paths if os.path.exists(path)])
        channel.sendmsg([b"made"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
    except BaseException as error:  # noqa: BLE001 - a forked child may only report and end
        channel.send(f"{type(error).__name__}: {error}".encode())
    finally:
        os._exit(0)
