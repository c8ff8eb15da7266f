"""Files of a running sandbox, reached from the host through the root directory of one of its processes.

``/proc/PID/root`` shows the sandbox's own mounts. Plain path calls on it would follow an absolute link to the *host's* file;
every access here goes through ``openat2`` with the sandbox as root, under the sandbox user's identity, and never blocks on a
FIFO. It costs tens of microseconds where a command inside would cost milliseconds.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat as st
from pathlib import PurePosixPath

from icae_env.sandbox.base import FileStat
from icae_env.sandbox.descriptors import read_exactly, write_all
from icae_env.sandbox.openat2 import acting_as, open_in_root
from icae_env.sandbox.removal import remove_at

MAX_NAMES = 100_000
"""Entries of one directory that are listed."""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY


def _encode(path: PurePosixPath | str) -> bytes:
    raw = os.fsencode(str(path))
    if b"\0" in raw:
        raise ValueError("a path cannot hold a NUL character")
    return b"/" + raw.lstrip(b"/")


def _split(path: bytes) -> tuple[bytes, bytes]:
    head, _, name = path.rstrip(b"/").rpartition(b"/")
    if name in (b"", b".", b".."):
        raise OSError(errno.EINVAL, "the path does not name a file", os.fsdecode(path))
    return head or b"/", name


class RootFiles:
    """Implement ``base.Files`` over a descriptor of the sandbox's root directory."""

    def __init__(self, root: int, uid: int, gid: int) -> None:
        """Take over ``root``; accesses happen as host user ``uid``:``gid``."""
        self._root, self._uid, self._gid = root, uid, gid

    @classmethod
    def open(cls, pid: int, uid: int, gid: int) -> RootFiles:
        """Open the root directory of the process ``pid`` (as the host numbers it).

        Raises:
            OSError: The process is gone or belongs to somebody else.
        """
        return cls(os.open(f"/proc/{pid}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC), uid, gid)

    def close(self) -> None:
        """Release the descriptor; a second call does nothing."""
        if self._root >= 0:
            os.close(self._root)
            self._root = -1

    def open_file(self, path: PurePosixPath | str, flags: int, mode: int = 0o644) -> int:
        """Open a path inside and return a host descriptor; ``O_NONBLOCK`` is advisable where a FIFO may lie in wait."""
        with acting_as(self._uid, self._gid):
            return open_in_root(self._root, _encode(path), flags, mode)

    def open_regular(self, path: PurePosixPath | str) -> int:
        """Open a regular file for reading.

        Raises:
            OSError: It is missing, a directory, or neither (EINVAL).
        """
        fd = self.open_file(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        mode = os.fstat(fd).st_mode
        if st.S_ISREG(mode):
            return fd
        os.close(fd)
        if st.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "not a regular file", str(path))

    def read(self, path: PurePosixPath | str, *, limit: int | None = None, offset: int = 0) -> bytes:
        """Return a regular file's bytes, at most ``limit`` from ``offset``."""
        fd = self.open_regular(path)
        try:
            remaining = max(os.fstat(fd).st_size - offset, 0)
            wanted = remaining if limit is None else min(limit, remaining)
            return read_exactly(fd, wanted, offset)
        finally:
            os.close(fd)

    def write(
        self, path: PurePosixPath | str, data: bytes, *, mode: int | None = None, exclusive: bool = False
    ) -> None:
        """Write a whole file: parents are made, an existing file keeps its mode unless one is given; never half-written.

        The bytes go into a temporary file beside the target, which then takes its place. A final link is followed, so
        that editing a link changes what it points to.
        """
        target = _encode(path)
        head, name = _split(target)
        with acting_as(self._uid, self._gid):
            parent = self._make_parents(head)
            try:
                kept = self._mode_of(parent, name)
                if kept is not None and exclusive:
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
                if kept is not None and st.S_ISLNK(kept):
                    self._overwrite(target, data, mode)
                    return
                if kept is not None and not st.S_ISREG(kept):
                    code = errno.EISDIR if st.S_ISDIR(kept) else errno.EINVAL
                    raise OSError(code, os.strerror(code), str(path))
                self._replace(
                    parent, name, data, mode if mode is not None else st.S_IMODE(kept or 0o644), kept
                )
            finally:
                os.close(parent)

    def _replace(self, parent: int, name: bytes, data: bytes, mode: int, kept: int | None) -> None:
        if kept is not None:  # renaming over a file would ignore that it is write-protected
            os.close(os.open(name, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent))
        temporary = b".icae-" + os.urandom(8).hex().encode()
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=parent)
        try:
            try:
                write_all(fd, data)
                os.fchmod(fd, mode)
            finally:
                os.close(fd)
            os.rename(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            os.unlink(temporary, dir_fd=parent)
            raise

    def _overwrite(self, target: bytes, data: bytes, mode: int | None) -> None:
        fd = open_in_root(self._root, target, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY, 0o644)
        try:
            if not st.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.EINVAL, "not a regular file", os.fsdecode(target))
            os.ftruncate(fd, 0)
            write_all(fd, data)
            if mode is not None:
                os.fchmod(fd, mode)
        finally:
            os.close(fd)

    def stat(self, path: PurePosixPath | str) -> FileStat:
        """Return what is at ``path`` without following a final link."""
        with acting_as(self._uid, self._gid):
            fd = open_in_root(self._root, _encode(path), os.O_PATH | os.O_NOFOLLOW)
        try:
            info = os.fstat(fd)
        finally:
            os.close(fd)
        return FileStat(
            kind=_kind(info.st_mode), size=info.st_size, mode=st.S_IMODE(info.st_mode), blocks=info.st_blocks
        )

    def list(self, path: PurePosixPath | str) -> list[str]:
        """Return a directory's entry names, sorted; of more than MAX_NAMES only the first, for there may be millions."""
        fd = self.open_file(path, _DIRECTORY)
        try:
            names: list[str] = []
            with acting_as(self._uid, self._gid), os.scandir(fd) as entries:
                for entry in entries:
                    names.append(entry.name)
                    if len(names) == 2 * MAX_NAMES:
                        names = sorted(names)[:MAX_NAMES]
            return sorted(names)[:MAX_NAMES]
        finally:
            os.close(fd)

    def mkdir(self, path: PurePosixPath | str) -> None:
        """Make a directory and its parents; an existing one is kept."""
        with acting_as(self._uid, self._gid):
            os.close(self._make_parents(_encode(path)))

    def remove(self, path: PurePosixPath | str) -> None:
        """Remove a file or a whole tree, without following links; a missing one is no error."""
        head, name = _split(_encode(path))
        with acting_as(self._uid, self._gid):
            try:
                parent = open_in_root(self._root, head, _DIRECTORY)
            except FileNotFoundError:
                return
            try:
                remove_at(parent, name)
            finally:
                os.close(parent)

    def discard(self, path: PurePosixPath | str) -> None:
        """Empty a regular file in place and remove it, so that a process still writing to it holds no space."""
        try:
            fd = self.open_file(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY)
        except FileNotFoundError:
            return
        except OSError:  # a link, a directory, a FIFO nobody reads: nothing of ours is in it
            self.remove(path)
            return
        try:
            if st.S_ISREG(os.fstat(fd).st_mode):
                os.ftruncate(fd, 0)
        finally:
            os.close(fd)
        self.remove(path)

    def _make_parents(self, path: bytes) -> int:
        missing: list[bytes] = []  # innermost first; a loop, for a path may be deeper than Python's stack
        while True:
            try:
                fd = open_in_root(self._root, path, _DIRECTORY)
                break
            except FileNotFoundError:
                missing.append(path)
                path = _split(path)[0]
        for inner in reversed(missing):
            try:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(_split(inner)[1], 0o755, dir_fd=fd)
            finally:
                os.close(fd)
            fd = open_in_root(self._root, inner, _DIRECTORY)
        return fd

    @staticmethod
    def _mode_of(parent: int, name: bytes) -> int | None:
        try:
            return os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None


def _kind(mode: int) -> str:
    if st.S_ISREG(mode):
        return "file"
    if st.S_ISDIR(mode):
        return "directory"
    return "link" if st.S_ISLNK(mode) else "other"
