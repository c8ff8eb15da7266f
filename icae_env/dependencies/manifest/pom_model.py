"""One pom with what it has from its parents: properties, managed versions, dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from icae_env.dependencies.manifest.project import Project
from icae_env.dependencies.manifest.xml_tree import Element, read_xml
from icae_env.errors import ManifestError

_REFERENCE = re.compile(r"\$\{([^${}]+)\}")
_DEEPEST = 20
_MOST_CHARACTERS = 10_000


class Managed(NamedTuple):
    """What ``dependencyManagement`` says of a dependency."""

    version: str | None
    scope: str | None


class Named(NamedTuple):
    """One ``dependency`` element and the file it stands in."""

    element: Element
    file: str
    profile: str | None
    """The profile that it belongs to; None for the project itself."""
    active: bool
    """Whether it counts: not in a profile, or in one that is active by default."""


class Pom:
    """A pom file, read.

    Args:
        project: The project it belongs to.
        file: The file.
        below: How many poms have this one as parent, one after the other.
        told_by: File and line that name it.

    Raises:
        ManifestError: It is no pom, or its parents are a circle.
    """

    def __init__(
        self, project: Project, file: Path, *, below: int = 0, told_by: tuple[str, int | None] | None = None
    ) -> None:
        self.project, self.path, self.file = project, file, project.name(file)
        self.root = read_xml(project.read(file, told_by=told_by), self.file)
        if self.root.name != "project":
            raise ManifestError(
                f"its root is <{self.root.name}>, not <project>", file=self.file, line=self.root.line
            )
        self.parent = self._parent(below)
        self.properties = self._properties()

    def _parent(self, below: int) -> Pom | None:
        stated = self.root.child("parent")
        if stated is None:
            return None
        relative = stated.value("relativePath")
        file = self.path.parent / ("../pom.xml" if relative is None else relative)
        file = file / "pom.xml" if file.is_dir() else file
        if relative == "" or not self.project.has(file) or file.resolve() == self.path.resolve():
            return None  # it lies in a repository: only its coordinates are known
        if below >= _DEEPEST:
            raise ManifestError("its parents are a circle", file=self.file, line=stated.line)
        found = Pom(self.project, file, below=below + 1)
        return found if found.value("artifactId") == stated.value("artifactId") else None

    def _properties(self) -> dict[str, str]:
        known = dict(self.parent.properties) if self.parent else {}
        stated = self.root.child("parent")
        for name in ("groupId", "artifactId", "version"):
            inherited = stated.value(name) if stated is not None else None
            own = self.root.value(name) or (inherited if name != "artifactId" else None)
            if own is not None:
                known |= {f"project.{name}": own, f"pom.{name}": own}
            if inherited is not None:
                known |= {f"project.parent.{name}": inherited, f"parent.{name}": inherited}
        blocks = [self.root, *(profile for profile, active in self.profiles() if active)]
        for block in blocks:
            known |= {item.name: item.text for item in block.below("properties") for item in item.children}
        return known

    def profiles(self) -> Iterator[tuple[Element, bool]]:
        """Yield the profiles, each with whether it is active by default."""
        for item in self.root.below("profiles", "profile"):
            marks = [mark.text for mark in item.below("activation", "activeByDefault")]
            yield item, marks == ["true"]

    def value(self, name: str) -> str | None:
        """Return a coordinate of the project, as written."""
        return self.root.value(name)

    def expand(self, text: str, line: int, file: str, *, strict: bool) -> str:
        """Put properties in.

        Args:
            text: What may hold ``${name}``.
            line: Where it stands.
            file: In which file.
            strict: Whether a property that is not known is an error; else it stays as written.

        Raises:
            ManifestError: A property is not known, or is defined through itself.
        """
        for _ in range(_DEEPEST):
            names = [name for name in _REFERENCE.findall(text) if self._property(name) is not None]
            if not names:
                break
            text = _REFERENCE.sub(lambda found: self._property(found[1]) or found[0], text)
            if len(text) > _MOST_CHARACTERS:
                raise ManifestError("a property grows without end", file=file, line=line)
        else:
            raise ManifestError(f"a property is defined through itself: '{text}'", file=file, line=line)
        if strict and (left := _REFERENCE.search(text)):
            raise ManifestError(
                f"the property '{left[1]}' is not defined in the project", file=file, line=line,
                mend=f"Add <{left[1]}> to <properties>.",
            )  # fmt: skip
        return text

    def _property(self, name: str) -> str | None:
        if name.startswith("env."):
            return self.project.environ.get(name.removeprefix("env."))
        return self.properties.get(name)

    def named(self) -> Iterator[Named]:
        """Yield the dependencies, the parents' first."""
        if self.parent:
            yield from self.parent.named()
        for item in self.root.below("dependencies", "dependency"):
            yield Named(item, self.file, None, active=True)
        for profile, active in self.profiles():
            for item in profile.below("dependencies", "dependency"):
                yield Named(item, self.file, profile.value("id") or "default", active)

    def managed(self, expanding: Pom | None = None) -> dict[tuple[str, ...], Managed]:
        """Return what ``dependencyManagement`` says, by group, artifact, type and classifier; own entries win.

        Args:
            expanding: Whose properties are put in, where it is a child's.
        """
        pom = expanding or self
        known = self.parent.managed(pom) if self.parent else {}
        for item in self.root.below("dependencyManagement", "dependencies", "dependency"):
            version, scope = item.value("version"), item.value("scope")
            known[pom.key(item, self.file)] = Managed(
                version and pom.expand(version, item.line, self.file, strict=False), scope
            )
        return known

    def key(self, item: Element, file: str) -> tuple[str, str, str, str]:
        """Return what tells a dependency apart: group, artifact, type and classifier.

        Raises:
            ManifestError: Group or artifact is missing, or a property in them is not known.
        """
        parts = []
        for name, default in (("groupId", None), ("artifactId", None), ("type", "jar"), ("classifier", "")):
            child = item.child(name)
            text, line = (child.text, child.line) if child is not None else (default or "", item.line)
            if not text and default is None:
                raise ManifestError(f"a dependency has no <{name}>", file=file, line=line)
            parts.append(self.expand(text or default or "", line, file, strict=default is None))
        return parts[0], parts[1], parts[2], parts[3]
