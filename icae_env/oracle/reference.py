"""The reference program of an oracle task, with its documentation: installed once, kept outside every checkout.

``reference/install.sh`` of a task runs with network in a sandbox of the task's image and leaves ``program/`` (with the file
``program/executable``) and ``docs/`` in the workspace. ``reference/coverage.sh`` does the same for an instrumented build, which
it leaves in ``coverage/``.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from icae_env.errors import ConfigError, InfraError
from icae_env.sandbox.base import MIB, Backend, Sandbox, SandboxConfig
from icae_env.sandbox.provisioning import kept_at, run_installer

EXECUTABLE = "executable"
_INSTALL_SECONDS = 1800.0
_MOST_BYTES = 512 * MIB
FileMap = Mapping[str, tuple[bytes, int]]
"""Relative path -> (bytes, permission bits)."""


class Reference(BaseModel):
    """A reference program. Its text form shows nothing of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    program: FileMap = Field(repr=False)
    """The executable and what it needs beside it; only hosts and validation may hold this."""
    docs: FileMap = Field(repr=False)
    """What the agent may read."""

    @property
    def sha256(self) -> str:
        """The executable's SHA-256."""
        return hashlib.sha256(self.program[EXECUTABLE][0]).hexdigest()


def install_reference(folder: Path, backend: Backend, image: str) -> Reference:
    """Return the reference of a task, from the cache or installed now.

    Args:
        folder: The task's folder.
        backend: Where to install it.
        image: The image to install it on.

    Raises:
        ConfigError: The task has no reference, or its script leaves no program.
        InfraError: It could not be installed; the installer's own words are in the message.
    """
    files = install_parts(folder, backend, image, script="install.sh", parts=("program", "docs"))
    return _reference(folder, files)


def _reference(folder: Path, files: FileMap) -> Reference:
    program, docs = (below(files, part) for part in ("program", "docs"))
    if EXECUTABLE not in program:
        raise ConfigError(
            "The script left no file 'program/executable' in the workspace.",
            file=folder / "reference" / "install.sh", mend="copy the program there.",
        )  # fmt: skip
    return Reference(program=program, docs=docs)


def install_parts(
    folder: Path, backend: Backend, image: str, *, script: str, parts: Sequence[str]
) -> FileMap:
    """Return what a script of ``reference/`` leaves in the workspace below some folders, from the cache or made now.

    Args:
        folder: The task's folder.
        backend: Where to run it.
        image: The image to run it on.
        script: ``install.sh`` or ``coverage.sh``.
        parts: Folders in the workspace that are kept.

    Raises:
        ConfigError: There is no such script.
        InfraError: It failed; its own words are in the message.
    """
    source = folder / "reference"
    if not (source / script).is_file():
        raise ConfigError("There is no such file.", file=source / script, mend="add it.")
    box = backend.create(SandboxConfig(image=image, network=True))
    kept = kept_at("reference", source, box.image, ".tar", part=script.removesuffix(".sh"))
    if kept.is_file():
        box.close()
        return _loaded(kept)
    with box:
        what = f"The reference of '{folder.name}'"
        run_installer(source, box, what, script=script, seconds=_INSTALL_SECONDS)
        archive = _packed(box, parts, what)
    write_whole(kept, archive)
    return _loaded(kept)


def below(files: FileMap, folder: str) -> FileMap:
    """Return the files below a folder, by their paths in it."""
    start = f"{folder}/"
    return {path.removeprefix(start): entry for path, entry in files.items() if path.startswith(start)}


def write_whole(file: Path, content: bytes) -> None:
    """Write a file that only this user can read, whole or not at all.

    Raises:
        InfraError: It cannot be written.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InfraError(f"{file} cannot be written: {error.strerror or error}.") from error


def _packed(box: Sandbox, parts: Sequence[str], what: str) -> bytes:
    """Return an archive of some folders of the workspace; links in them are kept as what they point to."""
    # To a file first: what a command prints may be cut.
    script = 'for part; do [ -d "$part" ] && set -- "$@" "$part"; shift; done; exec tar -chf /workspace/.parts.tar -- "$@"'
    done = box.run(["/bin/sh", "-c", script, "sh", *parts], timeout=120.0)
    if done.exit_code != 0:
        raise InfraError(f"{what} could not be packed: {done.stderr.decode('utf-8', 'replace')[-500:]}")
    archive = box.files.read("/workspace/.parts.tar", limit=_MOST_BYTES + 1)
    if len(archive) > _MOST_BYTES:
        raise InfraError(f"{what} is larger than {_MOST_BYTES // MIB} MiB.")
    return archive


@lru_cache(maxsize=8)
def _loaded(kept: Path) -> FileMap:
    return _unpacked(kept.read_bytes())  # its name says what it holds, so it never changes


def _unpacked(archive: bytes) -> FileMap:
    files = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if member.isreg() or member.islnk():
                stream = tar.extractfile(member)
                assert stream is not None
                files[member.name.removeprefix("./")] = (stream.read(), member.mode & 0o777)
    return files
