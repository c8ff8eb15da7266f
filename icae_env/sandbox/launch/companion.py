"""Be a companion: a second sandbox beside a running one (runs in a child of the launcher; standard library only).

It sees the image and the workspace of the first and nothing else of it: a copy of its mount namespace, in which everything else
that can be written is mounted anew, with PID, network, IPC and user namespaces of its own. One program lies there, sealed, on a
read-only mount. Where the host's root starts it, folder and file belong to another user, for whom alone it is executable and who
acts in the one call that executes it: nothing inside can read it, run it again or run it with other variables or another loader.
Without root there is no other user. The file can then be executed but not read, and the folder cannot be entered: nothing but the
program itself could run it again, and only one that runs what it is told to, with the variables it is told, would do so.

This process is its init. It is not dumpable, and its memory belongs to the host's user namespace, so nothing inside may trace it.
A request is JSON; ``start`` brings the three streams and a pipe that gets the exit code (negative: the signal) in the end.
"""

import fcntl
import gc
import json
import os
import select
import signal
import socket
import termios

import enter
import failures
import messages
import remains
import syscalls
from sealing import SEALER, Recipe, become, mount, seal

CONTROL = 3
_REPORT, _PROGRAM = 9, 10
_CLONE_NEWUTS = 0x04000000
_KINDS = (
    syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWNET | _CLONE_NEWUTS | syscalls.CLONE_NEWCGROUP
)  # fmt: skip
_GRANTPT, _UNLOCKED = 0x5441, b"\0\0\0\0"
_UNLOCK = 0x40045431


def serve(control: int, spec: int, *, pid: int, uid: int, gid: int, groups: list[str]) -> None:
    """Make a companion beside the sandbox whose init is ``pid`` and serve it until end of file; this never returns.

    Or place a program in that sandbox, if the recipe says so.

    Args:
        control: A SOCK_SEQPACKET socket to the client.
        spec: A memory file: a line of JSON, the contents of the files, the system call filter.
        pid: The init of the sandbox beside which it is made.
        uid: The host user that owns that sandbox.
        gid: And its group.
        groups: Control groups to join.
    """
    try:
        head, _, contents = os.pread(spec, os.fstat(spec).st_size, 0).partition(b"\n")
        recipe = Recipe(**json.loads(head), contents=contents)
        os.dup2(control, CONTROL, inheritable=False)
        os.closerange(CONTROL + 1, 1 << 20)
        signal.set_wakeup_fd(-1)
        enter.reset_signals()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        enter.join_groups(groups)
        if recipe.sealer:
            os.setresuid(0, 0, 0)
            recipe.owner, recipe.keeper = uid, recipe.sealer
        else:
            enter.become_user(uid, gid)
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        (_join if recipe.sealer else enter.join_mounts)(pid)
        if recipe.direct:
            os.umask(0o022)
            seal(recipe)
            os.write(CONTROL, b"ready")
            os._exit(0)
        syscalls.unshare(_KINDS)
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        init = syscalls.fork_into(syscalls.CLONE_NEWPID)
        if init == 0:
            live(recipe)
        os.close(CONTROL)
        os.waitpid(init, 0)
    except BaseException as error:  # noqa: BLE001 - a forked child may only report and end
        os.write(CONTROL, failures.text(error))
    finally:
        os._exit(0)


def _join(pid: int) -> None:
    """Join the mount and UTS namespaces of a process as the host's root."""
    for fd in [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in ("mnt", "uts")]:
        syscalls.setns(fd)
        os.close(fd)


def live(recipe: Recipe) -> None:
    """Become the init and answer requests; this never returns."""
    try:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        gc.disable()
        os.umask(0o022)
        mount(recipe)
        seal(recipe)
        program = os.open(f"{recipe.place}/{recipe.program}", os.O_PATH | os.O_CLOEXEC)
        become(recipe)
        os.write(CONTROL, b"ready")
        Init(recipe, program, socket.socket(fileno=CONTROL)).serve()
    except ConnectionError:
        pass
    except BaseException as error:  # noqa: BLE001
        os.write(CONTROL, failures.text(error))
    finally:
        os._exit(0)


