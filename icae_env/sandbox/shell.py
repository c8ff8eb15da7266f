"""A persistent bash in a sandbox that nothing bash accepts can wedge.

A command goes in as a file and its output comes out as a file; over the pseudo-terminal goes only one short line that sources the
file, and back comes only a mark with a fresh nonce. So open quotes, heredocs of any size, prompt tricks, bad bytes, ``stty raw`` or
``exec >file`` cannot confuse the two sides, and what a command prints to the terminal itself is noise that is dropped.

When a command's time is up its foreground processes are interrupted, then killed; if the shell still does not answer, it is
replaced. A replaced shell starts in the directory in which the last finished command left the old one, or in the workspace.
"""

from __future__ import annotations

import contextlib
import errno
import re
import secrets
import time
from pathlib import PurePosixPath
from typing import cast

from pexpect import EOF, TIMEOUT
from pydantic import BaseModel, ConfigDict

from icae_env.errors import SandboxDiedError, SandboxStartError
from icae_env.sandbox.base import WORKSPACE, PtyProcess, Sandbox
from icae_env.sandbox.output import Output, read_output
from icae_env.sandbox.tty_stream import TtyStream

_FOLDER = PurePosixPath("/run/icae")
_COMMAND, _OUTPUT = _FOLDER / "command", _FOLDER / "output"
_BASH = ("/bin/bash", "--noediting", "--norc", "--noprofile", "-i")
_SETUP = r"PS1='\[\036\]P\#\[\037\]'; PS2=; set +o history +H; unset HISTFILE"
_REPAIR = "kill -9 -1 2>/dev/null; chmod 755 /run; rm -rf /run/icae; mkdir -p /run/icae"
_GRACE = 0.5
"""Seconds a shell gets to answer after an interrupt, and again after a kill."""
_START_SECONDS = 10.0
_SLICE = 0.2


