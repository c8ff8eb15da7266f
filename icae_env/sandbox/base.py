"""The sandbox contract: where commands run, apart from what is done there.

A backend makes sandboxes; a sandbox offers five things: run a command, open one on a pseudo-terminal, reach its files, kill what
runs in it, and go away without a trace. Shell, terminal, edits, submission and replay are built on these five, so a third
backend needs no more (``icae_env.sandbox.conformance`` checks it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from types import TracebackType
from typing import ClassVar, Literal, Protocol, Self, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

WORKSPACE = PurePosixPath("/workspace")
HOME = PurePosixPath("/home/agent")
SANDBOX_UID = 1000
"""The uid and gid that commands see inside every sandbox (user ``agent``)."""

MIB = 1024 * 1024


class Limits(BaseModel):
    """What one sandbox may use. Sizes are bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory: int = Field(2048 * MIB, ge=16 * MIB)
    """Memory of all processes together (cgroup); per process where no cgroup can be written."""
    processes: int = Field(512, ge=8)
    """Processes and threads at the same time."""
    workspace: int = Field(1024 * MIB, ge=MIB)
    """Space below /workspace."""
    scratch: int = Field(256 * MIB, ge=MIB)
    """Space below /tmp, and again below the home directory."""
    shm: int = Field(64 * MIB, ge=MIB)
    """Space below /dev/shm."""
    file: int = Field(512 * MIB, ge=MIB)
    """Size of one file."""
    open_files: int = Field(1024, ge=64)
    """Open descriptors of one process."""


class SandboxConfig(BaseModel):
    """How to make a sandbox."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    image: str = "host"
    """Name of a built image, or ``host``."""
    network: bool = False
    """Whether packages can be fetched from inside; only for provisioning, never for episodes or replay."""
    limits: Limits = Limits()
    env: dict[str, str] = Field(default_factory=dict)
    """Variables added to BASE_ENV."""


class ImageRef(BaseModel):
    """The image a sandbox runs on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    digest: str
    """``sha256:...`` over the root file system's content; ``host`` for the unbuilt host image."""


class Completed(BaseModel):
    """The result of one finished command. A non-zero exit is a result, not an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exit_code: int
    """Exit status; 128 + N after signal N; 124 when the time limit ended it."""
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    truncated: bool = False
    """Whether output beyond the limit was dropped."""
    seconds: float = 0.0
    """Wall time."""


class Availability(BaseModel):
    """Whether a backend works on this machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ok: bool
    detail: str
    """Version when it works, else the reason."""
    mend: str | None = None
    """The one command that mends it."""
    unenforced: tuple[str, ...] = ()
    """Limits that cannot be enforced here, each with the reason."""


BASE_ENV: Mapping[str, str] = {
    "PATH": "/home/agent/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": str(HOME),
    "USER": "agent",
    "LOGNAME": "agent",
    "SHELL": "/bin/bash",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "xterm-256color",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PIP_BREAK_SYSTEM_PACKAGES": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "agent",
    "GIT_AUTHOR_EMAIL": "agent@sandbox",
    "GIT_COMMITTER_NAME": "agent",
    "GIT_COMMITTER_EMAIL": "agent@sandbox",
    "DEBIAN_FRONTEND": "noninteractive",
    "NO_UPDATE_NOTIFIER": "1",
}
"""The whole environment of every command; nothing of the host's environment enters."""


class FileStat(BaseModel):
    """What is at a path inside a sandbox."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["file", "directory", "link", "other"]
    """Of the entry itself; links are not followed."""
    size: int
    """Bytes."""
    mode: int
    """Permission bits."""
    blocks: int = 0
    """Allocated 512-byte blocks (fewer than size/512 in a sparse file)."""


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


class Backend(Protocol):
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
