"""The process that the next call of a companion's program will be (standard library only).

Forking a Python process and touching its memory for the first time takes longer than all the rest of a call. So a spare one waits
with everything done that is the same for all calls, until the init passes a request on to it.
"""

import fcntl
import json
import os
import signal
import socket
import termios

import enter
import failures
import messages
import syscalls
from sealing import SEALER, Recipe

REPORT, PROGRAM, CHANNEL = 9, 10, 11


class Spare:
    """A spare process as the init sees it."""

    def __init__(self, recipe: Recipe, program: int) -> None:
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            _wait(recipe, program, theirs)
        theirs.close()
        self.pidfd = os.pidfd_open(self.pid)

    def begin(self, message: bytes, fds: list[int]) -> int:
        """Let it run the program: streams come first, then a pipe for a failure to execute; return a pidfd.

        Raises:
            OSError: It is gone.
        """
        socket.send_fds(self.channel, [message], fds)
        self.channel.close()
        return self.pidfd

    def drop(self) -> None:
        """Forget it: it ends with its channel."""
        self.channel.close()
        os.close(self.pidfd)


def _wait(recipe: Recipe, program: int, channel: socket.socket) -> None:
    """Wait for a request and become the program; this never returns."""
    try:
        signal.set_wakeup_fd(-1)
        enter.reset_signals()
        os.dup2(program, PROGRAM, inheritable=False)
        os.dup2(channel.detach(), CHANNEL, inheritable=False)
        os.closerange(CHANNEL + 1, 1 << 20)
        os.closerange(3, PROGRAM)
        enter.new_session(False)
        for which, bounds in recipe.limits:
            enter.resource.setrlimit(which, bounds)
        json.loads(json.dumps({"warm": ["up"]}))
        message, fds = messages.receive(socket.socket(fileno=CHANNEL), 1 << 16)
        if message:
            _run(recipe, message, fds)
    except BaseException as error:  # noqa: BLE001 - a forked child may only report and end
        try:
            os.write(REPORT, failures.text(error))
        except OSError:
            pass
    finally:
        os._exit(126)


def _run(recipe: Recipe, message: bytes, fds: list[int]) -> None:
    request = json.loads(os.pread(fds.pop(), 1 << 26, 0) if message == b"large" else message)
    for fd, target in zip(fds, (0, 1, 2, REPORT), strict=True):  # none of them has a number below CHANNEL
        os.dup2(fd, target, inheritable=target != REPORT)
    for number in request["ignored"]:
        signal.signal(number, signal.SIG_IGN)
    if request["tty"]:
        _control_terminal()
    _enter_folder(request["cwd"], recipe.workspace)
    program: int | str = PROGRAM
    if recipe.sealer:
        syscalls.act_as(SEALER)
        program = f"{recipe.place}/{recipe.program}"
    # With no right to read it, so that the kernel keeps its memory from everybody.
    syscalls.clear_capabilities()
    os.execve(program, request["argv"], request["env"])


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
