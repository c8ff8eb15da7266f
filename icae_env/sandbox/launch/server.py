"""The launcher process: starts processes on request and reaps them (standard library only).

Requests are JSON messages on a SOCK_SEQPACKET socket, descriptors come along as SCM_RIGHTS. The last descriptor of a ``start`` or
``enter`` is a pipe that gets the exit code, as decimal text, when the process has ended. End of file on the socket means that the
main process is gone: everything is killed, the registered clean-up commands run, and the launcher ends.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys

import companion
import enter
import failures
import messages
import syscalls
import template


class Server:
    """Serve one client until it goes away."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.status: dict[int, int] = {}
        self.at_exit: dict[str, list[str]] = {}
        self.groups: set[str] = set()

    def serve(self) -> None:
        """Run until end of file on the control socket, then clean up."""
        wake_read, wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        selector = selectors.DefaultSelector()
        selector.register(self.control, selectors.EVENT_READ)
        selector.register(wake_read, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd == wake_read:
                    os.read(wake_read, 4096)
                    self.reap()
                elif not self.serve_one():
                    self.clean_up()
                    return

    def serve_one(self) -> bool:
        """Answer one request; return False when the client is gone."""
        try:
            message, fds = messages.receive(self.control, 1 << 18)
        except ConnectionError:
            return False
        if not message:
            return False
        reply_fds: list[int] = []
        try:
            request = json.loads(message)
            if request.pop("large", False):
                request = json.loads(os.pread(fds[0], os.fstat(fds[0]).st_size, 0))
                os.close(fds.pop(0))
            operation = {
                "start": self.start,
                "enter": self.enter,
                "serve": self.serve_more,
                "at_exit": self.register,
            }[request.pop("do")]
            answer, reply_fds = operation(fds, **request)
        except OSError as error:
            answer = {"error": error.strerror or str(error), "errno": error.errno}
        finally:
            kept = set(self.status.values())
            for fd in fds:
                if fd not in kept:
                    os.close(fd)
        try:
            socket.send_fds(self.control, [json.dumps(answer).encode()], reply_fds)
        except ConnectionError:
            return False
        finally:
            for fd in reply_fds:
                os.close(fd)
        return True

    def start(self, fds: list[int], *, program: str, argv: list[str], targets: list[int], groups: list[str],
              env: dict[str, str]):  # fmt: skip
        """Start a host program as the sandboxes' user in a session of its own.

        posix_spawn shares this process's memory with the child until it executes the program; a fork would copy its page
        tables, which costs as much again as all the rest.
        """
        high = [enter.fcntl.fcntl(fd, enter.fcntl.F_DUPFD_CLOEXEC, 300) for fd in fds[:-1]]
        try:
            pid = os.posix_spawn(
                program, argv, env, setsid=True, resetids=True, setsigmask=[], setsigdef=enter.DEFAULT_SIGNALS,
                file_actions=[(os.POSIX_SPAWN_DUP2, fd, target) for fd, target in zip(high, targets, strict=True)],
            )  # fmt: skip
        finally:
            for fd in high:
                os.close(fd)
        self.groups.update(groups)
        return self.started(pid, fds[-1])

    def enter(self, fds: list[int], *, pid: int, argv: list[str], env: dict[str, str], cwd: str, targets: list[int], uid: int,
              gid: int, limits: dict[str, int], groups: list[str], tty: bool, signal_all: int):  # fmt: skip
        """Start a program inside a running sandbox, or send a signal to everything inside.

        What runs inside may signal the new process before it executes the program, so this process never waits for that:
        the client gets the pipe that tells of it.
        """
        number_read, number_write = os.pipe2(os.O_CLOEXEC)
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        outer = os.fork()
        if outer == 0:
            try:
                enter.reset_signals()
                enter.join_groups(groups)
                program = os.pread(fds[0], 1 << 16, 0)
                report_write = enter.fcntl.fcntl(report_write, enter.fcntl.F_DUPFD_CLOEXEC, 900)
                number_write = enter.fcntl.fcntl(number_write, enter.fcntl.F_DUPFD_CLOEXEC, 900)
                enter.place_descriptors(fds[1:-1], targets)
                if not (signal_all and enter.join_as_root(pid)):
                    enter.become_user(uid, gid)
                    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
                    enter.join_namespaces(pid)
                inner = os.fork()
                if inner:
                    os.write(number_write, b"%d" % inner)
                    os._exit(0)
                if signal_all:
                    os.kill(-1, signal_all)
                    os._exit(0)
                enter.new_session(tty)
                enter.set_limits(limits)
                os.chdir(cwd)
                syscalls.drop_capabilities()
                syscalls.install_seccomp(program)
                os.execvpe(argv[0], argv, env)
            except ProcessLookupError:  # kill(-1) found nothing to kill
                os._exit(0)
            except BaseException as error:  # noqa: BLE001 - a forked child may only report and end
                os.write(report_write, failures.text(error))
            finally:
                os._exit(127)
        os.close(report_write)
        os.close(number_write)
        number = failures.read_soon(number_read)
        if not number:  # no process came to be inside
            os.kill(outer, signal.SIGKILL)
        os.waitpid(outer, 0)
        if not number:
            os.set_blocking(report_read, False)
            raise failures.error(failures.read_soon(report_read, 0.0) or b"the sandbox is gone")
        answer, passed = self.started(int(number), fds[-1])
        return answer, [*passed, report_read]

    def serve_more(self, fds: list[int], *, targets: list[int], module: str, **fields):
        """Fork the process that serves sandboxes made from another's mounts; it tells the client when it is ready."""
        self.groups.update(fields["groups"])
        child = os.fork()
        if child == 0:
            {"template": template, "companion": companion}[module].serve(*fds[:2], **fields)
        return self.started(child, fds[-1])

    def started(self, pid: int, status: int):
        """Record a child; its exit code goes to ``status``. The client gets a pidfd, which no reuse of the number can fool."""
        pidfd = os.pidfd_open(pid)
        self.status[pid] = status
        return {"pid": pid}, [pidfd]

    def register(self, fds: list[int], *, key: str, argv: list[str] | None):
        """Remember a command to run when the client is gone (None forgets it)."""
        if argv is None:
            self.at_exit.pop(key, None)
        else:
            self.at_exit[key] = argv
        return {}, []

    def reap(self) -> None:
        """Collect every ended child and hand its exit code on."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            fd = self.status.pop(pid, None)
            if fd is not None:
                code = os.waitstatus_to_exitcode(status)
                try:
                    os.write(fd, b"%d" % (code if code >= 0 else 128 - code))
                except BrokenPipeError:
                    pass
                os.close(fd)

    def clean_up(self) -> None:
        """Kill all children and run what was registered."""
        for pid in self.status:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for argv in self.at_exit.values():
            # A shell would take the real ids for its own.
            subprocess.run(argv, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           timeout=60, user=os.geteuid(), group=os.getegid())  # fmt: skip
        try:
            while True:
                os.wait()
        except ChildProcessError:
            pass
        for procs in self.groups:
            try:
                os.rmdir(os.path.dirname(procs))
            except OSError:
                pass


def main() -> None:
    """Serve on descriptor 0."""
    # What nohup or a shell's background made this package's caller ignore must not be ignored inside.
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGXFSZ}:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    _, hard = enter.resource.getrlimit(enter.resource.RLIMIT_NOFILE)
    enter.resource.setrlimit(enter.resource.RLIMIT_NOFILE, (hard, hard))
    uid, gid = map(int, sys.argv[2:4])
    syscalls.hide_arguments()
    if os.geteuid() == 0:  # posix_spawn gives the child the real ids, and its execve gives up the rest
        os.setgroups([])
        os.setresgid(gid, 0, 0)
        os.setresuid(uid, 0, 0)
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    control = socket.socket(fileno=os.dup(0))
    os.set_inheritable(control.fileno(), False)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2) if not sys.flags.dev_mode else (0, 1):
        os.dup2(null, fd)
    Server(control).serve()
