"""A sandbox in memory: no process, no isolation, microseconds a call; for unit tests and vector-env tests.

``FakeBackend`` takes what the commands answer; files, links, quotas and death behave as in a real sandbox.
What it cannot do: run programs, open a pseudo-terminal, attach a terminal. ``open_pty`` and ``attach_argv``
raise SandboxUnavailableError; ``make_shell`` gives a shell whose commands a callable answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self

from icae_env.errors import SandboxDiedError, SandboxStartError, SandboxUnavailableError
from icae_env.sandbox.base import (
    BASE_ENV,
    HOME,
    MIB,
    WORKSPACE,
    Availability,
    Companion,
    Completed,
    ImageRef,
    Limits,
    PtyProcess,
    Sandbox,
    SandboxConfig,
)
from icae_env.sandbox.fakefiles import FakeFiles

if TYPE_CHECKING:
    from icae_env.sandbox.shell import ShellResult

Commands = Callable[[str], tuple[str, int]]
"""What a fake shell answers: command text -> (output, exit code)."""
DIRECTORIES = (str(WORKSPACE), str(HOME), "/tmp", "/var/tmp", "/dev/shm", "/run", "/etc")


@dataclass(frozen=True)
class FakeCall:
    """One call of ``FakeSandbox.run``, as handed to the callable that answers it."""

    sandbox: FakeSandbox
    argv: tuple[str, ...]
    stdin: bytes
    env: Mapping[str, str]
    """The whole environment: BASE_ENV, the config's and the call's."""
    cwd: PurePosixPath
    timeout: float
    """Seconds."""


Answer = Callable[[FakeCall], Completed] | Mapping[tuple[str, ...], Completed]
"""What ``run`` answers: a callable, or a table from argv (a command that is not in it gets exit code 127)."""


class FakeShell:
    """Stands in for ``Shell`` over a fake sandbox: each command is answered by the backend's ``commands``."""

    def __init__(self, sandbox: FakeSandbox, commands: Commands) -> None:
        self._sandbox, self._commands = sandbox, commands

    def run(self, command: str, *, timeout: float = 60.0, output_limit: int = 16_000) -> ShellResult:
        """Answer one command; ``timeout`` is not enforced, since nothing runs."""
        from icae_env.sandbox.shell import ShellResult  # noqa: PLC0415 - the real shell needs pexpect

        del timeout
        if not self._sandbox.alive():
            raise SandboxDiedError("The fake sandbox is gone.")
        text, exit_code = self._commands(command)
        return ShellResult(text=text[:output_limit], exit_code=exit_code, cwd=str(WORKSPACE))

    def close(self) -> None:
        """Do nothing: there is no process to end."""


