"""The sandbox contract: where commands run, apart from what is done there.

A backend makes sandboxes; a sandbox offers five things: run a command, open one on a pseudo-terminal, reach its files, kill what
runs in it, and go away without a trace. Shell, terminal, edits, submission and replay are built on these five, so a third
backend needs no more (``icae_env.sandbox.conformance`` checks it).

This module is the front door of the contract: the models it speaks in (``icae_env.sandbox.models``) are imported from here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from types import TracebackType
from typing import ClassVar, Protocol, Self, runtime_checkable

from icae_env.sandbox.beside import Call, Companion, ServesPrograms
from icae_env.sandbox.models import (
    BASE_ENV,
    HOME,
    MIB,
    SANDBOX_UID,
    WORKSPACE,
    Availability,
    Completed,
    FileStat,
    ImageRef,
    Limits,
    SandboxConfig,
)

__all__ = [
    "BASE_ENV",
    "HOME",
    "MIB",
    "SANDBOX_UID",
    "WORKSPACE",
    "Availability",
    "Backend",
    "Call",
    "Companion",
    "Completed",
    "FileStat",
    "Files",
    "ImageRef",
    "Limits",
    "PtyProcess",
    "Sandbox",
    "SandboxConfig",
    "ServesPrograms",
]


class Files(Protocol):
    """Files as seen from inside. Paths are absolute inside the sandbox; links resolve there and never reach the host.

    Every method raises ``OSError`` (FileNotFoundError, IsADirectoryError, PermissionError, ENOSPC ...) as the like call of
    ``os`` would for the user inside.
    """

    def read(self, path: PurePosixPath | str, *, limit: int | None = None, offset: int = 0) -> bytes:
        """Return a regular file's bytes, at most ``limit`` from ``offset``."""
        ...

    def write(
        self, path: PurePosixPath | str, data: bytes, *, mode: int | None = None, exclusive: bool = False
    ) -> None:
        """Write a whole file: parents are made, an existing file keeps its mode unless one is given; never half-written."""
        ...

    def stat(self, path: PurePosixPath | str) -> FileStat:
        """Return what is at ``path`` without following a final link."""
        ...

    def list(self, path: PurePosixPath | str) -> list[str]:
        """Return a directory's entry names, sorted."""
        ...

    def mkdir(self, path: PurePosixPath | str) -> None:
        """Make a directory and its parents; an existing one is kept."""
        ...

    def remove(self, path: PurePosixPath | str) -> None:
        """Remove a file or a whole tree, without following links; a missing one is no error."""
        ...

    def discard(self, path: PurePosixPath | str) -> None:
        """Empty a regular file in place and remove it, so that a process still writing to it holds no space."""
        ...


@runtime_checkable
class PtyProcess(Protocol):
    """A command on its own pseudo-terminal inside a sandbox."""

    fd: int
    """The terminal's byte stream on the host: readable and writable, owned by this object."""

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        ...

    def interrupt(self) -> None:
        """Send SIGINT to the terminal's foreground process group."""
        ...

    def kill_children(self) -> None:
        """Kill the terminal's foreground process group and its descendants, but not the command itself."""
        ...

    def close(self) -> None:
        """Kill the command and its descendants and release the descriptor; a second call does nothing."""
        ...


class Sandbox(Protocol):
    """One isolated place with a workspace. A context manager: entering starts it, leaving destroys it."""

    backend: ClassVar[str]
    config: SandboxConfig
    image: ImageRef
    files: Files

    def start(self) -> None:
        """Start it.

        Raises:
            SandboxStartError: The host could not start it; nothing is left behind.
        """
        ...

    def close(self) -> None:
        """Destroy it: no process, mount, container or directory stays. A second call does nothing."""
        ...

    def alive(self) -> bool:
        """Return whether it still runs."""
        ...

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
        """Run one command to its end, apart from any shell.

        Args:
            argv: Program and arguments.
            stdin: All of its standard input.
            env: Variables added to the sandbox's own.
            cwd: Where it starts.
            timeout: Seconds; then it and its descendants are killed.
            output_limit: Bytes kept of stdout, and again of stderr.

        Raises:
            SandboxDiedError: The sandbox is gone.
        """
        ...

    def open_pty(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: PurePosixPath | str = WORKSPACE,
        rows: int = 24,
        columns: int = 80,
    ) -> PtyProcess:
        """Start a command as session leader on a new pseudo-terminal."""
        ...

    def attach_argv(self, argv: Sequence[str], *, cwd: PurePosixPath | str = WORKSPACE) -> list[str]:
        """Return a host command that runs ``argv`` inside on the terminal it is itself started on (for tmux panes)."""
        ...

    def kill_all(self) -> None:
        """Kill every process inside but the init; the sandbox and its files stay."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Backend(ServesPrograms, Protocol):
    """A way to make sandboxes, named in the registry under ``sandbox``."""

    name: ClassVar[str]

    def availability(self) -> Availability:
        """Probe, by really starting one, whether this machine can run it."""
        ...

    def create(self, config: SandboxConfig) -> Sandbox:
        """Return a sandbox, not yet started (or taken from a warm pool)."""
        ...

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
        """Run one command in a sandbox of its own that is destroyed afterwards.

        Args:
            config: The sandbox to make.
            files: Workspace content: relative path -> (bytes, mode).
            argv: Program and arguments, started in the workspace.
            stdin: All of its standard input.
            timeout: Seconds.
            output_limit: Bytes kept of each stream.
        """
        ...

    def close(self) -> None:
        """Give back what the backend itself holds (warm pool, connections)."""
        ...
