"""Remove trees that somebody else has built: of any depth, with any permissions, and never following a link."""

from __future__ import annotations

import os


def remove_at(parent: int, name: bytes) -> None:
    """Remove a file or a whole tree; a missing one is no error, a link is removed and not followed.

    Args:
        parent: Descriptor of the directory it lies in.
        name: Its name there.

    Raises:
        OSError: It, or something in it, cannot be removed.
    """
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        _remove_tree(parent, name)


def _remove_tree(parent: int, name: bytes) -> None:
    """Remove a tree of any depth with a handful of descriptors: inner directories are moved up to its top first."""
    top = _open_directory(parent, name)
    try:
        pending = [b"."]
        moved = 0
        while pending:
            inner = pending.pop()
            fd = _open_directory(top, inner)
            try:
                for entry in map(os.fsencode, os.listdir(fd)):
                    try:
                        os.unlink(entry, dir_fd=fd)
                    except (IsADirectoryError, PermissionError):
                        os.close(_open_directory(fd, entry))
                        moved += 1
                        os.rename(entry, b".icae-moved-%d" % moved, src_dir_fd=fd, dst_dir_fd=top)
                        pending.append(b".icae-moved-%d" % moved)
            finally:
                os.close(fd)
            if inner != b".":
                os.rmdir(inner, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=parent)


def _open_directory(parent: int, name: bytes) -> int:
    """Open a directory for removal, giving its owner all rights on it first."""
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{handle}", 0o700)
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=handle)
    finally:
        os.close(handle)
