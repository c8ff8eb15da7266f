"""A Python project's manifest."""

from __future__ import annotations

from pathlib import Path

from icae_env.dependencies.manifest.model import Manifest
from icae_env.dependencies.manifest.project import Project
from icae_env.dependencies.manifest.pyproject import own_folder, read_pyproject
from icae_env.dependencies.manifest.python_target import PythonTarget
from icae_env.dependencies.manifest.requirements import Found, OwnFolder, read_requirements
from icae_env.errors import ManifestError

SETUP = ("setup.py", "setup.cfg")


def read_python(project: Project, file: Path | None, target: PythonTarget) -> Manifest:
    """Read ``requirements.txt``; where there is none, ``pyproject.toml``; where there is none either, nothing is declared.

    A folder of the project's own that a requirement names (``.``, ``-e ./lib``) is no package of others: what its
    ``pyproject.toml`` names is declared in its place.

    Args:
        project: The project.
        file: The manifest, where another one is meant; its name's ending tells which kind it is.
        target: For which Python markers are evaluated.

    Raises:
        ManifestError: It is broken, or only a program (``setup.py``) could tell.
    """
    found = Found()
    chosen = file or _chosen(project)
    if chosen is not None and chosen.suffix == ".toml":
        read_pyproject(project, chosen, target, found)
    elif chosen is not None:
        read_requirements(project, chosen, target, found)
    seen: set[Path] = set()
    while found.folders:
        _follow(project, found.folders.pop(0), target, found, seen)
    return Manifest(
        ecosystem="python", files=tuple(project.files), declared=tuple(found.declared),
        stated=tuple(found.stated), notes=tuple(found.notes),
    )  # fmt: skip


def _chosen(project: Project) -> Path | None:
    for name in ("requirements.txt", "pyproject.toml"):
        if project.has(project.root / name):
            return project.root / name
    for name in SETUP:
        if project.has(project.root / name):
            raise ManifestError(
                "a program of the project's own tells its dependencies", file=name,
                mend="Write them into requirements.txt or pyproject.toml.",
            )  # fmt: skip
    return None


def _follow(project: Project, named: OwnFolder, target: PythonTarget, found: Found, seen: set[Path]) -> None:
    file = own_folder(named, project)
    if file is None:
        found.notes.append(
            f"{project.name(named.folder)} has no pyproject.toml: what it needs cannot be told."
        )
    elif file.resolve() not in seen:
        seen.add(file.resolve())
        read_pyproject(project, file, target, found, extras=named.extras)
