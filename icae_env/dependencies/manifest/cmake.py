"""``CMakeLists.txt``: what a C++ project declares."""

from __future__ import annotations

import re
from pathlib import Path

from icae_env.dependencies.layers import normalise
from icae_env.dependencies.manifest.cmake_tree import Argument, Command, commands
from icae_env.dependencies.manifest.model import Declaration, Manifest, Stated
from icae_env.dependencies.manifest.project import Project
from icae_env.errors import ManifestError

_REFERENCE = re.compile(r"\$\{([A-Za-z0-9_./+-]+)\}")
_VERSION = re.compile(r"\d+(\.\d+)*(\.\.\.<?\d+(\.\d+)*)?")
_SOURCES = ("GIT_REPOSITORY", "URL", "SOURCE_DIR")
_DEEPEST = 20


def read_cmake(project: Project, file: Path) -> Manifest:
    """Read the names of ``FetchContent_Declare`` and ``find_package``.

    Files of the project that ``include`` and ``add_subdirectory`` name are read too; a subdirectory with a ``project`` of
    its own is another one's and is stated. A name is expanded where plain ``set`` commands, outside of any block, tell its
    variables; else it is stated as ``unresolved``. Commands count wherever they stand: conditions are not evaluated.

    Raises:
        ManifestError: CMake's grammar does not accept it, or a file that it includes lies outside of the project.
    """
    reader = _Reader(project)
    reader.read(file, {}, (), None)
    return Manifest(
        ecosystem="cpp",
        files=tuple(project.files),
        declared=tuple(reader.declared),
        stated=tuple(reader.stated),
    )


class _Reader:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.declared: list[Declaration] = []
        self.stated: list[Stated] = []

    def read(
        self,
        file: Path,
        known: dict[str, str],
        above: tuple[Path, ...],
        told_by: tuple[str, int | None] | None,
    ) -> None:
        """Read one file.

        Args:
            file: The file.
            known: Variables; a subdirectory has a copy, an included file the same.
            above: The files that led here.
            told_by: Where it is named.
        """
        name = self.project.name(file)
        data = self.project.read(file, told_by=told_by)
        known |= {"CMAKE_CURRENT_SOURCE_DIR": str(file.parent), "CMAKE_CURRENT_LIST_DIR": str(file.parent)}
        known.setdefault("CMAKE_SOURCE_DIR", str(file.parent))
        known.setdefault("PROJECT_SOURCE_DIR", str(file.parent))
        for command in commands(data, name):
            if command.name in ("find_package", "fetchcontent_declare"):
                self.take(command, name, known)
            elif command.name in ("include", "add_subdirectory"):
                self.follow(command, file, known, (*above, file.resolve()))
            else:
                _remember(command, known)

    def take(self, command: Command, file: str, known: dict[str, str]) -> None:
        """Take one name in."""
        if not command.arguments:
            raise ManifestError(f"{command.name} has no name", file=file, line=command.line)
        first, *others = command.arguments
        name = _expand(first, known)
        written = name if name is not None else first.text
        texts = [_expand(item, known) or item.text for item in others]
        source = next((key for key in _SOURCES if key in texts[:-1]), None)
        fetched = command.name == "fetchcontent_declare"
        found = Declaration(
            name=normalise("cpp", written), written=written, file=file, line=command.line,
            constraint=_wanted(texts, fetched=fetched),
            source="system" if not fetched else {"GIT_REPOSITORY": "git", "SOURCE_DIR": "path"}.get(source or "", "archive"),
            target=texts[texts.index(source) + 1] if fetched and source else None,
        )  # fmt: skip
        if name is None or not name.strip():
            self.stated.append(Stated(**dict(found), kind="unresolved"))
        else:
            self.declared.append(found)

    def follow(self, command: Command, file: Path, known: dict[str, str], above: tuple[Path, ...]) -> None:
        """Read a file that a command names, where it is the project's own."""
        path = _expand(command.arguments[0], known) if command.arguments else None
        if not path:
            return
        named = file.parent / path
        subdirectory = command.name == "add_subdirectory"
        named = named / "CMakeLists.txt" if subdirectory else named
        where = (self.project.name(file), command.line)
        if not self.project.has(named):
            return  # a module of CMake's, or a folder that the build fetches
        if named.resolve() in above or len(above) > _DEEPEST:
            raise ManifestError(f"'{self.project.name(named)}' names itself", file=where[0], line=where[1])
        data = self.project.read(named, told_by=where)
        if subdirectory and any(item.name == "project" for item in commands(data, self.project.name(named))):
            self.stated.append(
                Stated(
                    name=normalise("cpp", named.parent.name), written=path, file=where[0], line=where[1],
                    source="path", kind="subproject",
                )
            )  # fmt: skip
            return
        self.read(named, dict(known) if subdirectory else known, above, where)
        here = str(file.parent)
        known |= {"CMAKE_CURRENT_LIST_DIR": here, "CMAKE_CURRENT_SOURCE_DIR": here}


def _wanted(texts: list[str], *, fetched: bool) -> str:
    """Return which version is asked for: a tag of a repository, or a version number."""
    if fetched:
        return texts[texts.index("GIT_TAG") + 1] if "GIT_TAG" in texts[:-1] else ""
    return texts[0] if texts and _VERSION.fullmatch(texts[0]) else ""


def _remember(command: Command, known: dict[str, str]) -> None:
    """Learn what a plain ``set`` tells, and forget what cannot be told any more."""
    if command.name not in ("set", "unset", "foreach", "option", "list", "string") or not command.arguments:
        return
    place = 1 if command.name in ("list", "string") and len(command.arguments) > 1 else 0
    name = command.arguments[place].text
    values = [item for item in command.arguments[1:] if item.text != "PARENT_SCOPE"]
    cached = next((at for at, item in enumerate(values) if item.text == "CACHE"), None)
    values = values if cached is None else values[:cached]
    value = _expand(values[0], known) if len(values) == 1 else None
    if cached is not None and name in known:
        return  # CMake keeps a variable that is set already
    if command.name == "set" and command.depth == 0 and value is not None:
        known[name] = value
    else:
        known.pop(name, None)


def _expand(argument: Argument, known: dict[str, str]) -> str | None:
    """Return an argument's value; None where it cannot be told from the text."""
    if argument.kind == "bracket":
        return argument.text
    if not argument.plain:
        return None
    text = _REFERENCE.sub(lambda found: known.get(found[1], found[0]), argument.text)
    if "${" in text or "$ENV{" in text or "$CACHE{" in text or "$<" in text:
        return None
    return re.sub(r"\\(.)", r"\1", text)
