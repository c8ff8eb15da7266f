"""A project's folder as a manifest's readers see it. The folder may be an agent's: nothing outside of it is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from icae_env.errors import ManifestError

MOST_BYTES = 4 << 20
"""A larger manifest is refused."""
MOST_FILES = 500
"""Manifests that one project may consist of."""


class Project:
    """Files of one folder, and how deep the reading has come.

    Args:
        root: The project's folder.
        environ: What ``${NAME}`` stands for in requirement files and ``${env.NAME}`` in poms.
    """

    def __init__(self, root: Path, environ: Mapping[str, str] | None = None) -> None:
        self.root = root.resolve()
        self.environ = dict(environ or {})
        self.files: list[str] = []

    def name(self, file: Path) -> str:
        """Return a file's path relative to the folder."""
        try:
            return file.resolve().relative_to(self.root).as_posix()
        except ValueError:
            return str(file)

    def inside(self, file: Path) -> bool:
        """Tell whether a path, links followed, lies in the folder."""
        return file.resolve().is_relative_to(self.root)

    def has(self, file: Path) -> bool:
        """Tell whether there is such a file in the folder."""
        return self.inside(file) and file.is_file()

    def read(self, file: Path, *, told_by: tuple[str, int | None] | None = None) -> bytes:
        """Return a manifest's bytes.

        Args:
            file: The manifest.
            told_by: File and line that name it, for the error.

        Raises:
            ManifestError: It is not there, lies outside of the folder, is no plain file, or is too large.
        """
        where, line = told_by or (self.name(file), None)
        if not self.inside(file):
            raise ManifestError(f"'{file}' lies outside of the project's folder", file=where, line=line)
        if not file.is_file():
            raise ManifestError(f"there is no file '{self.name(file)}'", file=where, line=line)
        if len(self.files) >= MOST_FILES:
            raise ManifestError(f"the project has more than {MOST_FILES} manifests", file=where, line=line)
        try:
            with file.open("rb") as stream:
                data = stream.read(MOST_BYTES + 1)
        except OSError as error:
            raise ManifestError(f"it cannot be read: {error}", file=self.name(file)) from error
        if len(data) > MOST_BYTES:
            raise ManifestError(f"it is larger than {MOST_BYTES} bytes", file=self.name(file))
        if (zero := data.find(0)) >= 0:
            line = data[:zero].count(b"\n") + 1
            raise ManifestError("it holds a NUL, so that it is no text", file=self.name(file), line=line)
        if self.name(file) not in self.files:
            self.files.append(self.name(file))
        return data

    def text(self, file: Path, *, told_by: tuple[str, int | None] | None = None) -> str:
        """Return a manifest's text (UTF-8, a byte order mark dropped).

        Raises:
            ManifestError: As for ``read``, or it is not UTF-8.
        """
        data = self.read(file, told_by=told_by)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise ManifestError(
                f"byte {error.start} is not UTF-8", file=self.name(file), line=line
            ) from error


def line_of(text: str, *wanted: str, after: int = 0) -> int | None:
    """Return the line, from 1, of the first place at which one of some texts stands; None where none does.

    Args:
        text: A file's text.
        wanted: What is looked for, the better guesses first.
        after: Lines at the beginning that are passed over.
    """
    lines = text.splitlines()
    for piece in wanted:
        for number, line in enumerate(lines[after:], after + 1):
            if piece in line:
                return number
    return None
