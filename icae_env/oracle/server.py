"""Serve a reference program to one sandbox: the agent's client says what it was called with, the program runs elsewhere.

The program is in a companion of the agent's sandbox and is started by the host. What the client sends can be anything: it is read
within limits and used as arguments, a directory and bytes for the program, never as a path or a command of the host.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import socket
import threading
from pathlib import PurePosixPath

from icae_env.errors import SandboxDiedError, SandboxError
from icae_env.oracle import wire
from icae_env.oracle.evidence import Evidence
from icae_env.oracle.exchange import NOT_RUN, Exchange
from icae_env.oracle.probes import MOST_BYTES, ProbeLog
from icae_env.oracle.reference import EXECUTABLE, Reference
from icae_env.sandbox.base import BASE_ENV, WORKSPACE, Backend, Companion, Limits, Sandbox

SOCKET = PurePosixPath("/run/oracle/socket")
MOST_CALLS = 32
"""At the same time; further ones wait."""
_REQUEST_SECONDS = 2.0
_TERM = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}")
_SETTLE_SECONDS = 2.0


class ReferenceServer:
    """Run a reference program for the clients in one sandbox.

    Args:
        backend: What has made the sandbox.
        sandbox: The agent's, running.
        reference: The program.
        log: Where its calls are noted.
        limits: What the program may use.
        seconds: Wall time of one call.
        terminal_seconds: The same for a call on a terminal.
        interactive: Whether the program reads keys from the terminal also where its standard input is something else.
    """

    def __init__(
        self,
        backend: Backend,
        sandbox: Sandbox,
        reference: Reference,
        log: ProbeLog,
        *,
        limits: Limits,
        seconds: float,
        terminal_seconds: float | None = None,
        interactive: bool = False,
    ) -> None:
        self._backend, self._sandbox, self._reference, self.log = backend, sandbox, reference, log
        self._limits, self._seconds, self._interactive = limits, seconds, interactive
        self._terminal_seconds = terminal_seconds or seconds
        self._listener: socket.socket | None = None
        self._companion: Companion | None = None
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._turn = threading.Lock()
        self._noting = 0
        self._change = threading.Condition()
        self._failure: SandboxError | None = None
        self._stop, self._stopping = os.pipe2(os.O_CLOEXEC)

    def start(self) -> None:
        """Start it.

        Raises:
            SandboxError: The companion could not be started; nothing is left.
        """
        try:
            self._companion = self._begin()
            self._listener = self._companion.listen(SOCKET)
        except BaseException:
            self.close()
            raise
        with self._change:
            self._hire()

    def check(self) -> None:
        """Wait until what has ended is noted.

        Raises:
            SandboxError: The companion has failed, and not by the agent's doing.
        """
        with self._change:
            self._change.wait_for(lambda: self._noting == 0, _SETTLE_SECONDS)
            if self._failure is not None:
                raise self._failure

    def close(self) -> None:
        """End every call and destroy the companion; a second call does nothing."""
        if self._stopping >= 0:
            with self._change:
                os.close(self._stopping)
                self._stopping = -1
        for thread in self._threads:
            thread.join(10.0)
        if self._companion is not None:
            self._companion.close()
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        if self._stop >= 0:
            os.close(self._stop)
            self._stop = -1

    def _begin(self) -> Companion:
        companion = self._backend.create_beside(
            self._sandbox, self._reference.program, EXECUTABLE, self._limits
        )
        companion.start()
        return companion

    def _current(self) -> Companion:
        """Return the companion, or one in place of one that what ran in it has ended.

        Raises:
            SandboxError: It was ended from outside.
        """
        with self._change:
            if self._failure is not None:
                raise self._failure
            companion = self._companion
            assert companion is not None
            if companion.alive():
                return companion
            inside = companion.ended_inside()
            companion.close()
            if not inside:
                raise SandboxDiedError("The sandbox of the reference program was killed from outside.")
            self._companion = self._begin()
            return self._companion

    def _work(self) -> None:
        """Serve calls, one after the other. One thread at a time waits for the next, so that none is handed on."""
        while (connection := self._next()) is not None:
            with self._change:
                self._idle -= 1
                if self._idle == 0 and len(self._threads) < MOST_CALLS:
                    self._hire()
            self._serve(connection)
            with self._change:
                self._idle += 1

    def _hire(self) -> None:
        """Start another thread."""
        thread = threading.Thread(target=self._work, name="icae reference", daemon=True)
        self._threads.append(thread)
        self._idle += 1
        thread.start()

    def _next(self) -> socket.socket | None:
        """Wait for a client; return None at the end."""
        listener = self._listener
        assert listener is not None
        with self._turn:
            poller = select.poll()
            poller.register(listener, select.POLLIN)
            poller.register(self._stop, select.POLLIN)
            while all(fd != self._stop for fd, _ in poller.poll()):
                with contextlib.suppress(OSError):
                    return listener.accept()[0]
        return None

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError, wire.ForgedError):
                request = wire.receive_request(connection, _REQUEST_SECONDS)
                try:
                    self._call(connection, request)
                finally:
                    if request.stdin >= 0:
                        os.close(request.stdin)
        except SandboxError as error:
            with self._change:
                # While it is being closed, whatever fails has been ended by that.
                self._failure = self._failure or (error if self._stopping >= 0 else None)

    def _call(self, connection: socket.socket, request: wire.Request) -> None:
        cwd = os.fsdecode(request.cwd)
        if not PurePosixPath(cwd).is_relative_to(WORKSPACE) or ".." in PurePosixPath(cwd).parts:
            _refuse(connection, f"It sees {WORKSPACE} only; call it from there, not from {cwd}.")
            return
        companion = self._current()
        evidence = Evidence(self.log, self._sandbox.files, request, cwd)
        exchange = Exchange(request, companion, most=MOST_BYTES, keys=self._interactive)
        env = dict(BASE_ENV)
        if request.terminal and _TERM.fullmatch(request.term):
            env["TERM"] = request.term.decode()
        code = -signal.SIGKILL  # what becomes of it when its client goes away
        try:
            seconds = self._terminal_seconds if request.terminal else self._seconds
            code = exchange.run(connection, self._stop, env=env, cwd=cwd, seconds=seconds)
        except SandboxDiedError:
            if not companion.ended_inside():
                raise
        finally:
            self._end(connection, companion, exchange, evidence, code)

    def _end(
        self,
        connection: socket.socket,
        companion: Companion,
        exchange: Exchange,
        evidence: Evidence,
        code: int,
    ) -> None:
        """Tell the client how it ended and note the call; whoever waits for the client then waits for the note too."""
        with self._change:
            self._noting += 1
        try:
            with connection, contextlib.suppress(OSError):
                connection.settimeout(1.0)
                wire.send_end(connection, code)
            self.log.add(evidence.probe(exchange, code, companion))
        finally:
            with self._change:
                self._noting -= 1
                self._change.notify_all()


def _refuse(connection: socket.socket, why: str) -> None:
    """Let the client say why the program is not run."""
    read, write = os.pipe2(os.O_CLOEXEC)
    try:
        os.write(write, f"executable: {why}\n".encode(errors="replace")[:4000])
        wire.send_pipes(connection, {wire.ERR: read})
    finally:
        os.close(read)
        os.close(write)
    wire.send_end(connection, NOT_RUN)
