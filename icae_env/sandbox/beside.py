"""The contract of a companion: a second sandbox beside a running one, for one program that nobody inside can read."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from icae_env.sandbox.base import Sandbox
    from icae_env.sandbox.models import Limits


class Call(Protocol):
    """One run of a companion's program."""

    @property
    def pid(self) -> int:
        """The host's number of its process; 0 when that has ended already."""
        ...

    @property
    def status_fd(self) -> int:
        """A descriptor that becomes readable when it has ended and nothing of it is left."""
        ...

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait up to ``timeout`` seconds and return the exit code, negative after a signal, or None."""
        ...

    def signal(self, number: int) -> None:
        """Send a signal to its process group; nothing happens when it has ended."""
        ...

    def kill(self) -> None:
        """Kill it; what it has started goes with it."""
        ...

    def close(self) -> None:
        """Kill what still runs and release the descriptors; a second call does nothing."""
        ...


class Companion(Protocol):
    """A second sandbox: without network, with the first one's /workspace and nothing else of it.

    The program that it was made for can be run by the host alone. Nothing inside can read it, trace it or see its memory, whatever
    it is given as arguments, and nothing of one run outlives it but files. A context manager: entering starts it, leaving
    destroys it. When the first sandbox goes, its own processes go on until it is closed.
    """

    def start(self) -> None:
        """Start it.

        Raises:
            SandboxStartError: It did not come up; nothing is left.
        """
        ...

    def run(
        self,
        argv: Sequence[str],
        streams: tuple[int, int, int],
        *,
        env: Mapping[str, str],
        cwd: str,
        tty: bool = False,
        ignored: Sequence[int] = (),
    ) -> Call:
        """Start the program.

        Args:
            argv: Its arguments, with any name first.
            streams: Its descriptors 0, 1 and 2; they stay the caller's to close.
            env: Its whole environment.
            cwd: Folder in the workspace.
            tty: Whether the first of the streams that is a terminal becomes its controlling terminal.
            ignored: Signals that it is started to ignore.

        Raises:
            SandboxDiedError: The companion is gone.
            OSError: The program could not be executed, or not there.
        """
        ...

    def terminal(self) -> tuple[int, int]:
        """Return both ends of a new pseudo-terminal of its own: the host's and the program's.

        Raises:
            SandboxDiedError: The companion is gone.
            OSError: There are no more.
        """
        ...

    def changes(self, since: int, until: int, *, most: int, size: int) -> dict[str, bytes | None]:
        """Return the files of the workspace that were changed within a time: path -> content, None where that is too much.

        Args:
            since: Nanoseconds of the clock CLOCK_REALTIME_COARSE, which dates files.
            until: And the last.
            most: Files and folders looked at.
            size: Bytes of a file that are returned.
        """
        ...

    def listen(self, path: PurePosixPath) -> socket.socket:
        """Listen on a socket in the first sandbox, with the rights of the user there.

        Raises:
            OSError: That is not possible.
        """
        ...

    def alive(self) -> bool:
        """Return whether it still runs."""
        ...

    def ended_inside(self) -> bool:
        """Return whether what ran inside may have ended it: used up its memory, or kept it from answering."""
        ...

    def close(self) -> None:
        """Destroy it; a second call does nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ServesPrograms(Protocol):
    """The part of a backend that runs programs which those in a sandbox cannot read."""

    def create_beside(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str, limits: Limits
    ) -> Companion:
        """Return a companion of a running sandbox, not yet started.

        Args:
            sandbox: One that this backend has made.
            files: What the program needs, and itself: relative path -> (bytes, permission bits).
            program: The one of them that is run.
            limits: What the companion may use.

        Raises:
            SandboxUnavailableError: This backend has none on this machine.
        """
        ...

    def place_program(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str
    ) -> PurePosixPath:
        """Place a program in a running sandbox, on a read-only mount: its processes can execute but neither read nor change it.

        That holds in a sandbox without tracing, and for programs that read no variable that makes them load foreign code.

        Args:
            sandbox: One that this backend has made, in which nothing has run yet.
            files: What the program needs, and itself: relative path -> (bytes, permission bits).
            program: The one of them that is run.

        Returns:
            Its path inside.

        Raises:
            SandboxUnavailableError: This backend cannot do it on this machine.
            SandboxStartError: It could not be done.
        """
        ...
