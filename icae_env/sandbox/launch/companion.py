"""Be a companion: a second sandbox beside a running one (runs in a child of the launcher; standard library only).

It sees the image and the workspace of the first and nothing else of it: a copy of its mount namespace, in which everything else
that can be written is mounted anew, with PID, network, IPC and user namespaces of its own. One program lies there, sealed, on a
read-only mount. Where the host's root starts it, folder and file belong to another user, for whom alone it is executable and who
acts in the one call that executes it: nothing inside can read it, run it again or run it with other variables or another loader.
Without root there is no other user. The file can then be executed but not read, and the folder cannot be entered: nothing but the
program itself could run it again, and only one that runs what it is told to, with the variables it is told, would do so.

This process is its init. It is not dumpable, and its memory belongs to the host's user namespace, so nothing inside may trace it.
A request is a letter and JSON: ``S`` starts the program and brings the three streams and a pipe that gets the exit code (negative:
the signal) in the end, ``T`` makes a terminal, ``C`` asks for changed files.
"""

import fcntl
import gc
import json
import os
import select
import signal
import socket

import enter
import failures
import messages
import remains
import syscalls
from sealing import SEALER, Recipe, become, mount, seal

CONTROL = 3
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
        self.capable = syscalls.capabilities()
        self.incapable = bytes(4) + self.capable[4:12] + bytes(4) + self.capable[16:]
        """The same rights, none of them in effect."""

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
            kind, body = message[:1], message[1:]
            if kind == b"S":
                reply, passed = self.start(fds, body)
            elif kind == b"T":
                reply, passed = self.terminal()
            else:
                reply, passed = remains.changes(self.recipe.workspace, **json.loads(body))
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

    def start(self, fds: list[int], body: bytes):
        """Run the program; the client gets a pidfd.

        posix_spawn shares this process's memory until the program is executed; a fork would copy its page tables, and take longer
        than all the rest of a call. So what has to be done before is done in this process, and undone.

        Args:
            fds: The three streams, a pipe for the exit code, and where the request is large, a memory file with it.
            body: The request.
        """
        request = json.loads(os.pread(fds[4], 1 << 26, 0) if body == b"large" else body)
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100) for fd in fds[:3]]
        actions = [(os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(high)]
        terminal = next((fd for fd in high if os.isatty(fd)), -1) if request["tty"] else -1
        if terminal >= 0:  # whoever leads a session and opens one gets it as his own
            actions.insert(0, (os.POSIX_SPAWN_OPEN, 0, os.ttyname(terminal), os.O_RDWR, 0))
        ignored = set(request["ignored"])
        try:
            _enter_folder(request["cwd"], self.recipe.workspace)
            pid = self.spawn(request["argv"], request["env"], actions, ignored)
        finally:
            os.chdir("/")
            for fd in high:
                os.close(fd)
        self.status[pid] = fds[3]
        return {}, [os.pidfd_open(pid)]

    def spawn(self, argv: list[str], env: dict[str, str], actions: list[tuple], ignored: set[int]) -> int:
        """Start the program with no right to read it, so that the kernel keeps its memory from everybody."""
        program = f"/proc/self/fd/{self.program}"
        defaults = [number for number in enter.DEFAULT_SIGNALS if number not in ignored]
        try:
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)
            if self.recipe.sealer:
                program = f"{self.recipe.place}/{self.recipe.program}"
                syscalls.act_as(SEALER)
            syscalls.set_capabilities(self.incapable)
            return os.posix_spawn(
                program, argv, env, setsid=True, setsigmask=[], setsigdef=defaults, file_actions=actions
            )
        finally:
            syscalls.set_capabilities(self.capable)
            if self.recipe.sealer:
                syscalls.act_as(self.recipe.inside)
                syscalls.prctl(
                    syscalls.PR_SET_PDEATHSIG, signal.SIGKILL
                )  # a change of identity has cleared it
            for number in ignored:
                signal.signal(number, signal.SIG_DFL)

    def terminal(self):
        """Make a pseudo-terminal and return both its ends."""
        master = os.open("/dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        fcntl.ioctl(master, _UNLOCK, _UNLOCKED)
        slave = fcntl.ioctl(master, _GRANTPT, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        os.fchmod(slave, 0o666)  # it is opened while another user acts
        return {}, [master, slave]

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
                if self.status:
                    remains.kill_session(pid)
                else:
                    remains.kill_all()
        for fd, code in ended:
            try:
                os.write(fd, b"%d" % code)
            except BrokenPipeError:
                pass
            os.close(fd)


def _enter_folder(cwd: str, workspace: str) -> None:
    """Go to a folder in the workspace; what is on the way may change meanwhile, so it is looked at from where it ends."""
    os.chdir(cwd)
    here = os.getcwd()
    if here != workspace and not here.startswith(workspace + "/"):
        raise PermissionError(1, "the directory is not in the workspace")
