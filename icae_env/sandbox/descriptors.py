"""Whole reads and writes on file descriptors."""

from __future__ import annotations

import os


def read_exactly(fd: int, count: int, offset: int) -> bytes:
    """Return up to ``count`` bytes of a file from ``offset``, less only where it ends."""
    parts: list[bytes] = []
    while count > 0 and (part := os.pread(fd, min(count, 1 << 20), offset)):
        parts.append(part)
        offset += len(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data`` from the present position; one call of the system's may take a part only."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
