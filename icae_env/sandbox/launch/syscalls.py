"""The Linux calls the launcher needs and Python 3.11 does not offer (standard library only)."""

import ctypes
import os
import signal
import struct

_libc = ctypes.CDLL(None, use_errno=True)
_libc_held = ctypes.PyDLL(None, use_errno=True)
"""Keeps Python's lock during a call, so that a process forked by one has it."""

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2
CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
_CLONE_NUMBER = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine, -1)
_CAPABILITY_HEADER = struct.pack("=Ii", 0x20080522, 0)
"""Version 3 of the interface, the calling process."""
_LAST_CAPABILITY = 63


class _SockFprog(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def prctl(option: int, first: int, second: int = 0) -> None:
    """Call prctl with small arguments."""
    _check(_libc.prctl(option, first, second, 0, 0), "prctl")


def setns(fd: int) -> None:
    """Join the namespace that ``fd`` names."""
    _check(_libc.setns(fd, 0), "setns")


def unshare(flags: int) -> None:
    """Get new namespaces of the given kinds."""
    _check(_libc.unshare(flags), "unshare")


def fork_into(flags: int) -> int:
    """Fork into new namespaces of the given kinds; return 0 in the child.

    Only for a process with one thread, whose child soon executes a program or ends: what Python does after a fork is left out.
    """
    pid: int = _libc_held.syscall(_CLONE_NUMBER, flags | signal.SIGCHLD, None, None, None, None)
    _check(min(pid, 0), "clone")
    return pid


def mount(kind: bytes, target: bytes, flags: int, options: bytes) -> None:
    """Mount a new file system of a kind."""
    _check(_libc.mount(kind, target, kind, flags, options), "mount")


def clear_capabilities() -> None:
    """Give up the capabilities this process holds."""
    _check(_libc.capset(_CAPABILITY_HEADER, bytes(24)), "capset")


def capabilities() -> bytes:
    """Return the capabilities of this process, two times (effective, permitted, inheritable)."""
    held = ctypes.create_string_buffer(24)
    _check(_libc.capget(_CAPABILITY_HEADER, held), "capget")
    return held.raw


def set_capabilities(held: bytes) -> None:
    """Set the capabilities of this process, in the form of ``capabilities``."""
    _check(_libc.capset(_CAPABILITY_HEADER, held), "capset")


def act_as(uid: int) -> None:
    """Let this thread's file accesses be those of another user and his group, until it executes a program."""
    _libc.setfsgid(uid)
    _libc.setfsuid(uid)


def install_seccomp(program: bytes) -> None:
    """Install a classic BPF filter (an array of 8-byte instructions) for this thread and its children."""
    install_filter(seccomp_filter(program))


def seccomp_filter(program: bytes) -> ctypes.Structure:
    """Return a classic BPF filter as the kernel takes it."""
    return _SockFprog(len(program) // 8, program)


def install_filter(prog: ctypes.Structure) -> None:
    """Install a filter for this thread and its children."""
    _check(_libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(prog), 0, 0), "seccomp")


def hide_arguments() -> None:
    """Overwrite this process's command line, which whoever shares a sandbox with a child could read until it executes."""
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)


def drop_capabilities() -> None:
    """Give up every capability for good: bounding and ambient set now, the others at the next execve as a non-root user."""
    for capability in range(_LAST_CAPABILITY + 1):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
