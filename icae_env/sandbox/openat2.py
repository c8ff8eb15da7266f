"""Open files below a directory so that no link can lead outside it: the ``openat2`` system call of Linux 5.6.

Python has no binding for it. The number 437 is the same on every architecture Linux runs on.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_SYS_OPENAT2 = 437
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_IN_ROOT = 0x10

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_in_root(root: int, path: bytes, flags: int, mode: int = 0) -> int:
    """Open ``path`` as if the directory ``root`` were ``/``.

    Args:
        root: Descriptor of a directory.
        path: Path inside; absolute links and ``..`` stay below ``root``, magic links (``/proc/*/fd``) are refused.
        flags: As for ``os.open``; O_CLOEXEC is added.
        mode: Permission bits of a file that is created.

    Returns:
        A new descriptor.

    Raises:
        OSError: As ``os.open`` would.
    """
    how = _OpenHow(
        flags | os.O_CLOEXEC, mode if flags & os.O_CREAT else 0, _RESOLVE_IN_ROOT | _RESOLVE_NO_MAGICLINKS
    )
    while True:
        fd = _libc.syscall(_SYS_OPENAT2, root, ctypes.c_char_p(path), ctypes.byref(how), ctypes.sizeof(how))
        if fd >= 0:
            return int(fd)
        code = ctypes.get_errno()
        if code not in (4, 11):  # EINTR; EAGAIN: a rename raced with the walk
            raise OSError(code, os.strerror(code), os.fsdecode(path))


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapData(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


_CAP_VERSION_3 = 0x20080522


def _call(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


@contextmanager
def acting_as(uid: int, gid: int) -> Iterator[None]:
    """Give this thread's file accesses another user's identity, so that the kernel checks and owns as for that user.

    Only root needs it; for other callers uid and gid are already their own and nothing happens. The raw calls change the
    calling thread alone. Files of /proc ask for capabilities besides the owner (to trace a process, to lower its badness),
    so the thread has none meanwhile.
    """
    if os.geteuid() != 0 or uid == 0:
        yield
        return
    header, held, none = _CapHeader(_CAP_VERSION_3, 0), (_CapData * 2)(), (_CapData * 2)()
    _call(_libc.capget(ctypes.byref(header), held), "capget")
    for part, whole in zip(none, held, strict=True):
        part.permitted, part.inheritable = whole.permitted, whole.inheritable
    _libc.setfsgid(gid)
    _libc.setfsuid(uid)
    try:
        _call(_libc.capset(ctypes.byref(header), none), "capset")
        yield
    finally:
        # First the user: that brings back some capabilities by itself, the call after it brings back exactly those before.
        _libc.setfsuid(0)
        _libc.setfsgid(0)
        _call(_libc.capset(ctypes.byref(header), held), "capset")
