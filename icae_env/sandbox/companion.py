"""A second sandbox beside a running one: without network, with the same workspace, for one program that nobody inside can read.

``launch/companion.py`` says how it is made; both backends make it in the same way.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import stat
import threading
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from types import TracebackType
from typing import Any, Self

from icae_env.errors import SandboxDiedError, SandboxStartError
from icae_env.sandbox import bwrap_command, cgroups
from icae_env.sandbox.base import Limits
from icae_env.sandbox.calls import SharedCall
from icae_env.sandbox.launch.client import Child, Launcher
from icae_env.sandbox.launch.failures import error as reported
from icae_env.sandbox.launch.messages import receive
from icae_env.sandbox.openat2 import acting_as
from icae_env.sandbox.recipes import carry_out, recipe
from icae_env.sandbox.rootfiles import RootFiles

_ANSWER_SECONDS = 10.0
_LARGE = 1 << 15
_BACKLOG = 64


class SharedCompanion:
    """Implement ``beside.Companion`` on the mounts of another sandbox."""

    def __init__(
        self,
        launcher: Launcher,
        init: int,
        identity: tuple[int, int],
        files: Mapping[str, tuple[bytes, int]],
        *,
        program: str,
        limits: Limits,
        hidden: Sequence[str] = (),
    ) -> None:
        """Describe one; nothing is started.

        Args:
            launcher: What starts it.
            init: The host's number of the other sandbox's init.
            identity: The host's uid and gid of what runs in there.
            files: What is placed at PLACE: relative path -> (bytes, permission bits).
            program: The one of them that is run.
            limits: What it may use.
            hidden: Further folders of the other sandbox that it must not share.
        """
        self.limits = limits
        self._launcher, self._init, self._identity = launcher, init, identity
        self._files, self._program, self._hidden = files, program, hidden
        self._server: Child | None = None
        self._group: cgroups.MemoryGroup | None = None
        self._channel, self._other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        self._mute = False
        self._process = os.getpid()

    def start(self) -> None:
        """Start it.

        Raises:
            SandboxStartError: It did not come up; nothing is left.
        """
        try:
            self._group = cgroups.make(self.limits.memory)
            self._start()
        except OSError as error:
            self.close()
            raise SandboxStartError(f"The second sandbox could not be started: {error}.") from error
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        grouped = self._group is not None
        made = recipe(
            self._files, self._program, limits=self.limits, hidden=self._hidden, memory_group=grouped
        )
        groups = [self._group.procs] if self._group is not None else []
        channel = (self._channel, self._other)
        self._server = carry_out(self._launcher, self._init, self._identity, made, channel, groups=groups)
        self._channel.settimeout(_ANSWER_SECONDS)

    def run(
        self,
        argv: Sequence[str],
        streams: tuple[int, int, int],
        *,
        env: Mapping[str, str],
        cwd: str,
        tty: bool = False,
        ignored: Sequence[int] = (),
    ) -> SharedCall:
        """Start the program.

        See ``beside.Companion.run``. Pipes become the sandbox user's own, so that they can be opened by name inside.
        """
        if os.geteuid() == 0:
            for fd in streams:
                if stat.S_ISFIFO(os.fstat(fd).st_mode):
                    os.fchown(fd, *self._identity)
        status, status_end = os.pipe2(os.O_CLOEXEC)
        try:
            _, (pidfd,) = self._request(
                b"S",
                [*streams, status_end],
                argv=list(argv),
                env=dict(env),
                cwd=cwd,
                tty=tty,
                ignored=list(ignored),
            )
        except BaseException:
            os.close(status)
            raise
        finally:
            os.close(status_end)
        return SharedCall(pidfd, status)

    def terminal(self) -> tuple[int, int]:
        """Return both ends of a new pseudo-terminal: the host's and the program's."""
        _, (master, slave) = self._request(b"T", [])
        return master, slave

    def changes(self, since: int, until: int, *, most: int, size: int) -> dict[str, bytes | None]:
        """Return the files of the workspace that were changed within a time (see ``beside.Companion.changes``)."""
        _, (memory,) = self._request(b"C", [], since=since, until=until, most=most, size=size)
        with open(memory, "rb") as file:  # noqa: PTH123 - a descriptor
            file.seek(0)
            found = json.load(file)
        return {path: None if text is None else base64.b64decode(text) for path, text in found.items()}

    def listen(self, path: PurePosixPath) -> socket.socket:
        """Listen on a socket in the first sandbox, with the rights of the user there (see ``beside.Companion.listen``)."""
        files = RootFiles.open(self._init, *self._identity)
        try:
            files.remove(path)
            files.mkdir(path.parent)
            folder = files.open_file(path.parent, os.O_PATH | os.O_DIRECTORY)
        finally:
            files.close()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with acting_as(*self._identity):
                listener.bind(f"/proc/self/fd/{folder}/{path.name}")
            listener.listen(_BACKLOG)
        except BaseException:
            listener.close()
            raise
        finally:
            os.close(folder)
        return listener

    def alive(self) -> bool:
        """Return whether it still runs."""
        return self._server is not None and self._server.poll() is None

    def ended_inside(self) -> bool:
        """Return whether what ran inside may have ended it: used up its memory, or kept it from answering."""
        return self._mute or (self._group is not None and self._group.killed())

    def close(self) -> None:
        """Destroy it; a second call does nothing. In a forked child, do nothing."""
        if self._process != os.getpid():
            return
        self._channel.close()
        self._other.close()
        if self._server is not None:
            if self._server.wait(5.0) is None:
                self._server.kill()
                self._server.wait(10.0)
            self._server.close()
            self._server = None
        if self._group is not None:
            self._group.remove()
            self._group = None

    def _kill(self) -> None:
        if self._server is not None:
            self._server.kill()
            self._server.wait(10.0)

    def _request(self, kind: bytes, fds: Sequence[int], **fields: Any) -> tuple[dict[str, Any], list[int]]:
        message = kind + json.dumps(fields).encode()
        with contextlib.ExitStack() as stack:
            if len(message) > _LARGE:
                memory = bwrap_command.memory_file(message[1:])
                stack.callback(os.close, memory)
                message, fds = kind + b"large", [*fds, memory]
            try:
                with self._lock:
                    socket.send_fds(self._channel, [message], list(fds))
                    raw, received = receive(self._channel, 1 << 16)
            except TimeoutError as error:
                # A process inside can stop another before that executes the program, and its maker waits for that.
                self._mute = True
                self._kill()
                raise SandboxDiedError("The second sandbox did not answer.") from error
            except OSError as error:
                raise SandboxDiedError(f"The second sandbox is gone: {error}.") from error
        if not raw:
            raise SandboxDiedError("The second sandbox is gone.")
        answer: dict[str, Any] = json.loads(raw)
        if "error" in answer:
            raise reported(answer["error"].encode())
        return answer, received

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Destroy it."""
        self.close()