class ShellResult(BaseModel):
    """What one command did."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    """Standard output and error as they came, UTF-8 with replacement characters; head and tail when it was cut."""
    exit_code: int
    """Exit status of the command; 124 when its time was up; of the shell itself when the command ended it."""
    timed_out: bool = False
    restarted: bool = False
    """Whether the shell was replaced; variables and functions are lost then."""
    broken: bool = False
    """Whether no shell can be had in this sandbox any more, by the doing of what ran inside."""
    note: str = ""
    """What the agent should be told besides the output: limit, restart, cut. Empty when nothing happened."""
    cwd: str = str(WORKSPACE)
    """Directory in which the next command starts."""


class Shell:
    """One bash in one sandbox, started on first use."""

    def __init__(self, sandbox: Sandbox, *, cwd: PurePosixPath | str = WORKSPACE) -> None:
        """Attach to a started sandbox; ``cwd`` is where the shell begins."""
        self._sandbox = sandbox
        self._cwd = str(cwd)
        self._pty: PtyProcess | None = None
        self._stream: TtyStream | None = None
        self._lines = 0
        self._mute = False
        """Whether the shell is at its prompt and yet does not answer: what runs inside has disabled its builtins."""

    @property
    def cwd(self) -> str:
        """Directory in which the next command starts."""
        return self._cwd

    def run(self, command: str, *, timeout: float = 180.0, output_limit: int = 64_000) -> ShellResult:
        """Run a command in the shell's current state.

        Args:
            command: Any text bash accepts, of any length.
            timeout: Seconds.
            output_limit: Bytes of output kept (half from the head, half from the tail).

        Raises:
            SandboxDiedError: The sandbox is gone, and not by the command's doing.
        """
        if "\0" in command:
            return ShellResult(
                text="", exit_code=2, note="A command cannot hold a NUL character.", cwd=self._cwd
            )
        deadline = time.monotonic() + timeout
        data = _encode(command)
        restarted = False
        for attempt in (1, 2):
            if not self._prepare(data):
                return self._broken()
            code = self._execute(deadline)
            if code is None and attempt == 1 and not self._began():
                self._drop()  # the shell had ended before, for example by TMOUT, and the command did not run
                restarted = True
                continue
            break
        if code is not None:
            return self._result(code, output_limit, restarted=restarted)
        if self._mute:
            return self._after_muting(output_limit)
        if self._exit_code() is not None:
            return self._after_exit(output_limit)
        return self._after_timeout(timeout, output_limit)

    def close(self) -> None:
        """End the shell."""
        self._drop()

    def _prepare(self, data: bytes) -> bool:
        for attempt in (1, 2):
            try:
                self._sandbox.files.write(_COMMAND, data, mode=0o600)
                self._sandbox.files.discard(_OUTPUT)
                if self._stream is None:
                    self._open()
            except (OSError, SandboxStartError) as error:
                if isinstance(error, SandboxDiedError) or attempt == 2:
                    return False
                self._drop()
                self._sandbox.kill_all()
                self._sandbox.run(["/bin/sh", "-c", _REPAIR], cwd="/", timeout=10.0)
            else:
                return True
        return False

    def _open(self) -> None:
        cwd = self._cwd
        try:
            directory = self._sandbox.files.stat(cwd).kind == "directory"
        except (OSError, ValueError):
            directory = False
        for place in (cwd if directory else str(WORKSPACE), "/"):
            try:
                self._pty = self._sandbox.open_pty(_BASH, cwd=place)
                break
            except SandboxStartError:
                if place == "/":
                    raise
        assert self._pty is not None
        self._cwd = place
        self._stream = TtyStream(self._pty.fd)
        if self._await(self._send(_SETUP), time.monotonic() + _START_SECONDS) is None:
            self._drop()
            raise SandboxStartError("A shell started inside does not answer.")

    def _execute(self, deadline: float) -> int | None:
        nonce = self._send(rf"\. {_COMMAND} </dev/null >|{_OUTPUT} 2>&1")
        return self._await(nonce, deadline)

    def _send(self, line: str) -> str:
        """Send a line followed by the mark, whose nonce stands divided in it so that an echo cannot be taken for the answer."""
        nonce = secrets.token_hex(8)
        assert self._stream is not None
        self._stream.send_line(f"{line};{_mark(nonce)}")
        self._lines += 1
        return nonce

    def _await(self, nonce: str, deadline: float) -> int | None:
        """Wait for a mark; return its exit code, or None when time is up or the shell has ended or cannot answer.

        The prompt counts the lines. A shell that is back at its prompt without having answered has thrown the rest of the
        line away, as bash does when SIGINT ends a loop; it is asked again.
        """
        assert self._stream is not None and self._pty is not None
        prompt = re.compile(rb"\x1eP%d\x1f" % (self._lines + 1))
        asked_again = False
        while True:
            mark = re.compile(rb"\x1e" + nonce.encode() + rb":(\d+):([^\x1f]*)\x1f", re.DOTALL)
            left = deadline - time.monotonic()
            found = self._stream.expect_list(
                [mark, prompt, EOF, TIMEOUT], timeout=max(min(left, _SLICE), 0.0)
            )
            if found == 0:
                match = cast("re.Match[bytes]", self._stream.match)
                self._cwd = (
                    match.group(2).replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape") or self._cwd
                )
                return int(match.group(1))
            if found == 1:
                if asked_again:
                    self._mute = True
                    return None
                nonce, asked_again = secrets.token_hex(8), True
                self._stream.send_line(_mark(nonce))
                self._lines += 1
                prompt = re.compile(rb"\x1eP%d\x1f" % (self._lines + 1))
            elif found == 2 or left <= 0 or self._pty.poll() is not None:
                return None

    def _began(self) -> bool:
        try:
            self._sandbox.files.stat(_OUTPUT)
        except OSError:
            return False
        return True

    def _exit_code(self) -> int | None:
        """Return the shell's own exit code if it has ended; its terminal may close an instant before it."""
        assert self._pty is not None and self._stream is not None
        patience = time.monotonic() + (2.0 if self._stream.ended else 0.0)
        while (code := self._pty.poll()) is None and time.monotonic() < patience:
            time.sleep(0.001)
        return code

    def _take_output(self, limit: int) -> Output:
        return read_output(self._sandbox.files, _OUTPUT, limit)

    def _result(self, code: int, limit: int, *, restarted: bool) -> ShellResult:
        output = self._take_output(limit)
        note = output.note
        if restarted:
            note = f"The shell had ended and was restarted. {note}".rstrip()
        if code and not output.text:
            if self._is_full():
                note = "The output could not be kept: the file system at /run is full; remove files there."
            elif not self._can_redirect():
                self._drop()
                self._check_alive()
                restarted = True
                note = (
                    "The shell could open no more files and was restarted in "
                    f"{self._restart_place()}; the command may not have run."
                )
        return ShellResult(text=output.text, exit_code=code, restarted=restarted, note=note, cwd=self._cwd)

    def _can_redirect(self) -> bool:
        """Return whether the shell can still give a command its input and output (``ulimit -n`` can prevent it)."""
        line = rf"\builtin printf k </dev/null >|{_OUTPUT} 2>&1"
        self._await(self._send(line), time.monotonic() + _GRACE)
        return self._take_output(8).text == "k"

    def _is_full(self) -> bool:
        probe = _FOLDER / "probe"
        try:
            self._sandbox.files.write(probe, bytes(8192))
            self._sandbox.files.discard(probe)
        except OSError as error:
            return error.errno == errno.ENOSPC
        return False

    def _after_exit(self, limit: int) -> ShellResult:
        code = self._exit_code()
        output = self._take_output(limit)
        self._drop()
        self._check_alive()
        note = f"The shell ended with exit code {code} and was restarted in {self._restart_place()}."
        return ShellResult(
            text=output.text, exit_code=code if code is not None else 137, restarted=True, cwd=self._cwd,
            note=" ".join(part for part in (output.note, note) if part),
        )  # fmt: skip

    def _after_muting(self, limit: int) -> ShellResult:
        output = self._take_output(limit)
        self._drop()
        note = (
            f"The shell could not report an exit code any more and was restarted in {self._restart_place()}."
        )
        return ShellResult(text=output.text, exit_code=137, restarted=True, cwd=self._cwd, note=note)

    def _after_timeout(self, timeout: float, limit: int) -> ShellResult:
        assert self._pty is not None
        note = f"The command did not end within its limit of {timeout:g} s and was interrupted."
        answered = False
        for act in (self._pty.interrupt, self._pty.kill_children):
            act()
            with contextlib.suppress(OSError):
                answered = self._await(self._send(":"), time.monotonic() + _GRACE) is not None
            if answered:
                break
        output = self._take_output(limit)
        if not answered:
            self._drop()
            self._check_alive()
            note += f" The shell did not answer and was restarted in {self._restart_place()}."
        return ShellResult(
            text=output.text, exit_code=124, timed_out=True, restarted=not answered, cwd=self._cwd,
            note=" ".join(part for part in (output.note, note) if part),
        )  # fmt: skip

    def _restart_place(self) -> str:
        try:
            if self._sandbox.files.stat(self._cwd).kind == "directory":
                return self._cwd
        except (OSError, ValueError):
            pass
        self._cwd = str(WORKSPACE)
        return self._cwd

    def _broken(self) -> ShellResult:
        self._check_alive()
        return ShellResult(
            text="", exit_code=137, restarted=True, broken=True, cwd=self._cwd,
            note="No shell can be started in this sandbox any more.",
        )  # fmt: skip

    def _check_alive(self) -> None:
        if not self._sandbox.alive():
            raise SandboxDiedError("The sandbox ended while a command ran in it.")

    def _drop(self) -> None:
        if self._pty is not None:
            self._pty.close()
        self._pty = self._stream = None
        self._lines = 0
        self._mute = False


def _mark(nonce: str) -> str:
    return rf"\builtin printf '\036%s:%s:%s\037' {nonce[:8]}''{nonce[8:]} $? " + '"${PWD-}" >/dev/tty'


def _encode(command: str) -> bytes:
    try:
        return command.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        return command.encode("utf-8", "replace")
