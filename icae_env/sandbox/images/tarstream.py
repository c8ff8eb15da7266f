"""Root file systems and folders as tar streams, to and from Docker, without a file in between."""

from __future__ import annotations

import io
import os
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from icae_env.sandbox.images.rootfs import entries


class Chunks(io.RawIOBase):
    """A generator of byte chunks as a readable file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        """Take the chunks in order; nothing is read yet."""
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with what comes next; 0 at the end."""
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def packed(folder: Path) -> bytes:
    """Return a small folder, by its own name and owned by root, as a tar."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(folder, folder.name, filter=_as_root)
    return buffer.getvalue()


@contextmanager
def sent(root: Path) -> Iterator[BinaryIO]:
    """Give a file from which a root file system can be read as a tar, sorted and owned by root, while it is packed.

    Args:
        root: The root file system.
    """
    reading, writing = os.pipe()
    failures: list[OSError] = []
    thread = threading.Thread(target=_pack, args=(root, writing, failures), daemon=True)
    with open(reading, "rb") as stream:  # noqa: PTH123 - a descriptor, not a path
        thread.start()
        yield stream
    thread.join()
    if failures:
        raise failures[0]


def _pack(root: Path, writing: int, failures: list[OSError]) -> None:
    try:
        with open(writing, "wb") as sink, tarfile.open(fileobj=sink, mode="w|") as archive:
            for path, _ in entries(root):
                archive.add(path, path.relative_to(root).as_posix(), recursive=False, filter=_as_root)
    except BrokenPipeError:
        # Whoever reads has given up and says why itself.
        return
    except OSError as error:
        failures.append(error)


def _as_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
