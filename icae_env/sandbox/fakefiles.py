"""A file system in memory with links, quotas and special files, for the fake sandbox."""

from __future__ import annotations

import errno
import os
from collections import deque
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

from icae_env.sandbox.base import MIB, FileStat


@dataclass
class _Node:
    kind: Literal["file", "directory", "link", "other"]
    mode: int
    data: bytes = b""
    target: str = ""
    blocks: int | None = None
    children: dict[str, _Node] = field(default_factory=dict)


def _error(code: int, path: object) -> OSError:
    return OSError(code, os.strerror(code), str(path))


class FakeFiles:
    """Files in memory, with ``base.Files``' meaning: links resolve within, errors are ``OSError``."""

    def __init__(self, *, quota: int = 1024 * MIB, file_limit: int = 512 * MIB) -> None:
        self._root = _Node("directory", 0o755)
        self._quota, self._file_limit, self._used = quota, file_limit, 0

    def _walk(self, path: PurePosixPath | str, *, follow: bool = True) -> tuple[_Node, str, _Node | None]:
        """Return (directory, name, entry); the entry is None where only the last part is missing."""
        parts, stack, hops = deque(PurePosixPath(path).parts), [self._root], 0
        while parts:
            part = parts.popleft()
            if part == "/":
                stack = [self._root]
                continue
            if part == "..":
                stack = stack[:-1] or stack
                continue
            here = stack[-1]
            if here.kind != "directory":
                raise _error(errno.ENOTDIR, path)
            child = here.children.get(part)
            if child is None and parts:
                raise _error(errno.ENOENT, path)
            if child is not None and child.kind == "link" and (parts or follow):
                hops += 1
                if hops > 40:
                    raise _error(errno.ELOOP, path)
                parts.extendleft(reversed(PurePosixPath(child.target).parts))
                continue
            if child is None or not parts:
                return here, part, child
            stack.append(child)
        return (stack[-2] if len(stack) > 1 else self._root), "", stack[-1]

    def _found(self, path: PurePosixPath | str, *, follow: bool = True) -> _Node:
        node = self._walk(path, follow=follow)[2]
        if node is None:
            raise _error(errno.ENOENT, path)
        return node

    def read(self, path: PurePosixPath | str, *, limit: int | None = None, offset: int = 0) -> bytes:
        """Return a regular file's bytes, at most ``limit`` from ``offset``."""
        node = self._found(path)
        if node.kind != "file":
            raise _error(errno.EISDIR if node.kind == "directory" else errno.EINVAL, path)
        return node.data[offset : None if limit is None else offset + limit]

    def write(
        self, path: PurePosixPath | str, data: bytes, *, mode: int | None = None, exclusive: bool = False
    ) -> None:
        """Write a whole file within the quota; parents are made."""
        self.mkdir(PurePosixPath(path).parent)
        parent, name, node = self._walk(path)
        if node is not None and exclusive:
            raise _error(errno.EEXIST, path)
        if node is not None and node.kind != "file":
            raise _error(errno.EISDIR if node.kind == "directory" else errno.EINVAL, path)
        if len(data) > self._file_limit:
            raise _error(errno.EFBIG, path)
        grown = len(data) - (len(node.data) if node else 0)
        if self._used + grown > self._quota:
            raise _error(errno.ENOSPC, path)
        self._used += grown
        if node is None:
            parent.children[name] = _Node("file", 0o644 if mode is None else mode, bytes(data))
            return
        node.data, node.blocks = bytes(data), None
        node.mode = node.mode if mode is None else mode

    def stat(self, path: PurePosixPath | str) -> FileStat:
        """Return what is at ``path`` without following a final link."""
        node = self._found(path, follow=False)
        size = len(node.target) if node.kind == "link" else len(node.data)
        blocks = -(-len(node.data) // 4096) * 8 if node.blocks is None else node.blocks
        return FileStat(kind=node.kind, size=size, mode=node.mode, blocks=blocks)

    def list(self, path: PurePosixPath | str) -> list[str]:
        """Return a directory's entry names, sorted."""
        node = self._found(path)
        if node.kind != "directory":
            raise _error(errno.ENOTDIR, path)
        return sorted(node.children)

    def mkdir(self, path: PurePosixPath | str) -> None:
        """Make a directory and its parents; an existing one is kept."""
        spot = PurePosixPath(path)
        for step in (*reversed(spot.parents), spot):
            parent, name, node = self._walk(step)
            if node is None:
                parent.children[name] = _Node("directory", 0o755)
            elif node.kind != "directory":
                raise _error(errno.EEXIST if step == spot else errno.ENOTDIR, path)

    def remove(self, path: PurePosixPath | str) -> None:
        """Remove a file or a whole tree, without following links; a missing one is no error."""
        try:
            parent, name, node = self._walk(path, follow=False)
        except FileNotFoundError:
            return
        if node is not None and parent.children.pop(name, None) is not None:
            self._used -= _weight(node)

    def link(self, path: PurePosixPath | str, target: str) -> None:
        """Plant a symbolic link (not part of ``base.Files``)."""
        self._plant(path, _Node("link", 0o777, target=target))

    def special(self, path: PurePosixPath | str) -> None:
        """Plant something that is no file, directory or link, such as a FIFO (not part of ``base.Files``)."""
        self._plant(path, _Node("other", 0o644))

    def sparse(self, path: PurePosixPath | str, size: int) -> None:
        """Plant a file of ``size`` zero bytes of which nothing is allocated (not part of ``base.Files``)."""
        self._plant(path, _Node("file", 0o644, bytes(size), blocks=0))

    def _plant(self, path: PurePosixPath | str, node: _Node) -> None:
        self.remove(path)
        self.mkdir(PurePosixPath(path).parent)
        parent, name, _ = self._walk(path, follow=False)
        parent.children[name] = node
        self._used += _weight(node)


def _weight(node: _Node) -> int:
    own = len(node.data) if node.blocks is None else 0
    return own + sum(_weight(child) for child in node.children.values())