class FakeSandbox:
    """One sandbox in memory. ``die`` ends it as a fault of the host would."""

    backend: ClassVar[str] = "fake"

    def __init__(self, owner: FakeBackend, config: SandboxConfig) -> None:
        self.config, self.image = config, owner.image
        self.files = FakeFiles(quota=config.limits.workspace, file_limit=config.limits.file)
        self.kills = 0
        """How often ``kill_all`` was called."""
        self._owner, self._alive, self._ended_from_inside = owner, False, False

    def start(self) -> None:
        """Make the standard directories, or raise SandboxStartError if the backend was told to fail."""
        if self._owner.start_error is not None:
            raise SandboxStartError(self._owner.start_error)
        for path in DIRECTORIES:
            self.files.mkdir(path)
        self._alive = True
        self._owner.live.add(self)

    def close(self) -> None:
        """Drop it; a second call does nothing."""
        self._alive = False
        self._owner.live.discard(self)

    def die(self, *, from_inside: bool = False) -> None:
        """End it: from the host's side, so that the next call raises SandboxDiedError, or by what runs in it."""
        self._alive, self._ended_from_inside = False, from_inside

    def alive(self) -> bool:
        """Return whether it was started and neither closed nor dead."""
        return self._alive

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: PurePosixPath | str = WORKSPACE,
        timeout: float = 60.0,
        output_limit: int = 4 * MIB,
    ) -> Completed:
        """Answer a command by the backend's callable or table, cut to ``output_limit``; ``true`` always succeeds."""
        if not self._alive:
            if self._ended_from_inside:
                return Completed(exit_code=137, stderr=b"the fake sandbox was ended by what ran in it\n")
            raise SandboxDiedError("The fake sandbox is gone.")
        if tuple(argv) == ("true",):  # so that callers can ask whether it still works
            return Completed(exit_code=0)
        whole = {**BASE_ENV, **self.config.env, **(env or {})}
        call = FakeCall(self, tuple(argv), stdin, whole, PurePosixPath(cwd), timeout)
        answer = self._owner.answer
        missing = Completed(exit_code=127, stderr=f"{argv[0]}: not in the fake's table\n".encode())
        done = answer(call) if callable(answer) else answer.get(call.argv, missing)
        if max(len(done.stdout), len(done.stderr)) <= output_limit:
            return done
        cut = {"stdout": done.stdout[:output_limit], "stderr": done.stderr[:output_limit], "truncated": True}
        return done.model_copy(update=cut)

    def open_pty(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: PurePosixPath | str = WORKSPACE,
        rows: int = 24,
        columns: int = 80,
    ) -> PtyProcess:
        """Raise SandboxUnavailableError: nothing runs here that a terminal could belong to."""
        raise SandboxUnavailableError("fake", "it has no processes, so no pseudo-terminal.", mend=_REAL)

    def attach_argv(self, argv: Sequence[str], *, cwd: PurePosixPath | str = WORKSPACE) -> list[str]:
        """Raise SandboxUnavailableError: nothing runs here that a terminal could be attached to."""
        raise SandboxUnavailableError("fake", "it has no processes to attach a terminal to.", mend=_REAL)

    def make_shell(self) -> FakeShell:
        """Return the shell that stands in for a real one; ``icae_env.sandbox.shell`` asks for it."""
        return FakeShell(self, self._owner.commands)

    def kill_all(self) -> None:
        """Count the call; nothing runs."""
        if not self._alive:
            raise SandboxDiedError("The fake sandbox is gone.")
        self.kills += 1

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_REAL = "use the sandbox 'bubblewrap' or 'docker'."


def no_commands(command: str) -> tuple[str, int]:
    """Answer every command of a fake shell as an unknown one."""
    return f"fake: {command.split(maxsplit=1)[0] if command.strip() else ''}: command not found\n", 127


class FakeBackend:
    """Makes sandboxes in memory.

    Args:
        answer: What ``run`` answers (callable or table).
        commands: What a fake shell answers.
        image: The image that the sandboxes claim to run on.
        start_error: When set, every start raises SandboxStartError with this text.
    """

    name: ClassVar[str] = "fake"

    def __init__(
        self,
        answer: Answer | None = None,
        *,
        commands: Commands = no_commands,
        image: ImageRef | None = None,
        start_error: str | None = None,
    ) -> None:
        self.answer: Answer = {} if answer is None else answer
        self.commands, self.start_error = commands, start_error
        self.image = image or ImageRef(name="fake", digest="fake")
        self.live: set[FakeSandbox] = set()
        """Sandboxes started and not closed."""

    def availability(self) -> Availability:
        """Return that it always works."""
        return Availability(
            ok=True, detail="in memory", unenforced=("memory, processes, open files: nothing runs",)
        )

    def create(self, config: SandboxConfig) -> FakeSandbox:
        """Return a sandbox, not yet started."""
        return FakeSandbox(self, config)

    def run_fresh(
        self,
        config: SandboxConfig,
        files: Mapping[str, tuple[bytes, int]],
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float = 60.0,
        output_limit: int = 4 * MIB,
    ) -> Completed:
        """Answer one command in a sandbox of its own that holds ``files`` in its workspace."""
        with self.create(config) as sandbox:
            for path, (data, mode) in files.items():
                sandbox.files.write(WORKSPACE / path, data, mode=mode)
            return sandbox.run(argv, stdin=stdin, timeout=timeout, output_limit=output_limit)

    def create_beside(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str, limits: Limits
    ) -> Companion:
        """Raise SandboxUnavailableError: no program runs here."""
        raise SandboxUnavailableError("fake", "it has no processes, so no companion.", mend=_REAL)

    def place_program(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str
    ) -> PurePosixPath:
        """Raise SandboxUnavailableError: no program runs here."""
        raise SandboxUnavailableError("fake", "it has no processes.", mend=_REAL)

    def close(self) -> None:
        """Do nothing: nothing is held."""
