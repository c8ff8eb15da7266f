"""A seccomp filter for sandboxed commands, as the bytes of a classic BPF program.

It takes away system calls that no build or test needs and that have opened kernels before: new user namespaces, mounting,
keyrings, bpf, userfaultfd, kernel modules and the like, TIOCSTI, sockets of rare families, and the limits of other processes.
Tracing one's own processes stays possible. Denied calls fail with EPERM; clone3 fails with ENOSYS so that the C library falls
back to clone, whose flags a filter can read.
"""

from __future__ import annotations

import errno
import platform
import struct
from functools import cache
from typing import Any

from icae_env.errors import SandboxUnavailableError

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERRNO = 0x00050000
_CLONE_NEWUSER = 0x10000000
_TIOCSTI = 0x5412
_TIOCLINUX = 0x541C
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

# name: (x86_64, aarch64); None where the architecture lacks the call
_DENIED: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89), "add_key": (248, 217), "bpf": (321, 280), "clock_adjtime": (305, 266), "clock_settime": (227, 112),
    "delete_module": (176, 106), "finit_module": (313, 273), "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430),
    "fspick": (433, 433), "init_module": (175, 105), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425), "ioperm": (173, None), "iopl": (172, None), "kexec_file_load": (320, 294),
    "kexec_load": (246, 104), "keyctl": (250, 219), "lookup_dcookie": (212, 18), "mount": (165, 40), "mount_setattr": (442, 442),
    "move_mount": (429, 429), "move_pages": (279, 239), "name_to_handle_at": (303, 264), "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241),
    "pivot_root": (155, 41), "quotactl": (179, 60), "reboot": (169, 142), "request_key": (249, 218), "setdomainname": (171, 162),
    "sethostname": (170, 161), "setns": (308, 268), "settimeofday": (164, 170), "swapoff": (168, 225), "swapon": (167, 224),
    "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282), "vhangup": (153, 58),
}  # fmt: skip
_TRACING: dict[str, tuple[int, int]] = {
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
}  # fmt: skip
_CLONE, _CLONE3, _IOCTL, _PRLIMIT64, _SOCKET = (56, 220), (435, 435), (16, 29), (302, 261), (41, 198)
_FAMILIES = (1, 2, 10, 16)
"""Unix, IPv4, IPv6 and netlink."""
_MOST_FAMILIES = 64
"""More than the kernel has."""


def _statement(code: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, value)


def _jump(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


_LOAD, _RETURN, _EQUAL, _AT_LEAST, _ANY_BIT = 0x20, 0x06, 0x15, 0x35, 0x45
_NUMBER, _ARCH, _ARG0, _ARG1, _ARG2 = 0, 4, 16, 24, 32


@cache
def filter_program(machine: str | None = None, *, tracing: bool = True) -> bytes:
    """Return the filter for a machine type (``platform.machine()`` by default).

    Args:
        machine: The machine type.
        tracing: Whether processes may trace their own; without it nobody can steer a program that he may run but not read.

    Raises:
        SandboxUnavailableError: There is no table for this machine type.
    """
    machine = machine or platform.machine()
    if machine not in _AUDIT_ARCH:
        raise SandboxUnavailableError("bubblewrap", f"no system call table for machine type '{machine}'.")
    column = list(_AUDIT_ARCH).index(machine)
    eperm, enosys = _statement(_RETURN, _ERRNO | errno.EPERM), _statement(_RETURN, _ERRNO | errno.ENOSYS)
    program = [
        _statement(_LOAD, _ARCH),
        _jump(_EQUAL, _AUDIT_ARCH[machine], 1, 0),
        _statement(_RETURN, _KILL),
        _statement(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":  # the x32 calls share the architecture's mark but not its numbers
        program += [_jump(_AT_LEAST, _X32_BIT, 0, 1), enosys]
    program += [_jump(_EQUAL, _CLONE3[column], 0, 1), enosys]
    for numbers in (*_DENIED.values(), *(() if tracing else _TRACING.values())):
        if (number := numbers[column]) is not None:
            program += [_jump(_EQUAL, number, 0, 1), eperm]
    allow = _statement(_RETURN, _ALLOW)
    blocks = {
        _CLONE: [_statement(_LOAD, _ARG0), _jump(_ANY_BIT, _CLONE_NEWUSER, 0, 1), eperm, allow],
        _IOCTL: [
            _statement(_LOAD, _ARG1),
            _jump(_EQUAL, _TIOCSTI, 1, 0),
            _jump(_EQUAL, _TIOCLINUX, 0, 1),
            eperm,
            allow,
        ],
        # The limits of another process of the same user need no right to trace it; those of the init would end it.
        _PRLIMIT64: [
            _statement(_LOAD, _ARG0),
            _jump(_EQUAL, 0, 4, 0),
            _statement(_LOAD, _ARG2),
            _jump(_EQUAL, 0, 0, 3),
            _statement(_LOAD, _ARG2 + 4),
            _jump(_EQUAL, 0, 0, 1),
            allow,
            eperm,
        ],
        # Other families are not bounded by a network namespace (vsock leads to the hypervisor) or open much of the kernel.
        _SOCKET: [
            _statement(_LOAD, _ARG0),
            *(_jump(_EQUAL, family, len(_FAMILIES) - at, 0) for at, family in enumerate(_FAMILIES)),
            _statement(_RETURN, _ERRNO | errno.EAFNOSUPPORT),
            allow,
        ],
    }
    for numbers, block in blocks.items():
        program += [_jump(_EQUAL, numbers[column], 0, len(block)), *block]
    return b"".join([*program, allow])


def profile() -> dict[str, Any]:
    """Return the filter without tracing as a Docker profile, which has names in place of numbers."""
    denied = [*_DENIED, *_TRACING]
    new_user = {"index": 0, "value": _CLONE_NEWUSER, "valueTwo": _CLONE_NEWUSER, "op": "SCMP_CMP_MASKED_EQ"}
    calls: list[dict[str, Any]] = [
        {"names": denied, "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM},
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
        {"names": ["clone"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM, "args": [new_user]},
    ]
    calls += [
        {
            "names": ["ioctl"],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": errno.EPERM,
            "args": [_equal(1, request)],
        }
        for request in (_TIOCSTI, _TIOCLINUX)
    ]
    calls += [
        {
            "names": ["socket"],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": errno.EAFNOSUPPORT,
            "args": [_equal(0, family)],
        }
        for family in range(_MOST_FAMILIES)
        if family not in _FAMILIES
    ]
    return {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": calls}


def _equal(index: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": value, "op": "SCMP_CMP_EQ"}
