"""Serve one-command sandboxes from one template (runs in a child of the launcher; standard library only).

The process has joined the template's user and mount namespaces and its control group, and forks an init for every request. It is
single-threaded, so one template has one sandbox at a time; who wants more at once starts more templates.

A request is JSON, with the command's standard input as its descriptor. The answer is JSON, a newline, standard output and
standard error. What is more than one message holds, of either, comes as a memory file.
"""

import gc
import json
import os
import select
import signal
import socket
import time

import enter
import fresh
import messages
import syscalls
from network import Network

CONTROL = 3
_MOST = 1 << 16
_DRAIN = 0.2
"""Seconds after the end in which what is already in the pipes is still read."""
_FIRST = 0.02
"""Seconds in which nothing is read, so that output may wait in the pipes."""
_KINDS = syscalls.CLONE_NEWNS | syscalls.CLONE_NEWPID | syscalls.CLONE_NEWIPC


def serve(control: int, spec: int, *, pid: int, uid: int, gid: int, groups: list[str]) -> None:
    """Join the template whose init is ``pid``, and answer requests until end of file; this never returns.

    Args:
        control: A SOCK_SEQPACKET socket to the client.
        spec: A memory file with what ``read_recipe`` reads.
        pid: The template's init.
        uid: The host user that owns the template.
        gid: And its group.
        groups: Control groups to join.
    """
    try:
        recipe = read_recipe(spec)
        os.dup2(control, CONTROL, inheritable=False)
        os.closerange(CONTROL + 1, 1 << 20)
        channel = socket.socket(fileno=CONTROL)
        signal.set_wakeup_fd(-1)
        enter.reset_signals()
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        enter.join_groups(groups)
        enter.become_user(uid, gid)
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        enter.join_mounts(pid)
        syscalls.unshare(syscalls.CLONE_NEWCGROUP)
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.umask(0o022)
        gc.disable()  # it would write to memory that is shared with every child
        network = Network(recipe)
        channel.send(b"ready")
        while answer(channel, recipe):
            network.refresh()
    except ConnectionError:
        pass
    except BaseException as error:  # noqa: BLE001 - a forked child may only report and end
        os.write(CONTROL, f"{type(error).__name__}: {error}".encode())
    finally:
        os._exit(0)


def read_recipe(spec: int) -> fresh.Recipe:
    """Read a recipe: a line of JSON, then the contents of the files in order, then the system call filter."""
    head, _, rest = os.pread(spec, os.fstat(spec).st_size, 0).partition(b"\n")
    fields = json.loads(head)
    files = []
    at = 0
    for path, mode, length in fields.pop("files"):
        files.append((path, mode, rest[at : at + length]))
        at += length
    return fresh.Recipe(files=files, seccomp=rest[at:], **fields)


def answer(channel: socket.socket, recipe: fresh.Recipe) -> bool:
    """Run one command in a sandbox of its own and answer; return False when the client is gone."""
    message, fds = messages.receive(channel, 1 << 18)
    if not message:
        return False
    request = json.loads(os.pread(fds[1], os.fstat(fds[1]).st_size, 0) if fds[1:] else message)
    begun = time.monotonic()
    out, out_end = os.pipe()
    err, err_end = os.pipe()
    report, report_end = os.pipe()
    init = syscalls.fork_into(_KINDS)
    if init == 0:
        fresh.live(recipe, request["argv"], (fds[0], out_end, err_end), report_end)
    for fd in (*fds, out_end, err_end, report_end):
        os.close(fd)
    run = Run(out, err, report, request["output_limit"])
    timed_out = not run.collect(begun + request["timeout"])
    if timed_out:
        os.kill(init, signal.SIGKILL)
        os.waitpid(init, 0)
    run.drain()
    seconds = time.monotonic() - run.begun(begun)
    fields = {
        "report": run.report.decode(errors="replace"),
        "timed_out": timed_out,
        "dropped": run.dropped,
        "seconds": seconds,
    }
    reply(channel, fields, run.kept[out], run.kept[err])
    if not timed_out:
        os.waitpid(init, 0)
    for fd in (out, err, report):
        os.close(fd)
    return True


class Run:
    """What a running command prints, up to a limit for each stream."""

    def __init__(self, out: int, err: int, report: int, limit: int) -> None:
        self.streams, self.report_fd, self.limit = (out, err), report, limit
        self.kept = {out: bytearray(), err: bytearray()}
        self.dropped = False
        self.report = b""
        for fd in self.streams:
            os.set_blocking(fd, False)

    def collect(self, deadline: float) -> bool:
        """Read until the report comes or the init is gone; return False when the time is up."""
        poller = select.poll()
        poller.register(self.report_fd, select.POLLIN)
        # What a short command prints is read at its end, which saves this process a turn.
        if not poller.poll(max(min(_FIRST, deadline - time.monotonic()), 0.0) * 1000):
            for fd in self.streams:
                poller.register(fd, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            for fd, _ in poller.poll(left * 1000):
                if fd == self.report_fd:
                    self.report = os.read(fd, 4096)
                    return True
                if not self.take(fd):
                    poller.unregister(fd)
        return False

    def take(self, fd: int) -> bool:
        """Read once; return False at end of file or when nothing is there."""
        try:
            part = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        room = self.limit - len(self.kept[fd])
        self.dropped |= len(part) > room
        self.kept[fd] += part[:room]
        return bool(part)

    def begun(self, otherwise: float) -> float:
        """Return when the command was started, as the report says."""
        return float(self.report.split()[1]) if self.report[:1].isdigit() else otherwise

    def drain(self) -> None:
        """Read what is in the pipes still."""
        deadline = time.monotonic() + _DRAIN
        for fd in self.streams:
            while self.take(fd) and time.monotonic() < deadline:
                pass


def reply(channel: socket.socket, fields: dict, out: bytes, err: bytes) -> None:
    """Send an answer."""
    body = b"%s\n%s%s" % (json.dumps({**fields, "out": len(out)}).encode(), out, err)
    if len(body) <= _MOST:
        channel.send(body)
        return
    memory = os.memfd_create("answer", os.MFD_CLOEXEC)
    view = memoryview(body)
    while view:
        view = view[os.write(memory, view) :]
    socket.send_fds(channel, [b"large"], [memory])
    os.close(memory)
