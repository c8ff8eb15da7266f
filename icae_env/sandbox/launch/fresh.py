"""Be the init of a sandbox for one command (runs in a child of a template's process; standard library only).

The child starts in the template's mounts, as root of its user namespace, with new PID, mount and IPC namespaces and a network
namespace that nothing has used. It mounts what no two commands may share, writes the files, gives up every right and starts the
command. It is not dumpable, and its memory belongs to the host's user namespace, so nothing inside may trace it or look at its
descriptors.
"""

import errno
import os
import select
import signal
import time

import enter
import syscalls

REPORT = 3
"""Descriptor of the pipe to the template's process."""
_NO_DEVICES = syscalls.MS_NOSUID | syscalls.MS_NODEV
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_DEVPTS_OPTIONS = b"newinstance,ptmxmode=0666,mode=620"


class Recipe:
    """What every sandbox made from one template has."""

    def __init__(self, *, mounts: list[list], workspace: str, uid: int, env: dict[str, str], limits: dict[str, int],
                 overlay: bool, seccomp: bytes, files: list[tuple[str, int, bytes]]) -> None:  # fmt: skip
        self.workspace, self.overlay = os.fsencode(workspace), overlay
        self.env = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        self.path = [f"{folder or '.'}/" for folder in env.get("PATH", "/usr/bin:/bin").split(":")]
        self.mounts = [
            (b"proc", b"/proc", _NO_DEVICES | syscalls.MS_NOEXEC, b""),
            (b"devpts", b"/dev/pts", syscalls.MS_NOSUID | syscalls.MS_NOEXEC, _DEVPTS_OPTIONS),
        ]
        """(kind, target, flags, options)"""
        for path, size, mode in mounts:
            options = f"mode={mode},size={size}".encode()
            if overlay and path == workspace:
                self.space = options
            else:
                self.mounts.append((b"tmpfs", os.fsencode(path), _NO_DEVICES, options))
        user = b"%d 0 1" % uid
        self.maps = [
            (b"/proc/self/setgroups", b"deny"),
            (b"/proc/self/gid_map", user),
            (b"/proc/self/uid_map", user),
        ]
        """What is written where to be the user inside."""
        self.limits = enter.bounded_limits(limits)
        self.filter = syscalls.seccomp_filter(seccomp)
        self.files = files
        """(path below the workspace, mode, content); a path that ends in a slash is a directory."""


def live(recipe: Recipe, argv: list[str], streams: tuple[int, int, int], report: int) -> None:
    """Become the init, run the command and report; this never returns.

    The report is the exit code and the moment the command was started, or a letter, an error number and a text: ``P`` where
    the sandbox could not be prepared, ``F`` where the files could not be written.
    """
    stage = b"P"
    try:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        _keep(streams, report)
        _mount(recipe)
        stage = b"F"
        _write(recipe)
        stage = b"P"
        _become(recipe)
        os.write(REPORT, b"%d %r" % _run(recipe, argv))
    except BaseException as error:  # noqa: BLE001 - a forked child may only report and end
        number = error.errno if isinstance(error, OSError) and error.errno else 0
        os.write(REPORT, b"%s%d %s" % (stage, number, f"{type(error).__name__}: {error}"[:500].encode()))
    finally:
        os._exit(0)


def _keep(streams: tuple[int, int, int], report: int) -> None:
    """Keep the command's streams and the report alone, on their numbers."""
    for target, fd in enumerate(streams):
        os.dup2(fd, target)
    os.dup2(report, REPORT, inheritable=False)
    os.closerange(REPORT + 1, 1 << 20)
    poller = select.poll()
    poller.register(REPORT, 0)
    if poller.poll(0):  # the template's process has gone, and its end was not there to be told of
        os._exit(0)


def _mount(recipe: Recipe) -> None:
    if recipe.overlay:
        _overlay(recipe)
    for kind, target, flags, options in recipe.mounts:
        syscalls.mount(kind, target, flags, options)


def _overlay(recipe: Recipe) -> None:
    """Cover the submission, which the template has as its workspace, with a layer of bounded size.

    The layer lies on /run, which is mounted over afterwards.
    """
    syscalls.mount(b"tmpfs", b"/run", _NO_DEVICES, recipe.space)
    os.mkdir("/run/upper", 0o755)
    os.mkdir("/run/work", 0o755)
    layers = b"lowerdir=%s,upperdir=/run/upper,workdir=/run/work,userxattr" % recipe.workspace
    syscalls.mount(b"overlay", recipe.workspace, _NO_DEVICES, layers)


def _write(recipe: Recipe) -> None:
    os.chdir(recipe.workspace)
    for path, mode, content in recipe.files:
        if path.endswith("/"):
            _make_folders(path)
            continue
        try:
            fd = os.open(path, _NEW_FILE, 0o600)
        except FileNotFoundError:
            _make_folders(os.path.dirname(path))
            fd = os.open(path, _NEW_FILE, 0o600)
        view = memoryview(content)
        while view:
            view = view[os.write(fd, view) :]
        os.fchmod(fd, mode)
        os.close(fd)


def _make_folders(path: str) -> None:
    """Make a folder and those above it; a loop, for a path may be deeper than Python's stack."""
    at = 0
    while at >= 0:
        at = path.find("/", at + 1)
        try:
            os.mkdir(path if at < 0 else path[:at], 0o755)
        except FileExistsError:
            pass


def map_user(recipe: Recipe) -> None:
    """Make a user namespace that has the user inside and nobody else."""
    syscalls.unshare(syscalls.CLONE_NEWUSER)
    # Nobody else is inside yet; the maps of a process that is not dumpable are the host's root's.
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
    for path, text in recipe.maps:
        fd = os.open(path, os.O_WRONLY)
        os.write(fd, text)
        os.close(fd)
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)


def _become(recipe: Recipe) -> None:
    """Be the user inside, in a user namespace of one's own, which the kernel counts processes for."""
    map_user(recipe)
    for which, bounds in recipe.limits:
        enter.resource.setrlimit(which, bounds)
    syscalls.drop_capabilities()
    syscalls.clear_capabilities()
    syscalls.install_filter(recipe.filter)


def _run(recipe: Recipe, argv: list[str]) -> tuple[int, float]:
    """Run the command; reap every orphan until it has ended; return its exit code and when it was started."""
    begun = time.monotonic()
    try:
        child = _spawn(recipe, argv)
    except (OSError, ValueError) as error:
        os.write(2, f"{argv[0]}: {getattr(error, 'strerror', None) or error}\n".encode(errors="replace"))
        return 127 if isinstance(error, FileNotFoundError) else 126, begun
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code, begun


def _spawn(recipe: Recipe, argv: list[str]) -> int:
    """Start the command as a shell would: by its path or along PATH, and by /bin/sh where it is a script without a first line."""
    places = [""] if "/" in argv[0] else recipe.path
    failure: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for place in places:
        path = place + argv[0]
        for words, program in ((argv, path), (["/bin/sh", path, *argv[1:]], "/bin/sh")):
            try:
                return os.posix_spawn(
                    program, words, recipe.env, setsid=True, setsigmask=[], setsigdef=enter.DEFAULT_SIGNALS
                )
            except (FileNotFoundError, NotADirectoryError):
                break
            except PermissionError as error:
                failure = error
                break
            except OSError as error:
                if error.errno != errno.ENOEXEC:
                    raise
    raise failure
