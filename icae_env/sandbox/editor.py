"""Byte-exact edits of files inside a sandbox.

Everything works on bytes: line ends, tabs, a byte order mark, a missing last newline and bytes that are not
UTF-8 stay as they are wherever an edit does not name them. What goes wrong is a result with ``ok=False``, for
it is the agent's to mend.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict

from icae_env.sandbox.base import MIB, WORKSPACE, Files
from icae_env.sandbox.lines import (
    BOM,
    MAX_PLACES,
    count_lines,
    describe,
    join_lines,
    numbered,
    occurrences,
    replace_hint,
)

MAX_FILE = 16 * MIB
"""Bytes of the largest file that is viewed or edited."""
MAX_ENTRIES = 1000
"""Entries of one directory listing."""


class EditResult(BaseModel):
    """What an edit did, or why it did nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ok: bool
    text: str
    """For the agent; valid Unicode."""


class Refused(Exception):  # noqa: N818
    """Carry the message of an edit that cannot be done, inside this module."""


class Editor:
    """View and change files of one sandbox.

    Args:
        files: The sandbox's files.
        root: Where relative paths start.
    """

    def __init__(self, files: Files, root: PurePosixPath = WORKSPACE) -> None:
        self._files, self._root = files, root

    def view(self, path: str, view_range: tuple[int, int] | None = None) -> EditResult:
        """Show a file with line numbers, or list a directory.

        Args:
            path: File or directory.
            view_range: First and last line, counted from 1; -1 as last means the end.
        """

        def work(target: PurePosixPath) -> str:
            try:
                data = self._read(target)
            except IsADirectoryError:
                if view_range is not None:
                    raise Refused(f"{target} is a directory: leave out view_range.") from None
                return self._listing(target)
            if b"\0" in data[:8192]:
                raise Refused(f"{target} is a binary file of {len(data)} bytes: use a bash command for it.")
            return f"{target} ({describe(data)})\n" + _lines_in_range(data, view_range)

        return self._attempt(path, work)

    def create(self, path: str, text: str) -> EditResult:
        """Write a whole file, new or not, and its parent directories."""

        def work(target: PurePosixPath) -> str:
            data = text.encode("utf-8")
            try:
                before: int | None = self._files.stat(target).size
            except FileNotFoundError:
                before = None
            self._files.write(target, data)
            if before is None:
                return f"Created {target} ({describe(data)})."
            return f"Replaced all of {target}, which existed: {before} bytes before, now {describe(data)}."

        return self._attempt(path, work)

    def replace(self, path: str, old: str, new: str) -> EditResult:
        """Put ``new`` in place of ``old``, which must occur exactly once."""

        def work(target: PurePosixPath) -> str:
            wanted, put = old.encode("utf-8"), new.encode("utf-8")
            if not wanted:
                raise Refused("old is empty. Mend: give the text to replace, or use insert or create.")
            if wanted == put:
                raise Refused("old and new are the same: there is nothing to change.")
            data = self._read(target)
            places = occurrences(data, wanted)
            if not places:
                raise Refused(f"old does not occur in {target}.{replace_hint(data, wanted)}")
            lines = [count_lines(data[:place]) + 1 for place in places[:10]]
            if len(places) > 1:
                shown = ", ".join(map(str, lines)) + (", ..." if len(places) > len(lines) else "")
                count = f"{len(places)}" if len(places) < MAX_PLACES else f"{MAX_PLACES} or more"
                raise Refused(
                    f"old occurs {count} times in {target} (at lines {shown}) but must occur exactly once. "
                    "Mend: give more of the text around the place you mean."
                )
            self._files.write(target, data[: places[0]] + put + data[places[0] + len(wanted) :])
            return f"Replaced 1 occurrence in {target}, at line {lines[0]}."

        return self._attempt(path, work)

    def insert(self, path: str, line: int, text: str) -> EditResult:
        """Put ``text`` as lines of its own after line ``line`` (0: at the top)."""

        def work(target: PurePosixPath) -> str:
            data = self._read(target)
            total = count_lines(data, partial=True)
            if not 0 <= line <= total:
                raise Refused(f"There is no line {line} in {target}. Mend: give 0 to {total}.")
            changed, note = join_lines(data, line, text.encode("utf-8"))
            self._files.write(target, changed)
            added = count_lines(changed, partial=True) - total
            return f"Inserted {added} line{'' if added == 1 else 's'} after line {line} of {target}.{note}"

        return self._attempt(path, work)

    def _attempt(self, path: str, work: Callable[[PurePosixPath], str]) -> EditResult:
        shown = path.encode("utf-8", "replace").decode()
        if not path or "\0" in path:
            return EditResult(ok=False, text="The path is empty or holds a NUL character. Mend: name a file.")
        try:
            text, ok = work(self._root / path), True
        except Refused as error:
            text, ok = str(error), False
        except OSError as error:
            text, ok = f"{shown}: {_reason(error)}", False
        return EditResult(ok=ok, text=text.encode("utf-8", "replace").decode())

    def _read(self, target: PurePosixPath) -> bytes:
        data = self._files.read(target, limit=MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise Refused(f"{target} is larger than {MAX_FILE // MIB} MiB: use a bash command for it.")
        return data

    def _listing(self, target: PurePosixPath) -> str:
        names = self._files.list(target)
        lines = [f"{target} (directory, {len(names)} entr{'y' if len(names) == 1 else 'ies'})"]
        for name in names[:MAX_ENTRIES]:
            try:
                kind = self._files.stat(target / name).kind
            except OSError:
                kind = "other"
            lines.append(name + {"directory": "/", "link": "@", "file": "", "other": "?"}[kind])
        if len(names) > MAX_ENTRIES:
            lines.append(f"[{len(names) - MAX_ENTRIES} more entries are not shown]")
        return "\n".join(lines)


def _lines_in_range(data: bytes, view_range: tuple[int, int] | None) -> str:
    body = data.removeprefix(BOM)
    total = count_lines(body, partial=True)
    if view_range is None:
        return numbered(body, 1, total)
    first, last = view_range
    last = total if last == -1 else last
    if not 1 <= first <= max(total, 1) or last < first:
        raise Refused(
            f"view_range [{view_range[0]}, {view_range[1]}] does not fit a file of {total} lines. "
            "Mend: give first and last line, 1 <= first <= last; -1 as last means the end."
        )
    return numbered(body, first, min(last, total))


def _reason(error: OSError) -> str:
    mends = {
        errno.ENOENT: "there is no such file or directory.",
        errno.EISDIR: "this is a directory; name a file.",
        errno.ENOTDIR: "a part of the path is a file, not a directory.",
        errno.ENOSPC: "the sandbox's disk is full. Mend: remove files that are not needed.",
        errno.EDQUOT: "the sandbox's disk is full. Mend: remove files that are not needed.",
        errno.EFBIG: "the file would be larger than the sandbox allows.",
        errno.ELOOP: "the path is a circle of links.",
        errno.EINVAL: "this is not a regular file.",
        errno.EROFS: "this part of the file system is read-only; write below /workspace.",
    }
    code = error.errno or 0
    return mends.get(code, (os.strerror(code) if code else "cannot be used").lower() + ".")
