"""Become a process inside a running sandbox (runs in a child of the launcher; standard library only).

The caller must not be dumpable: between joining the PID namespace and execve, a hostile process inside could otherwise open
``/proc/PID/exe`` and ``mem`` of this one (compare CVE-2019-5736).
"""

import fcntl
import os
import resource
import signal
import termios

import syscalls

_NS_GET_USERNS = 0xB701


def join_namespaces(pid: int) -> None:
    """Join every namespace of ``pid``; only a child forked afterwards is in its PID namespace.

    The mount namespace may belong to an outer user namespace (bubblewrap makes two to map a uid other than 0): that one is
    entered first, since it gives the right to join the rest.
    """
    opened = {}
    for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
        opened[name] = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC)
    # Compared before the first change: afterwards /proc is the sandbox's, which does not number this process.
    shared = {name for name, fd in opened.items() if _same(os.fstat(fd), os.stat(f"/proc/self/ns/{name}"))}
    owner = fcntl.ioctl(opened["mnt"], _NS_GET_USERNS)
    syscalls.setns(owner)
    for name in ("mnt", "pid", "net", "ipc", "uts", "cgroup"):
        if name not in shared:
            syscalls.setns(opened[name])
    if not _same(os.fstat(opened["user"]), os.fstat(owner)):
        syscalls.setns(opened["user"])


def join_mounts(pid: int) -> None:
    """Join the mount and UTS namespaces of ``pid`` alone, as root of the user namespace that owns them."""
    opened = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in ("mnt", "uts")]
    syscalls.setns(fcntl.ioctl(opened[0], _NS_GET_USERNS))
    for fd in opened:
        syscalls.setns(fd)
        os.close(fd)


def join_as_root(pid: int) -> bool:
    """Join only the PID namespace, as the host's root, whom nothing inside may signal; return whether that is possible."""
    if os.geteuid() != 0:
        return False
    os.setresuid(0, 0, 0)  # the launcher's real id is the sandboxes' user, who may signal its own
    fd = os.open(f"/proc/{pid}/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    try:
        syscalls.setns(fd)
    except PermissionError:  # a root without CAP_SYS_ADMIN
        return False
    return True


def _same(first: os.stat_result, second: os.stat_result) -> bool:
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)


def place_descriptors(received: list[int], targets: list[int]) -> None:
    """Put each received descriptor on its target number, inheritable, whatever numbers they had."""
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 1000) for fd in received]
    for fd, target in zip(high, targets, strict=True):
        os.dup2(fd, target, inheritable=True)
        os.close(fd)


def become_user(uid: int, gid: int) -> None:
    """Take an unprivileged identity when the launcher runs as root; the identity that owns the sandbox."""
    if os.geteuid() == 0 and uid != 0:
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)


def set_limits(limits: dict[str, int]) -> None:
    """Set resource limits by name (``RLIMIT_NOFILE``), soft and hard alike, never above today's hard limit."""
    for which, bounds in bounded_limits(limits):
        resource.setrlimit(which, bounds)


def bounded_limits(limits: dict[str, int]) -> list[tuple[int, tuple[int, int]]]:
    """Return the number and the (soft, hard) limit of each named resource."""
    found = []
    for name, value in limits.items():
        which = getattr(resource, name)
        hard = resource.getrlimit(which)[1]
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        found.append((which, (bounded, bounded)))
    return found


def new_session(tty: bool) -> None:
    """Lead a session of one's own, with descriptor 0 as its controlling terminal if it is one."""
    os.setsid()
    if tty:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)


DEFAULT_SIGNALS = [
    signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXFSZ, signal.SIGCHLD,
]  # fmt: skip
"""What the launcher, and Python, ignore or handle, and what is started must not."""


def reset_signals() -> None:
    """Give a forked child the signal handling that programs expect."""
    for number in DEFAULT_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def join_groups(paths: list[str]) -> None:
    """Move this process into control groups (by the path of each ``cgroup.procs``)."""
    for path in paths:
        with open(path, "wb", buffering=0) as procs:
            procs.write(b"0")
