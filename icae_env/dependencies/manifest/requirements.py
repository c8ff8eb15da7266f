"""Requirement files, as pip reads them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from icae_env.dependencies.manifest.model import Declaration, Stated
from icae_env.dependencies.manifest.project import Project
from icae_env.dependencies.manifest.python_target import PythonTarget
from icae_env.dependencies.manifest.requirement_lines import Line, logical_lines
from icae_env.dependencies.manifest.requirement_text import Folder, Place, requirement
from icae_env.errors import ManifestError


class OwnFolder(NamedTuple):
    """A folder that a requirement names instead of a package."""

    folder: Path
    extras: frozenset[str]
    place: Place


class Found:
    """What the files read so far name, in their order."""

    def __init__(self) -> None:
        self.declared: list[Declaration] = []
        self.stated: list[Stated] = []
        self.folders: list[OwnFolder] = []
        self.notes: list[str] = []

    def add(self, item: Declaration | Stated) -> None:
        """Take one package in."""
        if isinstance(item, Stated):
            self.stated.append(item)
        else:
            self.declared.append(item)

    def state(self, item: Declaration | Stated, kind: str) -> None:
        """Take one package in that is not counted, and why."""
        self.stated.append(Stated(**{**dict(item), "kind": kind}))


def read_requirements(
    project: Project, file: Path, target: PythonTarget, found: Found, *, told_by: Place | None = None
) -> None:
    """Read a requirement file and those that it names with ``-r`` and ``-c``.

    Constraints are stated, not declared: they install nothing.

    Raises:
        ManifestError: A line that pip would not accept, a file that is not there or lies outside of the project's folder,
            or files that name each other in a circle.
    """
    _Reader(project, target, found).read(file, told_by, (), kind=None)


class _Reader:
    def __init__(self, project: Project, target: PythonTarget, found: Found) -> None:
        self.project, self.target, self.found = project, target, found

    def read(self, file: Path, told_by: Place | None, above: tuple[Path, ...], *, kind: str | None) -> None:
        """Read one file.

        Args:
            file: The file.
            told_by: Where it is named.
            above: The files that led here.
            kind: Why what it names is not counted, if so.
        """
        if file.resolve() in above and told_by:
            raise ManifestError(
                f"'{self.project.name(file)}' names itself", file=told_by.file, line=told_by.line,
                mend="Drop the line.",
            )  # fmt: skip
        text = self.project.text(file, told_by=told_by)
        for line in logical_lines(text, self.project.environ):
            place = Place(self.project.name(file), line.number)
            if line.kind in ("requirement", "constraint"):
                below = kind or ("constraint" if line.kind == "constraint" else None)
                self.read(_file(file, line, place), place, (*above, file.resolve()), kind=below)
            elif line.kind in ("package", "editable"):
                self.package(file, line, place, kind)
            elif line.kind == "unknown":
                raise ManifestError(
                    f"pip has no such option in a requirement file: '{line.value}'",
                    file=place.file, line=place.line,
                )  # fmt: skip

    def package(self, file: Path, line: Line, place: Place, kind: str | None) -> None:
        """Take in what one line names."""
        item = requirement(line.value, place, self.target)
        if isinstance(item, Folder):
            self.found.folders.append(OwnFolder(file.parent / item.path, item.extras, place))
        elif kind is not None:
            self.found.state(item, kind)
        else:
            self.found.add(item)


def _file(file: Path, line: Line, place: Place) -> Path:
    if "://" in line.value:
        raise ManifestError(
            f"it names a file elsewhere: {line.value}", file=place.file, line=place.line,
            mend="Put that file into the project.",
        )  # fmt: skip
    return file.parent / line.value
