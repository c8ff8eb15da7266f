"""What is said about sandboxes: their configuration and limits, and what commands and files in them come to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal

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
    tracing: bool = True
    """Whether processes may trace their own, as debuggers do. Whoever may steer a program can read it."""


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
