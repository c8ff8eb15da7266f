"""What a sandbox's file system is put together from: the image's part and the writable part every sandbox has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.sandbox.base import HOME, MIB, WORKSPACE, Limits

OUTPUT_SPACE = 128 * MIB
"""Size of /run, where the output of a running command is kept."""


class Mount(BaseModel):
    """One step of building the image's part of the file system, in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["bind", "symlink", "tmpfs", "file"]
    """``bind``: host ``source`` read-only; ``symlink``: pointing to ``source``; ``tmpfs``: empty; ``file``: ``content``."""
    target: str
    source: str = ""
    content: bytes = b""


SHM = "/dev/shm"
_SHARE_OF_MEMORY = 31 / 32


def writable(limits: Limits) -> Sequence[tuple[str, int, str]]:
    """Return (path, bytes, octal mode) of every writable file system, SHM last.

    Their content counts as the sandbox's memory. Where the limits would let it fill that memory, all of them shrink alike, so
    that a full disk is a full disk (ENOSPC) and not the end of a process.
    """
    wanted = (
        (str(WORKSPACE), limits.workspace, "0755"),
        (str(HOME), limits.scratch, "0755"),
        ("/tmp", limits.scratch, "1777"),
        ("/var/tmp", limits.scratch, "1777"),
        ("/run", OUTPUT_SPACE, "0755"),
        (SHM, limits.shm, "1777"),
    )
    share = min(1.0, limits.memory * _SHARE_OF_MEMORY / sum(size for _, size, _ in wanted))
    return [(path, max(int(size * share) // 4096 * 4096, 4096), mode) for path, size, mode in wanted]
