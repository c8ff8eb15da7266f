"""The stored form of a submission: a deterministic tar, and the careful reading of one that may be forged.

The archive is an uncompressed POSIX tar (members sorted by name, time 0, owner 0) whose global header holds
what the snapshot refused; on disk it may be gzipped. Nothing is ever extracted to the host's disk.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from icae_env.errors import ConfigError
from icae_env.sandbox.base import MIB

FileMap = dict[str, tuple[bytes, int]]
"""Path relative to the workspace -> (bytes, permission bits); the shape that ``Backend.run_fresh`` takes."""
MAX_DEPTH = 100
"""Folders below each other in a stored path."""
_REFUSED_KEY = "ICAE.refused"
_GZIP_MAGIC = b"\x1f\x8b"


class Refused(BaseModel):
    """Something in the workspace that did not enter the submission."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    """Relative to the workspace; bytes that are not UTF-8 are written as escapes."""
    reason: str


class SubmissionLimits(BaseModel):
    """What a submission may hold. Sizes are bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entries: int = Field(20_000, ge=1)
    """Files and directories; what comes after them, in the order of names, is left out."""
    file: int = Field(128 * MIB, ge=1)
    """Size of one file."""
    total: int = Field(256 * MIB, ge=1)
    """Size of all files together; well below a sandbox's workspace, so that it fits into a fresh one."""
    sparse: int = Field(16 * MIB, ge=0)
    """From this size on, a file with less than half of its size allocated is refused."""


_REFUSED_LIST = TypeAdapter(tuple[Refused, ...])


def name_problem(path: str) -> str | None:
    """Return why a relative path cannot be stored, or None."""
    parts = path.split("/")
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        return "name: not a plain relative path"
    if any(ord(char) < 32 or ord(char) == 127 for char in path):
        return "name: control characters"
    if any(0xD800 <= ord(char) <= 0xDFFF for char in path):
        return "name: not valid UTF-8"
    if len(path.encode()) > 4000 or any(len(part.encode()) > 255 for part in parts):
        return "name: too long"
    if len(parts) > MAX_DEPTH:
        return f"name: more than {MAX_DEPTH} folders deep"
    return None


def pack(
    files: Mapping[str, tuple[bytes, int]], directories: Collection[str], refused: Sequence[Refused]
) -> bytes:
    """Return the archive of a workspace; equal content gives equal bytes.

    Args:
        files: Path -> (bytes, permission bits).
        directories: Paths of directories, at least the empty ones.
        refused: What was left out; kept in the archive so that a stored submission still tells.
    """
    header = (
        {_REFUSED_KEY: json.dumps([[entry.path, entry.reason] for entry in refused])} if refused else None
    )
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT, pax_headers=header) as tar:
        for path in sorted({*files, *directories}):
            member = tarfile.TarInfo(path)
            if path in files:
                data, mode = files[path]
                member.size, member.mode = len(data), mode & 0o777
                tar.addfile(member, io.BytesIO(data))
            else:
                member.type, member.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(member)
    return buffer.getvalue()


def unpack(
    archive: bytes, *, limits: SubmissionLimits, source: Path | str = "submission"
) -> tuple[FileMap, tuple[str, ...], tuple[Refused, ...]]:
    """Return an archive's files, directories and refused entries.

    Raises:
        ConfigError: It is no tar, is damaged, exceeds a limit, or holds a link, a special file or a path
            that leads out.
    """
    files: FileMap = {}
    directories: list[str] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:", ignore_zeros=False) as tar:
            for path, member in _members(tar, limits, source):
                if member.isdir():
                    directories.append(path)
                    continue
                data = archive[member.offset_data : member.offset_data + member.size]
                if len(data) != member.size:
                    raise _bad(source, "The archive ends within a file.", path)
                files[path] = (data, member.mode & 0o777)
            if archive[tar.offset : tar.offset + tarfile.BLOCKSIZE] != bytes(tarfile.BLOCKSIZE):
                raise _bad(source, "The archive ends without its end mark; it was cut off.")
            refused = _refused(tar.pax_headers.get(_REFUSED_KEY), source)
    except ConfigError:
        raise
    except (tarfile.TarError, ValueError, EOFError, OverflowError, RecursionError) as error:
        raise _bad(source, f"This is not a readable tar archive ({error}).") from error
    _check_tree(files, directories, source)
    return files, tuple(sorted(directories)), refused


def _members(
    tar: tarfile.TarFile, limits: SubmissionLimits, source: Path | str
) -> Iterator[tuple[str, tarfile.TarInfo]]:
    seen: set[str] = set()
    total = 0
    for member in tar:
        path = member.name.removeprefix("./").rstrip("/")
        if member.isdir() and path in ("", "."):
            continue
        problem = name_problem(path)
        if problem is not None:
            raise _bad(source, f"A member has a path that cannot be stored ({problem}).", member.name)
        if (
            member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE)
            or member.sparse is not None
        ):
            raise _bad(source, "A member is a link, a device or another special file.", path)
        if path in seen:
            raise _bad(source, "A path occurs twice.", path)
        seen.add(path)
        if member.size < 0:  # tarfile would read the same member for ever
            raise _bad(source, "A member has a negative size.", path)
        total += member.size
        if len(seen) > limits.entries or member.size > limits.file or total > limits.total:
            raise _bad(source, "The archive holds more than a submission may.", path)
        yield path, member


def _check_tree(files: FileMap, directories: Sequence[str], source: Path | str) -> None:
    for path in (*files, *directories):
        for parent in PurePosixPath(path).parents:
            if str(parent) in files:
                raise _bad(source, "A path lies below one that is a file.", path)


def _refused(text: str | None, source: Path | str) -> tuple[Refused, ...]:
    if text is None:
        return ()
    try:
        pairs = json.loads(text)
        return _REFUSED_LIST.validate_python([{"path": path, "reason": reason} for path, reason in pairs])
    except (ValueError, TypeError, ValidationError) as error:
        raise _bad(source, "Its header of refused entries is damaged.", _REFUSED_KEY) from error


def read_archive(path: Path, limits: SubmissionLimits) -> bytes:
    """Return the tar bytes of a stored archive, plain or gzipped, never more than the limits allow.

    Raises:
        ConfigError: It cannot be read, is damaged or too large.
    """
    most = limits.total + 2048 * limits.entries + MIB
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == _GZIP_MAGIC
            raw.seek(0)
            if zipped:
                with gzip.GzipFile(fileobj=raw) as stream:
                    data = stream.read(most + 1)
            else:
                data = raw.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigError(
            f"The submission cannot be read ({error}).",
            file=path,
            mend="give a stored submission or a folder.",
        ) from error
    if len(data) > most:
        raise _bad(path, "The archive is larger than a submission may be.")
    return data


def compress(archive: bytes) -> bytes:
    """Return the archive gzipped, with time 0."""
    return gzip.compress(archive, mtime=0)


def _bad(source: Path | str, message: str, path: str | None = None) -> ConfigError:
    field = None if path is None else path.encode("utf-8", "backslashreplace").decode()
    return ConfigError(
        message, file=source, field=field, mend="store the submission again, or give its folder."
    )
