"""Speak with an interactive bash over its terminal: one short line goes in, one mark with a fresh nonce comes back.

What else appears on the terminal is noise. The prompt counts the lines that bash has read, so that a shell which has thrown
the rest of a line away, as it does when SIGINT ends a loop, is seen to be back at its prompt and is asked again.
"""

from __future__ import annotations

import re
import secrets
import time
from typing import NamedTuple, cast

from pexpect import EOF, TIMEOUT

from icae_env.sandbox.base import PtyProcess
from icae_env.sandbox.tty_stream import TtyStream

BASH = ("/bin/bash", "--noediting", "--norc", "--noprofile", "-i")
_SETUP = r"PS1='\[\036\]P\#\[\037\]'; PS2=; set +o history +H; unset HISTFILE"
_SLICE = 0.2
"""Seconds after which it is looked whether the shell still lives."""


class Answer(NamedTuple):
    """What the shell says after a line."""

    exit_code: int
    cwd: str


class Dialogue:
    """One conversation with one bash on a pseudo-terminal, which it owns."""

    def __init__(self, pty: PtyProcess) -> None:
        """Take over a terminal on which ``BASH`` has been started."""
        self._pty, self._stream = pty, TtyStream(pty.fd)
        self._lines = 0
        self.mute = False
        """Whether the shell is at its prompt and yet does not answer: what runs inside has disabled its builtins."""

    def begin(self, seconds: float) -> bool:
        """Set the shell up; return whether it answers in time."""
        return self.ask(_SETUP, time.monotonic() + seconds) is not None

    def ask(self, line: str, deadline: float) -> Answer | None:
        """Send a line and wait for its answer.

        Returns:
            The answer, or None when the ``time.monotonic`` deadline has passed, the shell has ended, or it is mute.
        """
        nonce = self._send(f"{line};")
        asked_again = False
        while True:
            left = deadline - time.monotonic()
            found = self._stream.expect_list(
                [self._mark_pattern(nonce), self._prompt_pattern(), EOF, TIMEOUT],
                timeout=max(min(left, _SLICE), 0.0),
            )
            if found == 0:
                match = cast("re.Match[bytes]", self._stream.match)
                return Answer(
                    int(match[1]), match[2].replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape")
                )
            if found == 1:
                if asked_again:
                    self.mute = True
                    return None
                nonce, asked_again = self._send(""), True
            elif found == 2 or left <= 0 or self._pty.poll() is not None:
                return None

    def interrupt(self) -> None:
        """Send SIGINT to what runs in the foreground."""
        self._pty.interrupt()

    def kill_foreground(self) -> None:
        """Kill what runs in the foreground, but not the shell."""
        self._pty.kill_children()

    def exit_code(self) -> int | None:
        """Return the shell's own exit code if it has ended; its terminal may close an instant before it."""
        patience = time.monotonic() + (2.0 if self._stream.ended else 0.0)
        while (code := self._pty.poll()) is None and time.monotonic() < patience:
            time.sleep(0.001)
        return code

    def close(self) -> None:
        """End the shell and what belongs to it."""
        self._pty.close()

    def _send(self, before: str) -> str:
        """Send a line that ends by printing a mark; its nonce stands divided, so that an echo is not taken for the mark."""
        nonce = secrets.token_hex(8)
        mark = rf"\builtin printf '\036%s:%s:%s\037' {nonce[:8]}''{nonce[8:]} $? " + '"${PWD-}" >/dev/tty'
        self._stream.send_line(before + mark)
        self._lines += 1
        return nonce

    @staticmethod
    def _mark_pattern(nonce: str) -> re.Pattern[bytes]:
        return re.compile(rb"\x1e" + nonce.encode() + rb":(\d{1,3}):([^\x1f]*)\x1f", re.DOTALL)

    def _prompt_pattern(self) -> re.Pattern[bytes]:
        return re.compile(rb"\x1eP%d\x1f" % (self._lines + 1))
