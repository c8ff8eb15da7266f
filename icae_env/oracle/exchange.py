"""One call of the reference program: the pipes between it and the client, and what goes through them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import struct
import termios
import time
from collections.abc import Mapping

from icae_env.oracle import wire
from icae_env.oracle.asking import waits_for_input
from icae_env.oracle.channels import Channel
from icae_env.oracle.wire import Request
from icae_env.sandbox.base import Call, Companion

_MESSAGE = 6
_FIRST_LOOK, _LONGEST_LOOK, _LONG = 0.001, 0.02, 60.0
OVERDUE = 124
"""Exit code of a program whose time was up, and NOT_RUN of one that was not executed."""
NOT_RUN = 126


class Exchange:
    """Run the program for one client.

    Args:
        request: What the client wants; its descriptor stays the caller's to close.
        companion: Where the program is.
        most: Bytes noted of each stream.
        keys: Whether the program may read the client's terminal also where that is not its standard input.
    """

    def __init__(self, request: Request, companion: Companion, *, most: int, keys: bool) -> None:
        self._request, self._companion, self._most = request, companion, most
        self._keys = request.terminal and bool(request.flags & (wire.IN_TTY | (wire.KEYS if keys else 0)))
        self._own = contextlib.ExitStack()
        self._theirs = contextlib.ExitStack()
        self._pipes: dict[int, int] = {}
        self._channels: dict[int, Channel] = {}
        self._master = -1
        self._wanted = False
        self.note = ""
        """Why it was not executed, or was ended."""

    def run(
        self, connection: socket.socket, stop: int, *, env: Mapping[str, str], cwd: str, seconds: float
    ) -> int:
        """Run it to its end.

        Args:
            connection: To the client; when it goes, the program is killed.
            stop: A descriptor that becomes readable when everything has to end.
            env: The program's environment.
            cwd: Its directory.
            seconds: Wall time.

        Returns:
            Its exit code, or negative, a signal.

        Raises:
            SandboxDiedError: The companion is gone.
            OSError: The client is gone.
        """
        with self._own:
            with self._theirs:
                streams = self._streams()
                wire.send_pipes(connection, self._pipes)
                call = self._start(streams, env, cwd)
            connection.setblocking(False)
            return self._relay(call, connection, stop, seconds)

    def noted(self, *numbers: int) -> bytes:
        """Return what was noted of some channels, of which one was used at most."""
        return b"".join(bytes(self._channels[number].noted) for number in numbers if number in self._channels)

    @property
    def cut(self) -> bool:
        """Whether more went through than was noted."""
        return any(channel.cut for channel in self._channels.values())

    def _streams(self) -> tuple[int, int, int]:
        flags = self._request.flags
        slave = self._terminal() if self._request.terminal else -1
        if flags & wire.IN_TTY:
            given = slave
        elif self._request.stdin >= 0:
            given = self._request.stdin
        elif flags & wire.NO_IN:
            given = self._owned(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
        else:
            given, ours = self._pipe(ours_reads=False)
            self._inward(wire.INPUT, ours)
        out = slave if flags & wire.OUT_TTY else self._outward(wire.OUT)
        same = flags & wire.SAME and not flags & (wire.OUT_TTY | wire.ERR_TTY)
        err = slave if flags & wire.ERR_TTY else out if same else self._outward(wire.ERR)
        if self._keys:
            self._inward(wire.TYPED, os.dup(self._master))
        return given, out, err

    def _terminal(self) -> int:
        self._master, slave = self._companion.terminal()
        self._theirs.callback(os.close, slave)
        self._own.callback(os.close, self._master)
        os.set_blocking(self._master, False)
        self._resize(self._request.rows, self._request.columns)
        theirs, ours = self._pipe(ours_reads=False)
        self._pipes[wire.SCREEN] = theirs
        self._add(wire.SCREEN, Channel(os.dup(self._master), ours, self._most, lingers=True))
        return slave

    def _outward(self, number: int) -> int:
        """Make the way of an output to the client and return the program's end."""
        program, source = self._pipe(ours_reads=True)
        self._pipes[number], sink = self._pipe(ours_reads=False)
        self._add(number, Channel(source, sink, self._most, lingers=number == wire.ERR))
        return program

    def _inward(self, number: int, sink: int) -> None:
        """Make the way of an input from the client to ``sink``."""
        theirs, source = self._pipe(ours_reads=True)
        os.set_blocking(theirs, False)  # the client relies on it
        self._pipes[number] = theirs
        self._add(number, Channel(source, sink, self._most))

    def _pipe(self, *, ours_reads: bool) -> tuple[int, int]:
        """Return a pipe: the other side's end, closed once it is passed on, and ours, which never blocks."""
        read, write = os.pipe2(os.O_CLOEXEC)
        theirs, ours = (write, read) if ours_reads else (read, write)
        self._owned(theirs)
        os.set_blocking(ours, False)
        return theirs, ours

    def _owned(self, fd: int) -> int:
        self._theirs.callback(os.close, fd)
        return fd

    def _add(self, number: int, channel: Channel) -> None:
        self._channels[number] = channel
        self._own.callback(channel.close)

    def _resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _start(self, streams: tuple[int, int, int], env: Mapping[str, str], cwd: str) -> Call | None:
        request = self._request
        argv = [os.fsdecode(word) for word in request.argv]
        try:
            call = self._companion.run(
                argv, streams, env=env, cwd=cwd, tty=request.terminal, ignored=request.ignored
            )
        except OSError as error:
            self._say(f"It could not be executed: {error.strerror or error}.")
            return None
        self._own.callback(call.close)
        return call

    def _relay(self, call: Call | None, connection: socket.socket, stop: int, seconds: float) -> int:
        """Carry bytes until the program has ended and the client has got all it printed."""
        deadline, look = time.monotonic() + seconds, _FIRST_LOOK
        code = None if call is not None else NOT_RUN
        while code is None or self._left_to_say():
            left = deadline - time.monotonic()
            if left <= 0 and call is not None:
                self._say(f"It was ended after {seconds:g} seconds.")
                call.kill()
                deadline = float("inf")
            own = [
                connection.fileno(),
                stop,
                *([call.status_fd] if call is not None and code is None else []),
            ]
            ready = self._ready(own, min(look, max(left, 0.0)))
            if stop in ready:
                raise ConnectionAbortedError("the server ends")
            if connection.fileno() in ready:
                self._listen(connection, call)
            for channel in self._channels.values():
                if (wish := channel.wish()) and wish[0] in ready:
                    channel.move()
            if call is None or code is not None:
                look = _LONG
            elif call.status_fd in ready:
                code, deadline = call.wait(), float("inf")
            elif not self._wanted:
                look = self._look(call, connection, look)
        return OVERDUE if self.note and call is not None else code

    def _say(self, why: str) -> None:
        """Note why the program was not run, or not to its end, and tell the client."""
        self.note = why
        channels = (self._channels.get(number) for number in (wire.ERR, wire.SCREEN, wire.OUT))
        if channel := next(filter(None, channels), None):
            channel.say(f"executable: {why}\n".encode())

    def _ready(self, readable: list[int], seconds: float) -> set[int]:
        events = dict.fromkeys(readable, select.POLLIN)
        for channel in self._channels.values():
            if wish := channel.wish():
                events[wish[0]] = events.get(wish[0], 0) | wish[1]
        poller = select.poll()
        for fd, event in events.items():
            poller.register(fd, event)
        return {fd for fd, _ in poller.poll(max(seconds, 0.0) * 1000)}

    def _look(self, call: Call, connection: socket.socket, last: float) -> float:
        """Let the client read its standard input once the program wants some; return the time until the next look."""
        if not self._channels.keys() & {wire.INPUT, wire.TYPED}:
            return _LONG
        if waits_for_input(call.pid):
            self._wanted = True
            wire.send_wanted(connection)
            return _LONG
        return min(last * 1.2, _LONGEST_LOOK)

    def _listen(self, connection: socket.socket, call: Call | None) -> None:
        """Carry out what the client says; when it is gone, so is the program."""
        message = connection.recv(_MESSAGE)
        if not message:
            raise ConnectionResetError("the client is gone")
        if call is None:
            return
        if message[:1] == b"S" and len(message) == _MESSAGE and message[1] in wire.SIGNALS:
            call.signal(message[1])
        elif message[:1] == b"W" and len(message) == _MESSAGE and self._master >= 0:
            self._resize(*struct.unpack_from("<HH", message, 1))

    def _left_to_say(self) -> bool:
        outputs = (self._channels.get(number) for number in (wire.OUT, wire.ERR, wire.SCREEN))
        return any(channel is not None and not channel.ended for channel in outputs)
