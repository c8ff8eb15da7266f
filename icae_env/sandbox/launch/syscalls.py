"""The Linux calls the launcher needs and Python 3.11 does not offer (standard library only)."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2
_LAST_CAPABILITY = 63


class _SockFprog(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def prctl(option: int, *values: int) -> None:
    """Call prctl with up to four unsigned long arguments."""
    padded = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    _check(_libc.prctl(option, *padded), f"prctl {option}")


def setns(fd: int) -> None:
    """Join the namespace that ``fd`` names."""
    _check(_libc.setns(fd, 0), "setns")


def install_seccomp(program: bytes) -> None:
    """Install a classic BPF filter (an array of 8-byte instructions) for this thread and its children."""
    prog = _SockFprog(len(program) // 8, program)
    _check(
        _libc.prctl(
            PR_SET_SECCOMP,
            ctypes.c_ulong(SECCOMP_MODE_FILTER),
            ctypes.byref(prog),
            ctypes.c_ulong(0),
            ctypes.c_ulong(0),
        ),
        "seccomp",
    )


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
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
