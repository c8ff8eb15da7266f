"""What is noted of a call: how it was started, the files that its arguments name, what it wrote, and its streams."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from icae_env.errors import SandboxError
from icae_env.oracle import wire
from icae_env.oracle.exchange import Exchange
from icae_env.oracle.probes import MOST_BYTES, Probe, ProbeLog
from icae_env.sandbox.base import WORKSPACE, Companion, Files
from icae_env.tasks.program_cases import data_of

_FILE_CLOCK = 5
"""CLOCK_REALTIME_COARSE, which dates files; Python has no name for it."""
_MOST_FILES, _MOST_NAMES, _MOST_ENTRIES = 32, 64, 200
_MOST_CHANGED = 2000
"""Files and folders of the workspace that are looked at after a call."""
_MOST_BYTES = 256 * 1024
"""Of all files of a call together."""


class Evidence:
    """Note what there is before a call begins.

    Args:
        log: Says when it is.
        files: The agent's sandbox.
        request: The call.
        cwd: Its directory.
    """

    def __init__(self, log: ProbeLog, files: Files, request: wire.Request, cwd: str) -> None:
        self._index, self._step, self._phase = log.take_index(), log.step, log.phase
        self._request, self._cwd = request, cwd
        self._stdin = _rest_of(request.stdin)
        self._files = named_files(files, cwd, request.argv, size=MOST_BYTES)
        self._since = time.clock_gettime_ns(_FILE_CLOCK)
        self._begun = time.monotonic()

    def probe(self, exchange: Exchange, code: int, companion: Companion) -> Probe:
        """Return what is noted of it after its end; files that others write meanwhile cannot be told from its own."""
        seconds = time.monotonic() - self._begun
        until = time.time_ns()  # a file may be dated more finely
        try:
            written = companion.changes(self._since, until, most=_MOST_CHANGED, size=MOST_BYTES)
        except (SandboxError, OSError):  # it is gone, by the program's doing or since all ends
            written = {}
        made = {os.path.relpath(path, WORKSPACE): data for path, data in written.items()}
        stdin = self._stdin or exchange.noted(wire.INPUT, wire.TYPED)
        return Probe(
            index=self._index, step=self._step, phase=self._phase, argv=tuple(data_of(word) for word in self._request.argv),
            cwd=_shown(self._cwd), stdin=data_of(stdin), files={_shown(path): data_of(data) for path, data in self._files.items()},
            written={
                _shown(path): None if data is None else data_of(data)
                for path, data in made.items()
                if data is None or data != self._files.get(path)  # written just before, as the input of this call
            },
            stdout=data_of(exchange.noted(wire.OUT) + exchange.noted(wire.SCREEN)), stderr=data_of(exchange.noted(wire.ERR)),
            exit_code=code if code >= 0 else 128 - code, seconds=seconds, terminal=self._request.terminal,
            truncated=exchange.cut, note=exchange.note,
        )  # fmt: skip


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _rest_of(fd: int) -> bytes:
    """Return what can still be read from a file, up to MOST_BYTES, without reading it."""
    if fd < 0 or not stat.S_ISREG(os.fstat(fd).st_mode) or os.fstat(fd).st_size == 0:
        return b""
    try:
        return os.pread(fd, MOST_BYTES, os.lseek(fd, 0, os.SEEK_CUR))
    except OSError:
        return b""


def named_files(files: Files, cwd: str, argv: Sequence[bytes], *, size: int) -> dict[str, bytes]:
    """Return the files in the workspace that arguments name, also after an equals sign or as a folder: path -> content.

    Paths are relative to the workspace. Larger files and what comes after the first few are left out.

    Args:
        files: The sandbox's files.
        cwd: Directory that relative paths begin in.
        argv: The arguments, with the program's name first.
        size: Bytes of one file.
    """
    found: dict[str, bytes] = {}
    left = _MOST_BYTES
    for path in _paths(cwd, argv):
        if len(found) >= _MOST_FILES or left <= 0:
            break
        for each in _regular(files, path):
            name = os.path.relpath(each, WORKSPACE)
            if name in found or name == "executable":
                continue
            content = _content(files, each, min(size, left))
            if content is not None:
                found[name] = content
                left -= len(content)
            if len(found) >= _MOST_FILES:
                break
    return found


def _paths(cwd: str, argv: Sequence[bytes]) -> Iterator[str]:
    """Yield what may be paths in the workspace."""
    for word in argv[1 : 1 + _MOST_NAMES]:
        for part in {word, word.rpartition(b"=")[2]}:
            if not part or len(part) > 1000:
                continue
            path = os.path.normpath(os.path.join(cwd, os.fsdecode(part)))  # noqa: PTH118 - inside the sandbox
            if path == str(WORKSPACE) or not PurePosixPath(path).is_relative_to(WORKSPACE):
                continue
            yield path


def _regular(files: Files, path: str) -> Iterator[str]:
    try:
        kind = files.stat(path).kind
        if kind == "file":
            yield path
        elif kind == "directory":
            pending, looked = [path], 0
            while pending:
                folder = pending.pop(0)
                for name in files.list(folder):
                    looked += 1
                    if looked > _MOST_ENTRIES:
                        return
                    each = f"{folder}/{name}"
                    inner = files.stat(each).kind
                    if inner == "file":
                        yield each
                    elif inner == "directory":
                        pending.append(each)
    except (OSError, SandboxError):  # it is not there, or goes away meanwhile
        return


def _content(files: Files, path: str, size: int) -> bytes | None:
    try:
        content = files.read(path, limit=size + 1)
    except (OSError, SandboxError):
        return None
    return content if len(content) <= size else None
