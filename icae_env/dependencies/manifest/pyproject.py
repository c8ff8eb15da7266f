"""``pyproject.toml``: the ``project`` table, Poetry's tables, and dependency groups."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from icae_env.dependencies.manifest.poetry import read_poetry
from icae_env.dependencies.manifest.project import Project, line_of
from icae_env.dependencies.manifest.python_target import PythonTarget
from icae_env.dependencies.manifest.requirement_text import Folder, Place, requirement
from icae_env.dependencies.manifest.requirements import Found, OwnFolder, read_requirements
from icae_env.errors import ManifestError


def read_pyproject(
    project: Project,
    file: Path,
    target: PythonTarget,
    found: Found,
    *,
    extras: frozenset[str] = frozenset(),
) -> None:
    """Read what a project needs to run; its extras, but for those asked for, and its groups are stated.

    Raises:
        ManifestError: It is no TOML, a field has another shape than its specification says, or the dependencies are
            computed by a build.
    """
    text = project.text(file)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        told = re.search(r"at line (\d+)", str(error))
        at_end = len(text.splitlines()) or 1
        raise ManifestError(
            f"it is no TOML: {error}", file=project.name(file), line=int(told[1]) if told else at_end
        ) from error
    reader = _Reader(project, file, target, found, text)
    tables = reader.table(data, "project")
    poetry = reader.table(reader.table(data, "tool"), "poetry", "tool.poetry")
    reader.project_table(tables, data, extras)
    reader.groups(reader.table(data, "dependency-groups"))
    read_poetry(
        poetry, Place(project.name(file), None), text, target, found, counted="dependencies" not in tables
    )


class _Reader:
    def __init__(self, project: Project, file: Path, target: PythonTarget, found: Found, text: str) -> None:
        self.project, self.file, self.target, self.found, self.text = project, file, target, found, text
        self.name = project.name(file)

    def table(self, data: Mapping[str, Any], key: str, said: str = "") -> Mapping[str, Any]:
        value = data.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(f"'{said or key}' is no table", f"[{said or key}", key)
        return value

    def wrong(self, reason: str, *near: str) -> ManifestError:
        return ManifestError(reason, file=self.name, line=line_of(self.text, *near))

    def project_table(
        self, table: Mapping[str, Any], data: Mapping[str, Any], extras: frozenset[str]
    ) -> None:
        dynamic = table.get("dynamic", [])
        if "dependencies" in table:
            for text in self.texts(table["dependencies"], "project.dependencies"):
                self.take(text)
        elif isinstance(dynamic, list) and "dependencies" in dynamic:
            self.dynamic(data)
        optional = self.table(table, "optional-dependencies", "project.optional-dependencies")
        for extra, items in optional.items():
            for text in self.texts(items, f"project.optional-dependencies.{extra}"):
                self.take(text, kind=None if extra in extras else f"extra:{extra}", extra=extra)

    def groups(self, table: Mapping[str, Any]) -> None:
        for group, items in table.items():
            kept = (
                [item for item in items if not isinstance(item, dict)] if isinstance(items, list) else items
            )
            for text in self.texts(kept, f"dependency-groups.{group}"):
                self.take(text, kind=f"group:{group}")

    def texts(self, value: object, field: str) -> Iterator[str]:
        last = field.rsplit(".", maxsplit=1)[-1]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(f"'{field}' is no list of texts", f"{last} =", f"{last}=", last)
        yield from value

    def take(self, text: str, *, kind: str | None = None, extra: str = "") -> None:
        line = line_of(self.text, f'"{text}"', f"'{text}'", text.split(";", maxsplit=1)[0].strip())
        item = requirement(text, Place(self.name, line), self.target, extra=extra)
        if isinstance(item, Folder):
            raise self.wrong(f"'{text}' is no requirement", text)
        if kind is None:
            self.found.add(item)
        else:
            self.found.state(item, kind)

    def dynamic(self, data: Mapping[str, Any]) -> None:
        tool = self.table(data, "tool")
        setuptools = self.table(self.table(tool, "setuptools"), "dynamic", "tool.setuptools.dynamic")
        source = setuptools.get("dependencies", {})
        files = source.get("file", []) if isinstance(source, dict) else []
        names = [files] if isinstance(files, str) else files
        if not names or not all(isinstance(name, str) for name in names):
            raise ManifestError(
                "a build computes its dependencies", file=self.name, line=line_of(self.text, "dynamic"),
                mend="Write them as project.dependencies, or in a file named by tool.setuptools.dynamic.",
            )  # fmt: skip
        for name in names:
            place = Place(self.name, line_of(self.text, name))
            read_requirements(self.project, self.file.parent / name, self.target, self.found, told_by=place)


def own_folder(named: OwnFolder, project: Project) -> Path | None:
    """Return the ``pyproject.toml`` of a folder that a requirement names; None where it has none.

    Raises:
        ManifestError: There is no such folder in the project.
    """
    if not project.inside(named.folder) or not named.folder.is_dir():
        raise ManifestError(
            f"there is no folder '{project.name(named.folder)}' in the project",
            file=named.place.file,
            line=named.place.line,
        )
    file = named.folder / "pyproject.toml"
    return file if project.has(file) else None
