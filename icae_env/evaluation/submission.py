"""A submission: the workspace as it was when the agent said "submit", independent of any sandbox."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, Field

from icae_env.errors import ConfigError, SandboxDiedError
from icae_env.evaluation.archive import (
    FileMap,
    Refused,
    SubmissionLimits,
    compress,
    pack,
    read_archive,
    unpack,
)
from icae_env.evaluation.walk import HostFiles, ReadableFiles, Walk
from icae_env.sandbox.base import WORKSPACE, Sandbox

DEFAULT_LIMITS = SubmissionLimits()
_UNLIMITED = SubmissionLimits(entries=1 << 40, file=1 << 60, total=1 << 60)


class SubmissionInfo(BaseModel):
    """What a report says of a submission."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    """Over the uncompressed archive."""
    size: int
    """Bytes of all files together."""
    file_count: int
    refused: tuple[Refused, ...] = ()
    """What the workspace held and the submission does not."""


class Submission(SubmissionInfo):
    """A snapshot of a workspace, with its content."""

    archive: bytes = Field(repr=False)
    """The uncompressed, deterministic tar."""

    @classmethod
    def of(
        cls,
        files: Mapping[str, tuple[bytes, int]],
        directories: Sequence[str] = (),
        refused: Sequence[Refused] = (),
    ) -> Submission:
        """Make a submission from its content: path -> (bytes, permission bits)."""
        archive = pack(files, directories, refused)
        made = cls(
            sha256=hashlib.sha256(archive).hexdigest(),
            size=sum(len(data) for data, _ in files.values()),
            file_count=len(files),
            refused=tuple(refused),
            archive=archive,
        )
        made.__dict__["_content"] = (dict(sorted(files.items())), tuple(sorted(directories)))
        return made

    @cached_property
    def _content(self) -> tuple[FileMap, tuple[str, ...]]:
        files, directories, _ = unpack(self.archive, limits=_UNLIMITED)
        return files, directories

    @property
    def files(self) -> FileMap:
        """The files, decoded once; not to be changed."""
        return self._content[0]

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories, sorted, so that empty ones survive."""
        return self._content[1]

    @property
    def info(self) -> SubmissionInfo:
        """The submission without its content."""
        return SubmissionInfo(
            sha256=self.sha256, size=self.size, file_count=self.file_count, refused=self.refused
        )

    def store(self, path: Path) -> None:
        """Write the archive to ``path`` (gzipped if it ends in ``.gz``), whole or not at all.

        Raises:
            OSError: The host cannot write there; nothing is left behind.
        """
        data = compress(self.archive) if path.suffix == ".gz" else self.archive
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with open(fd, "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def take_snapshot(
    sandbox: Sandbox,
    root: PurePosixPath = WORKSPACE,
    limits: SubmissionLimits = DEFAULT_LIMITS,
    *,
    quiesce: bool = True,
) -> Submission:
    """Return what lies in a sandbox's workspace, files and directories only.

    Links, special files, sparse giants, names that cannot be stored, unreadable entries and whatever passes a
    limit are left out and listed in ``refused``; so are the outputs of earlier ``rcb`` runs.

    Args:
        sandbox: A running sandbox.
        root: The directory to take.
        limits: What a submission may hold.
        quiesce: Kill every process inside first, so that nothing changes under the walk. Turn it off for a
            look at a workspace whose episode goes on.

    Raises:
        SandboxDiedError: The sandbox is gone.
    """
    if quiesce:
        sandbox.kill_all()
    try:
        submission = _walked(sandbox.files, root, limits)
    except OSError as error:
        raise SandboxDiedError(f"The workspace cannot be read: {error}.") from error
    if not sandbox.alive():
        raise SandboxDiedError("The sandbox went away while its workspace was read.")
    return submission


def load_submission(path: Path, limits: SubmissionLimits = DEFAULT_LIMITS) -> Submission:
    """Return a stored submission, or one made from a folder of the host.

    Args:
        path: An archive (tar, or tar gzipped), or a folder taken by the rules of ``take_snapshot``.
        limits: What a submission may hold.

    Raises:
        ConfigError: It is missing, damaged, too large, or holds links or paths that lead out.
    """
    if path.is_dir():
        try:
            return _walked(HostFiles(), PurePosixPath(path.resolve()), limits)
        except OSError as error:
            raise ConfigError(
                f"The folder cannot be read ({error.strerror}).", file=path, mend="make it readable."
            ) from error
    if not path.is_file():
        raise ConfigError(
            "There is no such submission.",
            file=path,
            mend="give a stored archive (.tar, .tar.gz) or a folder.",
        )
    files, directories, refused = unpack(read_archive(path, limits), limits=limits, source=path)
    return Submission.of(files, directories, refused)


def _walked(files: ReadableFiles, root: PurePosixPath, limits: SubmissionLimits) -> Submission:
    walk = Walk(files, root, limits)
    walk.run()
    return Submission.of(walk.files, walk.directories, walk.refused)