class Init:
    """The first process of a companion: starts the program, reaps, and lets nothing outlive the call it belongs to."""

    def __init__(self, recipe: Recipe, program: int, control: socket.socket) -> None:
        self.recipe, self.program, self.control = recipe, program, control
        self.status: dict[int, int] = {}

    def serve(self) -> None:
        """Answer requests until end of file."""
        wake_read, wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poller = select.poll()
        poller.register(wake_read, select.POLLIN)
        poller.register(self.control, select.POLLIN)
        while True:
            for fd, _ in poller.poll():
                if fd == wake_read:
                    os.read(wake_read, 4096)
                    self.reap()
                elif not self.answer():
                    return

    def answer(self) -> bool:
        """Answer one request; return False when the client is gone."""
        message, fds = messages.receive(self.control, 1 << 16)
        if not message:
            return False
        passed: list[int] = []
        try:
            request = json.loads(message)
            if request.pop("large", False):
                request = json.loads(os.pread(fds[0], os.fstat(fds[0]).st_size, 0))
                os.close(fds.pop(0))
            do = {"start": self.start, "terminal": self.terminal, "changes": self.changes}[request.pop("do")]
            reply, passed = do(fds, **request)
        except (OSError, ValueError) as error:
            reply = {"error": failures.text(error).decode(errors="replace")}
        finally:
            for fd in fds:
                if fd not in self.status.values():
                    os.close(fd)
        socket.send_fds(self.control, [json.dumps(reply).encode()], passed)
        for fd in passed:
            os.close(fd)
        return True

    def start(
        self, fds: list[int], *, argv: list[str], env: dict[str, str], cwd: str, tty: bool, ignored: list[int]
    ):
        """Run the program; the client gets a pidfd, and a pipe that tells of a failure to execute it."""
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        child = os.fork()
        if child == 0:
            try:
                signal.set_wakeup_fd(-1)
                enter.reset_signals()
                enter.place_descriptors([*fds[:3], report_write, self.program], [0, 1, 2, _REPORT, _PROGRAM])
                for fd in (_REPORT, _PROGRAM):
                    os.set_inheritable(fd, False)
                os.closerange(_PROGRAM + 1, 1 << 20)
                for number in ignored:
                    signal.signal(number, signal.SIG_IGN)
                enter.new_session(False)
                if tty:
                    _control_terminal()
                _enter_folder(cwd, self.recipe.workspace)
                for which, bounds in self.recipe.limits:
                    enter.resource.setrlimit(which, bounds)
                self.execute(argv, env)
            except BaseException as error:  # noqa: BLE001
                os.write(_REPORT, failures.text(error))
            finally:
                os._exit(126)
        os.close(report_write)
        self.status[child] = fds[3]
        return {}, [os.pidfd_open(child), report_read]

    def execute(self, argv: list[str], env: dict[str, str]) -> None:
        """Become the program, with no right to read it, so that the kernel keeps its memory from everybody."""
        program: int | str = _PROGRAM
        if self.recipe.sealer:
            syscalls.act_as(SEALER)
            program = f"{self.recipe.place}/{self.recipe.program}"
        syscalls.clear_capabilities()
        os.execve(program, argv, env)

    def terminal(self, fds: list[int]):
        """Make a pseudo-terminal and return both its ends."""
        master = os.open("/dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        fcntl.ioctl(master, _UNLOCK, _UNLOCKED)
        return {}, [master, fcntl.ioctl(master, _GRANTPT, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)]

    def changes(self, fds: list[int], *, since: int, until: int, most: int, size: int):
        """Return the files of the workspace that were changed within a time."""
        return remains.changes(self.recipe.workspace, since, until, most=most, size=size)

    def reap(self) -> None:
        """Collect what has ended. With a call, all goes that it has left behind, before its end is told."""
        ended = []
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid in self.status:
                ended.append((self.status.pop(pid), os.waitstatus_to_exitcode(status)))
                remains.kill(pid, alone=not self.status)
        for fd, code in ended:
            try:
                os.write(fd, b"%d" % code)
            except BrokenPipeError:
                pass
            os.close(fd)


def _control_terminal() -> None:
    """Make whichever stream is a terminal the controlling one."""
    for fd in (0, 1, 2):
        if os.isatty(fd):
            fcntl.ioctl(fd, termios.TIOCSCTTY, 0)
            return


def _enter_folder(cwd: str, workspace: str) -> None:
    """Go to a folder in the workspace; what is on the way may change meanwhile, so it is looked at from where it ends."""
    os.chdir(cwd)
    here = os.getcwd()
    if here != workspace and not here.startswith(workspace + "/"):
        raise PermissionError(1, "the directory is not in the workspace")
