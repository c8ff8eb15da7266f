"""A persistent bash in a sandbox that nothing bash accepts can wedge.

A command goes in as a file and its output comes out as a file; over the pseudo-terminal goes only one short line that sources the
file, and back comes only a mark with a fresh nonce. So open quotes, heredocs of any size, prompt tricks, bad bytes, ``stty raw`` or
``exec >file`` cannot confuse the two sides, and what a command prints to the terminal itself is noise that is dropped.

When a command's time is up its foreground processes are interrupted, then killed; if the shell still does not answer, it is
replaced. A replaced shell starts in the directory in which the last finished command left the old one, or in the workspace.
"""

from __future__ import annotations

import errno
import time
from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict

from icae_env.errors import SandboxDiedError, SandboxStartError
from icae_env.sandbox.base import WORKSPACE, Sandbox
from icae_env.sandbox.dialogue import BASH, Answer, Dialogue
from icae_env.sandbox.output import read_output

_FOLDER = PurePosixPath("/run/icae")
_COMMAND, _OUTPUT = _FOLDER / "command", _FOLDER / "output"
_REDIRECTED = f"</dev/null >|{_OUTPUT} 2>&1"
_REPAIR = "kill -9 -1 2>/dev/null; chmod 755 /run; rm -rf /run/icae; mkdir -p /run/icae"
_GRACE = 0.5
"""Seconds a shell gets to answer after an interrupt, and again after a kill."""
_START_SECONDS = 10.0


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
        self._dialogue: Dialogue | None = None

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
        for restarted in (False, True):
            dialogue = self._prepare(data)
            if dialogue is None:
                return self._broken()
            answer = dialogue.ask(rf"\. {_COMMAND} {_REDIRECTED}", deadline)
            if answer is not None or restarted or self._began():
                return self._result(dialogue, answer, timeout, output_limit, restarted=restarted)
            self.close()  # the shell had ended before, for example by TMOUT, and the command did not run
        raise AssertionError("unreachable")

    def _result(
        self, dialogue: Dialogue, answer: Answer | None, timeout: float, limit: int, *, restarted: bool
    ) -> ShellResult:
        if answer is not None:
            self._cwd = answer.cwd or self._cwd
            return self._finished(dialogue, answer.exit_code, limit, restarted=restarted)
        if dialogue.mute:
            return self._replaced(None, limit, "The shell could not report an exit code any more")
        if (code := dialogue.exit_code()) is not None:
            return self._replaced(code, limit, f"The shell ended with exit code {code}")
        return self._overdue(dialogue, timeout, limit)

    def close(self) -> None:
        """End the shell; the next command gets a new one."""
        if self._dialogue is not None:
            self._dialogue.close()
        self._dialogue = None

    def _prepare(self, data: bytes) -> Dialogue | None:
        """Put the command's file in place before a shell; return None when what runs inside prevents it for good."""
        for attempt in (1, 2):
            try:
                self._sandbox.files.write(_COMMAND, data, mode=0o600)
                self._sandbox.files.discard(_OUTPUT)
                if self._dialogue is None:
                    self._dialogue = self._open()
            except (OSError, SandboxStartError):
                if attempt == 2:
                    return None
                self.close()
                self._sandbox.kill_all()
                self._sandbox.run(["/bin/sh", "-c", _REPAIR], cwd="/", timeout=10.0)
            else:
                return self._dialogue
        return None

    def _open(self) -> Dialogue:
        for place in dict.fromkeys(
            (self._restart_place(), "/")
        ):  # what runs inside may close any other directory
            try:
                dialogue = Dialogue(self._sandbox.open_pty(BASH, cwd=place))
            except SandboxStartError:
                continue
            if dialogue.begin(_START_SECONDS):
                self._cwd = place
                return dialogue
            dialogue.close()
        raise SandboxStartError("A shell started inside does not answer.")

    def _began(self) -> bool:
        try:
            self._sandbox.files.stat(_OUTPUT)
        except OSError:
            return False
        return True

    def _finished(self, dialogue: Dialogue, code: int, limit: int, *, restarted: bool) -> ShellResult:
        output = read_output(self._sandbox.files, _OUTPUT, limit)
        note = f"The shell had ended and was restarted. {output.note}".rstrip() if restarted else output.note
        if code and not output.text:
            if self._is_full():
                note = "The output could not be kept: the file system at /run is full; remove files there."
            elif not self._can_redirect(dialogue):
                reason = "The shell could open no more files, the command may not have run"
                return self._replaced(code, limit, reason)
        return ShellResult(text=output.text, exit_code=code, restarted=restarted, note=note, cwd=self._cwd)

    def _can_redirect(self, dialogue: Dialogue) -> bool:
        """Return whether the shell can still give a command its input and output (``ulimit -n`` can prevent it)."""
        dialogue.ask(rf"\builtin printf k {_REDIRECTED}", time.monotonic() + _GRACE)
        return read_output(self._sandbox.files, _OUTPUT, 8).text == "k"

    def _is_full(self) -> bool:
        probe = _FOLDER / "probe"
        try:
            self._sandbox.files.write(probe, bytes(8192))
            self._sandbox.files.discard(probe)
        except OSError as error:
            return error.errno == errno.ENOSPC
        return False

    def _replaced(self, code: int | None, limit: int, reason: str) -> ShellResult:
        output = read_output(self._sandbox.files, _OUTPUT, limit)
        self.close()
        self._check_alive()
        note = f"{output.note} {reason}, and it was restarted in {self._restart_place()}.".lstrip()
        code = 137 if code is None else code
        return ShellResult(text=output.text, exit_code=code, restarted=True, note=note, cwd=self._cwd)

    def _overdue(self, dialogue: Dialogue, timeout: float, limit: int) -> ShellResult:
        note = f"The command did not end within its limit of {timeout:g} s and was interrupted."
        answer = None
        for act in (dialogue.interrupt, dialogue.kill_foreground):
            act()
            answer = dialogue.ask(":", time.monotonic() + _GRACE)
            if answer is not None:
                self._cwd = answer.cwd or self._cwd
                break
        output = read_output(self._sandbox.files, _OUTPUT, limit)
        if answer is None:
            self.close()
            self._check_alive()
            note += f" The shell did not answer and was restarted in {self._restart_place()}."
        return ShellResult(
            text=output.text,
            exit_code=124,
            timed_out=True,
            restarted=answer is None,
            note=f"{output.note} {note}".lstrip(),
            cwd=self._cwd,
        )

    def _restart_place(self) -> str:
        for place in (self._cwd, str(WORKSPACE)):
            try:
                self._sandbox.files.stat(f"{place}/.")  # fails as entering it would
            except (OSError, ValueError):
                continue
            self._cwd = place
            return place
        self._cwd = "/"
        return self._cwd

    def _broken(self) -> ShellResult:
        self._check_alive()
        note = "No shell can be started in this sandbox any more."
        return ShellResult(text="", exit_code=137, restarted=True, broken=True, note=note, cwd=self._cwd)

    def _check_alive(self) -> None:
        if not self._sandbox.alive():
            raise SandboxDiedError("The sandbox ended while a command ran in it.")


def _encode(command: str) -> bytes:
    try:
        return command.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        return command.encode("utf-8", "replace")
