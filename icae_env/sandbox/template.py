"""A template: prepared mounts from which a sandbox for one command costs a fork, not a bubblewrap of its own.

It is a bubblewrap sandbox that has the image and the submission and in which nothing ever runs. A process of the launcher serves
it: for each command it forks an init with PID, mount, IPC and user namespaces of its own and an unused network namespace, where
everything that can be written is mounted anew. The control group is the template's, since its sandboxes come one after the other.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from icae_env.errors import SandboxDiedError, SandboxStartError
from icae_env.sandbox import bwrap_command
from icae_env.sandbox.base import SANDBOX_UID, WORKSPACE, Completed
from icae_env.sandbox.launch.client import Child, Launcher
from icae_env.sandbox.launch.messages import receive
from icae_env.sandbox.lowers import FileMap
from icae_env.sandbox.mounts import writable
from icae_env.sandbox.namespaces import Namespaces
from icae_env.sandbox.seccomp import filter_program

_START_SECONDS = 20.0
_PATIENCE = 30.0
"""Seconds beyond a command's own within which its answer comes, unless the host is in trouble."""
_LARGE = 1 << 16
"""Bytes up to which a message goes without a memory file."""


class NotPreparedError(Exception):
    """This host does not let a template make a sandbox; nothing has run."""


class Template:
    """One template; it makes one sandbox at a time."""

    def __init__(self, namespaces: Namespaces, files: FileMap, environment: Mapping[str, str]) -> None:
        """Describe a template; nothing is started.

        Args:
            namespaces: How it is started.
            files: The submission.
            environment: The whole environment of its commands.
        """
        self.files = files
        self.worn = False
        """Whether it must not be used again."""
        self._namespaces, self._environment = namespaces, environment
        self._server: Child | None = None
        self._channel, self._other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lent = contextlib.ExitStack()

    def start(self, via: Launcher, lower: contextlib.AbstractContextManager[int] | None) -> None:
        """Start it.

        Args:
            via: The launcher.
            lower: The unpacked submission, kept while the template lives; None to write the files into each sandbox.

        Raises:
            NotPreparedError: This host does not let it make sandboxes; nothing is left.
            SandboxStartError: It did not come up; nothing is left.
        """
        try:
            folder = None if lower is None else self._lent.enter_context(lower)
            self._namespaces.start(via, bwrap_command.TEMPLATE, env={}, streams={}, lower=folder)
            self._serve(via, overlay=folder is not None)
        except OSError as error:
            self.close()
            raise SandboxStartError(f"The template could not be started: {error}.") from error
        except BaseException:
            self.close()
            raise

    def _serve(self, via: Launcher, *, overlay: bool) -> None:
        uid, gid = self._namespaces.identity
        spec = bwrap_command.memory_file(self._recipe(overlay=overlay))
        try:
            groups = self._namespaces.groups
            other = self._other.fileno()
            self._server = via.serve(self._namespaces.init, other, spec, uid=uid, gid=gid, groups=groups)
        finally:
            os.close(spec)
            self._other.close()
        self._channel.settimeout(_START_SECONDS)
        if (answer := self._channel.recv(4096)) != b"ready":
            raise NotPreparedError(answer.decode(errors="replace") or "no message")

    def _recipe(self, *, overlay: bool) -> bytes:
        config = self._namespaces.config
        written = {} if overlay else self.files
        fields = {
            "mounts": writable(config.limits), "workspace": str(WORKSPACE), "uid": SANDBOX_UID, "overlay": overlay,
            "env": dict(self._environment),
            "limits": bwrap_command.resource_limits(config, memory_group=self._namespaces.group is not None),
            "files": [(path, mode, len(content)) for path, (content, mode) in written.items()],
        }  # fmt: skip
        contents = (content for content, _ in written.values())
        return b"".join(
            [json.dumps(fields).encode(), b"\n", *contents, filter_program(tracing=config.tracing)]
        )

    def run(self, argv: Sequence[str], *, stdin: bytes, timeout: float, output_limit: int) -> Completed:
        """Run one command in a sandbox of its own (see ``base.Backend.run_fresh``).

        Raises:
            NotPreparedError: The sandbox could not be made; nothing has run.
            SandboxDiedError: The sandbox or the template was killed from outside.
            OSError: The files do not fit.
        """
        self.worn = True  # until all has gone well
        given = bwrap_command.memory_file(stdin)
        try:
            self._namespaces.give(given)
            self._channel.settimeout(timeout + _PATIENCE)
            self._ask({"argv": list(argv), "timeout": timeout, "output_limit": output_limit}, given)
            fields, out, err = self._answer()
        except OSError as error:
            if self._namespaces.starved():
                return Completed(exit_code=137)
            raise SandboxDiedError(
                f"The template was killed from outside while a command ran: {error}."
            ) from error
        finally:
            os.close(given)
        # What the kernel has killed for want of memory is counted for the group, and so for one command only.
        self.worn = self._namespaces.group is not None and self._namespaces.starved()
        return self._completed(fields, out, err)

    def _ask(self, request: dict[str, Any], given: int) -> None:
        message = json.dumps(request).encode()
        if len(message) <= _LARGE:
            socket.send_fds(self._channel, [message], [given])
            return
        memory = bwrap_command.memory_file(message)
        try:
            socket.send_fds(self._channel, [b"{}"], [given, memory])
        finally:
            os.close(memory)

    def _answer(self) -> tuple[dict[str, Any], bytes, bytes]:
        body, fds = receive(self._channel, 2 * _LARGE)
        if fds:
            with open(fds[0], "rb") as file:  # noqa: PTH123 - a descriptor
                file.seek(0)
                body = file.read()
        if not body:
            raise ConnectionResetError("end of file")
        head, _, streams = body.partition(b"\n")
        fields = json.loads(head)
        return fields, streams[: fields["out"]], streams[fields["out"] :]

    def _completed(self, fields: dict[str, Any], out: bytes, err: bytes) -> Completed:
        done = Completed(
            exit_code=124, stdout=out, stderr=err, timed_out=fields["timed_out"], truncated=fields["dropped"],
            seconds=fields["seconds"],
        )  # fmt: skip
        report = fields["report"]
        if done.timed_out:
            return done
        if not report and not self._namespaces.starved():
            raise SandboxDiedError("The sandbox was killed from outside while its command ran.")
        code, _, text = (report or "137").partition(" ")
        if code[0] == "F":
            raise OSError(int(code[1:]), text)
        if code[0] == "P":
            raise NotPreparedError(text)
        return done.model_copy(update={"exit_code": int(code)})

    def alive(self) -> bool:
        """Return whether it can make another sandbox."""
        return self._server is not None and self._server.poll() is None

    def close(self) -> None:
        """End it and wait until it is gone."""
        self._channel.close()
        self._other.close()
        if self._server is not None:
            if self.worn or self._server.wait(10.0) is None:
                self._server.kill()
                self._server.wait(10.0)
            self._server.close()
        self._namespaces.close()
        self._lent.close()
