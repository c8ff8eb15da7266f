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
from sealing import Recipe, become, mount, seal
from spare import Spare

CONTROL = 3
_CLONE_NEWUTS = 0x04000000
_KINDS = (
    syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWNET | _CLONE_NEWUTS | syscalls.CLONE_NEWCGROUP
)  # fmt: skip
_BUSY = 5
"""Milliseconds in which nothing comes, while a call runs, before a spare process is made for the next."""
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
        self.spare: Spare | None = None

    def serve(self) -> None:
        """Answer requests until end of file."""
        wake_read, wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poller = select.poll()
        poller.register(wake_read, select.POLLIN)
        poller.register(self.control, select.POLLIN)
        while True:
            ready = poller.poll(0 if not self.status else _BUSY)
            if self.spare is None and not ready:
                self.spare = Spare(self.recipe, self.program)
            for fd, _ in ready or poller.poll():
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
        """Run the program; the client gets a pidfd, and a pipe that tells of a failure to execute it.

        Args:
            fds: The three streams, a pipe for the exit code, and where the request is large, a memory file with it.
            body: The request.
        """
        spare = self.spare or Spare(self.recipe, self.program)
        self.spare = None
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        try:
            pidfd = spare.begin(body, [*fds[:3], report_write, *fds[4:]])
        except BaseException:
            os.close(report_read)
            spare.drop()
            raise
        finally:
            os.close(report_write)
        self.status[spare.pid] = fds[3]
        return {}, [pidfd, report_read]

    def terminal(self):
        """Make a pseudo-terminal and return both its ends."""
        master = os.open("/dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        fcntl.ioctl(master, _UNLOCK, _UNLOCKED)
        return {}, [master, fcntl.ioctl(master, _GRANTPT, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)]

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
                elif remains.any_but(self.spare.pid if self.spare else 0):
                    if self.spare is not None:
                        self.spare.drop()  # it is about to be killed too
                        self.spare = None
                    remains.kill_all()
            elif self.spare is not None and pid == self.spare.pid:
                self.spare.drop()
                self.spare = None
        for fd, code in ended:
            try:
                os.write(fd, b"%d" % code)
            except BrokenPipeError:
                pass
            os.close(fd)
