"""Build bubblewrap's command line. Every source is bound by descriptor, so that the sandbox's user needs no way to its path."""

from __future__ import annotations

import os
from collections.abc import Sequence

from icae_env.sandbox.base import SANDBOX_UID, WORKSPACE, SandboxConfig
from icae_env.sandbox.mounts import Mount, writable
from icae_env.sandbox.seccomp import filter_program

INFO, READY, HOLD, SECCOMP, LOWER, FIRST_SOURCE = 3, 4, 5, 6, 7, 20
"""Descriptor numbers as bubblewrap and its command see them; dash knows single digits only."""

_INIT_SCRIPT = (
    "trap '' HUP INT QUIT TERM PIPE USR1 USR2 TSTP TTIN TTOU ALRM; "
    f"printf r >&{READY}; exec {READY}>&-; while read -r -u {HOLD} _; do :; done"
)
INIT = ("/bin/bash", "--norc", "--noprofile", "-c", _INIT_SCRIPT)
"""The first process of a lasting sandbox: reaps orphans and ends when the host closes its descriptor."""

_ONCE_SCRIPT = (
    f"exec {LOWER}<&-; command -v setpriv >/dev/null || exit 1; "
    'ulimit -c 0; ulimit -f "$2"; ulimit -n "$3"; [ "$4" = 0 ] || ulimit -d "$4"; '
    'ulimit -p "$1" 2>/dev/null || ulimit -u "$1"; shift 4; trap "" HUP INT QUIT TERM; '
    f"printf r >&{READY}; read -r _ <&{HOLD}; exec {HOLD}<&- 9>&2 2>/dev/null; "
    "(trap - HUP INT QUIT TERM; exec setpriv --ambient-caps=-all --inh-caps=-all -- "
    f'"$@" 2>&9 {READY}>&- 9>&-); printf %s "$?" >&{READY}'
)
"""The folder below the workspace is closed first: its ``..`` is the host's. The command loses the init's capability, which
would let it trace the init."""


TEMPLATE = ("/bin/sh", "-c", f"printf r >&{READY}; read -r _ <&{HOLD}")
"""The first process of a template: keeps its namespaces until the host closes its descriptor."""


def once(config: SandboxConfig, argv: Sequence[str], *, memory_group: bool) -> tuple[str, ...]:
    """Return the init of a sandbox for one command: it waits for the files, runs the command and reports its exit code.

    A report that never comes tells that the init was killed from outside; nothing inside can do that. The limits are set here,
    since the kernel counts processes for each user namespace. Where no control group bounds the memory, each process's data
    segment is bounded.
    """
    limits = config.limits
    data = 0 if memory_group else limits.memory // 1024
    numbers = (limits.processes, limits.file // 512, limits.open_files, data)
    return ("/bin/sh", "-c", _ONCE_SCRIPT, "sh", *map(str, numbers), *argv)


class Sources:
    """The image's part of the command line, with its opened sources; shared by all sandboxes of one image."""

    def __init__(self, mounts: Sequence[Mount]) -> None:
        """Open every bind source.

        Raises:
            OSError: A source is missing.
        """
        self.arguments: list[str] = []
        self.descriptors: dict[int, int] = {}
        self._contents: dict[int, bytes] = {}
        try:
            for mount in mounts:
                self._add(mount)
        except BaseException:
            self.close()
            raise
        # pip's place below a masked directory is bound after the mask, so masks are sealed last
        for mount in mounts:
            if mount.kind == "tmpfs":
                self.arguments += ["--remount-ro", mount.target]

    def _add(self, mount: Mount) -> None:
        number = FIRST_SOURCE + len(self.descriptors) + len(self._contents)
        if mount.kind == "bind":
            self.descriptors[number] = os.open(mount.source, os.O_PATH | os.O_CLOEXEC)
            self.arguments += ["--ro-bind-fd", str(number), mount.target]
        elif mount.kind == "symlink":
            self.arguments += ["--symlink", mount.source, mount.target]
        elif mount.kind == "tmpfs":
            self.arguments += ["--size", "65536", "--tmpfs", mount.target]
        else:
            self._contents[number] = mount.content
            self.arguments += ["--perms", "0644", "--ro-bind-data", str(number), mount.target]

    def fresh_contents(self) -> dict[int, int]:
        """Return new descriptors that hold the contents of ``file`` mounts; bubblewrap reads each once."""
        return {number: memory_file(content) for number, content in self._contents.items()}

    def close(self) -> None:
        """Release the sources."""
        for fd in self.descriptors.values():
            os.close(fd)
        self.descriptors.clear()


def memory_file(content: bytes) -> int:
    """Return a descriptor at the start of an anonymous file with this content."""
    fd = os.memfd_create("stdin", os.MFD_CLOEXEC)
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def arguments(config: SandboxConfig, sources: Sources, *, overlay: bool, template: bool) -> list[str]:
    """Return bubblewrap's options, without the command.

    Args:
        config: The sandbox to make.
        sources: Its image.
        overlay: Whether the workspace starts from the folder on descriptor LOWER instead of empty.
        template: Whether to leave out what is mounted anew for each command, with LOWER itself as the workspace.
    """
    argv = ["bwrap", "--unshare-user", "--uid", str(SANDBOX_UID), "--gid", str(SANDBOX_UID)]
    argv += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"]  # fmt: skip
    argv += [] if config.network else ["--unshare-net"]
    # One harmless capability that no other process inside has: the kernel lets nobody trace the init without it.
    argv += ["--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--cap-add", "CAP_WAKE_ALARM"]
    argv += [*sources.arguments, "--proc", "/proc", "--dev", "/dev"]
    for path, size, mode in writable(config.limits):
        argv += ["--dir", path] if template else ["--perms", mode, "--size", str(size), "--tmpfs", path]
    argv += ["--remount-ro", "/dev"]
    if overlay and template:
        argv += ["--ro-bind-fd", str(LOWER), str(WORKSPACE)]
    elif overlay:
        argv += ["--overlay-src", f"/proc/self/fd/{LOWER}", "--tmp-overlay", str(WORKSPACE)]
    argv += ["--remount-ro", "/", "--chdir", str(WORKSPACE)]
    return [*argv, "--info-fd", str(INFO), "--seccomp", str(SECCOMP)]


def seccomp_file(config: SandboxConfig) -> int:
    """Return a descriptor to read a sandbox's system call filter from."""
    return memory_file(filter_program(tracing=config.tracing))


def resource_limits(config: SandboxConfig, *, memory_group: bool) -> dict[str, int]:
    """Return the resource limits, by name, of a process that enters a sandbox.

    Args:
        config: The sandbox's configuration.
        memory_group: Whether a control group bounds the memory; else each process's data segment is bounded.
    """
    limits = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": config.limits.file,
        "RLIMIT_NOFILE": config.limits.open_files,
        "RLIMIT_NPROC": config.limits.processes,
    }
    if not memory_group:
        limits["RLIMIT_DATA"] = config.limits.memory
    return limits
