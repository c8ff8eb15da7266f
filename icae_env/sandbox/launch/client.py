"""The main process's end of the launcher."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from icae_env.errors import SandboxError, SandboxStartError
from icae_env.sandbox.identity import identity
from icae_env.sandbox.launch.messages import receive

_FOLDER = Path(__file__).parent
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); import server; server.main()"
_LARGE = 1 << 16
_EXEC_SECONDS = 5.0
"""Within which a process that has joined a sandbox executes its program, unless something inside has stopped it."""


class Child:
    """A process started by the launcher; its pidfd and status pipe belong to this object."""

    def __init__(self, pid: int, pidfd: int, status: int) -> None:
        self.pid, self._pidfd, self._status = pid, pidfd, status
        self._code: int | None = None

    @property
    def status_fd(self) -> int:
        """A descriptor that becomes readable when the process has ended."""
        return self._status

    def poll(self) -> int | None:
        """Return the exit code (128 + N after signal N), or None while it runs."""
        return self.wait(0.0)

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait up to ``timeout`` seconds (None: for ever) and return the exit code, or None."""
        if self._code is None and self._status >= 0:
            poller = select.poll()
            poller.register(self._status, select.POLLIN)
            if poller.poll(None if timeout is None else max(timeout, 0.0) * 1000):
                text = os.read(self._status, 16)
                self._code = int(text) if text else 137  # the launcher is gone, and the process with it
        return self._code

    def ended(self) -> bool:
        """Return whether the process has ended, even where its exit code is still on its way."""
        if self._pidfd < 0:
            return True
        poller = select.poll()
        poller.register(self._pidfd, select.POLLIN)
        return bool(poller.poll(0))

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send a signal to this process alone; nothing happens when it has ended."""
        if self._pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, number)

    def close(self) -> None:
        """Release the descriptors."""
        for fd in (self._pidfd, self._status):
            if fd >= 0:
                os.close(fd)
        self._pidfd = self._status = -1
        if self._code is None:
            self._code = 137


class Launcher:
    """A connection to one launcher process; safe to use from many threads."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", "-c", _BOOT, str(_FOLDER), *map(str, identity())],
                stdin=theirs.fileno(), stdout=subprocess.DEVNULL, env={}, cwd="/", start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            ours.close()
            raise SandboxStartError(f"The launcher process could not be started: {error}.") from error
        finally:
            theirs.close()
        self._socket = ours
        self._lock = threading.Lock()

    def request(self, do: str, fds: Sequence[int] = (), **fields: Any) -> tuple[dict[str, Any], list[int]]:
        """Send one request and return the answer with the descriptors that came along.

        Raises:
            OSError: The launcher could not do it; errno as in the launcher.
            SandboxError: The launcher is gone.
        """
        message = json.dumps({"do": do, **fields}).encode()
        with contextlib.ExitStack() as stack:
            if len(message) > _LARGE:
                memory = os.memfd_create("icae-request", os.MFD_CLOEXEC)
                stack.callback(os.close, memory)
                os.write(memory, message)
                message, fds = json.dumps({"do": do, "large": True}).encode(), [memory, *fds]
            try:
                with self._lock:
                    socket.send_fds(self._socket, [message], list(fds))
                    raw, received = receive(self._socket, 1 << 16)
            except OSError as error:
                raise SandboxError(f"The launcher process is gone: {error}.") from error
        if not raw:
            raise SandboxError("The launcher process is gone.")
        answer: dict[str, Any] = json.loads(raw)
        if "error" in answer:
            raise OSError(answer.get("errno") or 0, answer["error"])
        return answer, received

    def start(
        self,
        program: str,
        argv: Sequence[str],
        descriptors: Mapping[int, int],
        *,
        env: Mapping[str, str],
        groups: Sequence[str],
    ) -> Child:
        """Start a host program as the sandboxes' user, in a session of its own.

        Args:
            program: Its path.
            argv: Its arguments, with its name first.
            descriptors: Target numbers -> our descriptors; it gets these alone.
            env: Its whole environment.
            groups: Control groups to remove should this process be killed.
        """
        fields = {"program": program, "argv": list(argv), "env": dict(env), "groups": list(groups)}
        return self._child("start", [], descriptors, **fields)[0]

    def enter(
        self, pid: int, argv: Sequence[str], descriptors: Mapping[int, int], *, seccomp: int, **fields: Any
    ) -> Child:
        """Start a program inside the sandbox whose init is ``pid``.

        A process that others inside stop before it executes the program is killed, as they might have done themselves.

        Raises:
            OSError: The program could not be executed.
            SandboxError: The launcher is gone.
        """
        child, (report,) = self._child("enter", [seccomp], descriptors, pid=pid, argv=list(argv), **fields)
        try:
            poller = select.poll()
            poller.register(report, select.POLLIN)
            if not poller.poll(_EXEC_SECONDS * 1000):
                child.kill()
            elif failure := os.read(report, 4096):
                child.close()
                number, _, text = failure.decode(errors="replace").partition(" ")
                raise OSError(int(number) if number.isdigit() else 0, text)
        finally:
            os.close(report)
        return child

    def serve(
        self,
        pid: int,
        control: int,
        spec: int,
        *,
        uid: int,
        gid: int,
        groups: Sequence[str],
        module: str = "template",
    ) -> Child:
        """Start the process that serves sandboxes made from another's mounts (see ``template.py`` and ``companion.py``).

        Args:
            pid: The other's init.
            control: The other end of the socket that requests go to.
            spec: A memory file with the recipe.
            uid: The host user that owns the other.
            gid: And its group.
            groups: Control groups it joins.
            module: Its name: ``template`` or ``companion``.
        """
        fields = {"pid": pid, "uid": uid, "gid": gid, "groups": list(groups), "module": module}
        return self._child("serve", [control, spec], {}, **fields)[0]

    def _child(
        self, do: str, first: Sequence[int], descriptors: Mapping[int, int], **fields: Any
    ) -> tuple[Child, list[int]]:
        status_read, status_write = os.pipe2(os.O_CLOEXEC)
        try:
            fds = [*first, *descriptors.values(), status_write]
            answer, received = self.request(do, fds, targets=list(descriptors), **fields)
        except BaseException:
            os.close(status_read)
            raise
        finally:
            os.close(status_write)
        return Child(answer["pid"], received[0], status_read), received[1:]

    def at_exit(self, key: str, argv: Sequence[str] | None) -> None:
        """Register a command that runs once this process is gone, however it went; None forgets it."""
        self.request("at_exit", key=key, argv=None if argv is None else list(argv))

    def stop(self) -> None:
        """End the launcher, and with it all it started, and wait for its clean-up."""
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=30)

    def forget(self) -> None:
        """Drop the connection in a forked child, to whom the launcher does not belong."""
        self._socket.close()
        self._process.returncode = 0


_current: Launcher | None = None
_guard = threading.Lock()


def launcher() -> Launcher:
    """Return this process's launcher, started on first use."""
    global _current  # noqa: PLW0603 - one launcher per process is the point
    with _guard:
        if _current is None:
            _current = Launcher()
        return _current


def stop_launcher() -> None:
    """End this process's launcher if there is one; the next use starts another."""
    global _current
    with _guard:
        current, _current = _current, None
    if current is not None:
        current.stop()


def _after_fork() -> None:
    global _current, _guard  # noqa: PLW0603
    _guard = threading.Lock()
    if _current is not None:
        _current.forget()
        _current = None


os.register_at_fork(after_in_child=_after_fork)
atexit.register(stop_launcher)
