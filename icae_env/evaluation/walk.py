"""Walk a workspace and decide, entry by entry, what enters a submission and what is refused and reported."""

from __future__ import annotations

import os
import stat as st
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Protocol

from icae_env.evaluation.archive import FileMap, Refused, SubmissionLimits, name_problem
from icae_env.sandbox.base import FileStat

OUTPUTS = "rcb_tests/stdout"
"""Where the ``rcb`` protocol's outputs are written; whatever lies there before a replay is worth nothing."""
MAX_REPORTED = 1000
"""Refused entries that are listed one by one."""


class ReadableFiles(Protocol):
    """The part of ``sandbox.base.Files`` that a walk needs."""

    def read(self, path: PurePosixPath | str, *, limit: int | None = None, offset: int = 0) -> bytes:
        """Return a regular file's bytes."""
        ...

    def stat(self, path: PurePosixPath | str) -> FileStat:
        """Return what is at ``path`` without following a final link."""
        ...

    def list(self, path: PurePosixPath | str) -> list[str]:
        """Return a directory's entry names, sorted."""
        ...


class HostFiles:
    """Read a folder of the host the same way; links are seen, never followed."""

    def read(self, path: PurePosixPath | str, *, limit: int | None = None, offset: int = 0) -> bytes:
        """Return a regular file's bytes, at most ``limit`` from ``offset``."""
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as stream:  # noqa: PTH123 - a descriptor, not a path
            stream.seek(offset)
            return stream.read(-1 if limit is None else limit)

    def stat(self, path: PurePosixPath | str) -> FileStat:
        """Return what is at ``path``."""
        info = os.lstat(path)
        kinds: list[tuple[Callable[[int], bool], str]] = [
            (st.S_ISREG, "file"),
            (st.S_ISDIR, "directory"),
            (st.S_ISLNK, "link"),
        ]
        kind = next((name for test, name in kinds if test(info.st_mode)), "other")
        return FileStat.model_validate(
            {"kind": kind, "size": info.st_size, "mode": st.S_IMODE(info.st_mode), "blocks": info.st_blocks}
        )

    def list(self, path: PurePosixPath | str) -> list[str]:
        """Return a directory's entry names, sorted."""
        return sorted(entry.name for entry in Path(path).iterdir())


class Walk:
    """One pass over a tree, in the order of names, so that limits cut the same entries every time."""

    def __init__(self, files: ReadableFiles, root: PurePosixPath, limits: SubmissionLimits) -> None:
        self.files: FileMap = {}
        self.directories: list[str] = []
        self._refused: list[Refused] = []
        self._unlisted = 0
        self._total = 0
        self._source, self._root, self._limits = files, root, limits

    @property
    def refused(self) -> tuple[Refused, ...]:
        """What was left out, the first MAX_REPORTED one by one and the rest as one entry."""
        if not self._unlisted:
            return tuple(self._refused)
        return (*self._refused, Refused(path="...", reason=f"{self._unlisted} more entries were refused"))

    def run(self) -> None:
        """Walk the whole tree.

        Raises:
            OSError: The root itself cannot be listed.
        """
        if self._source.stat(self._root).kind != "directory":
            self._refuse(".", "link or special file in place of the workspace")
            return
        pending = self._children("", self._source.list(self._root))
        entries = 0
        while pending:
            path = pending.pop()
            entries += 1
            if entries > self._limits.entries:
                self._refuse(
                    path,
                    f"too many: only the first {self._limits.entries} entries are kept, none from here on",
                )
                return
            pending.extend(self._visit(path))

    @staticmethod
    def _children(parent: str, names: list[str]) -> list[str]:
        return [f"{parent}/{name}" if parent else name for name in reversed(names)]

    def _visit(self, path: str) -> list[str]:
        """Store or refuse one entry and return what lies below it, last first."""
        problem = (
            "outputs: what lies here is dropped before a replay" if path == OUTPUTS else name_problem(path)
        )
        if problem is not None:
            self._refuse(path, problem)
            return []
        place = self._root / path
        try:
            info = self._source.stat(place)
            if info.kind == "directory":
                names = self._source.list(place)
                self.directories.append(path)
                return self._children(path, names)
            problem = self._objection(info)
            if problem is None:
                data = self._source.read(place, limit=self._limits.file + 1)
                problem = self._store(path, data, info.mode)
        except OSError as error:
            problem = f"unreadable: {error.strerror or error}"
        if problem is not None:
            self._refuse(path, problem)
        return []

    def _objection(self, info: FileStat) -> str | None:
        if info.kind == "link":
            return "link: links are not followed"
        if info.kind == "other":
            return "special file: device, FIFO or socket"
        if info.size >= self._limits.sparse and info.blocks * 512 < info.size // 2:
            return f"sparse: {info.size} bytes, {info.blocks * 512} of them allocated"
        return self._too_large(info.size)

    def _too_large(self, size: int) -> str | None:
        if size > self._limits.file:
            return f"too large: {size} bytes, at most {self._limits.file} are kept"
        if self._total + size > self._limits.total:
            return f"total: {size} more bytes would pass the limit of {self._limits.total}"
        return None

    def _store(self, path: str, data: bytes, mode: int) -> str | None:
        problem = self._too_large(len(data))  # it may have grown since it was looked at
        if problem is None:
            self._total += len(data)
            self.files[path] = (data, mode & 0o777)
        return problem

    def _refuse(self, path: str, reason: str) -> None:
        if len(self._refused) >= MAX_REPORTED:
            self._unlisted += 1
            return
        readable = path.encode("utf-8", "backslashreplace").decode()
        self._refused.append(Refused(path=readable, reason=reason))
