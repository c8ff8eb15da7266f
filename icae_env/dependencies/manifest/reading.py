"""From a project's folder to its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from icae_env.dependencies.layers import ECOSYSTEMS, Ecosystem
from icae_env.dependencies.manifest.cmake import read_cmake
from icae_env.dependencies.manifest.model import Manifest
from icae_env.dependencies.manifest.package_json import read_package_json
from icae_env.dependencies.manifest.pom import read_pom
from icae_env.dependencies.manifest.project import Project
from icae_env.dependencies.manifest.python import read_python
from icae_env.dependencies.manifest.python_target import PythonTarget
from icae_env.errors import ConfigError, UnknownNameError

FILES: Mapping[Ecosystem, tuple[str, ...]] = {
    "python": ("requirements.txt", "pyproject.toml"),
    "java": ("pom.xml",),
    "javascript": ("package.json",),
    "cpp": ("CMakeLists.txt",),
}
"""The manifests of each ecosystem; the first that is there is read."""


def parse_manifest(
    ecosystem: Ecosystem,
    folder: Path,
    *,
    file: Path | None = None,
    python: str = "3.11",
    environ: Mapping[str, str] | None = None,
) -> Manifest:
    """Read what a project declares; a project without a manifest declares nothing.

    Nothing outside of the folder is read and no program of the project runs.

    Args:
        ecosystem: Which kind of manifest.
        folder: The project's folder.
        file: The manifest, where it has another name; within the folder.
        python: The Python version for which markers are evaluated, on Linux and x86_64.
        environ: Environment variables that manifests may name.

    Raises:
        ManifestError: The manifest is broken; file, line and reason are told.
        ConfigError: There is no such folder.
        UnknownNameError: There is no such ecosystem.
        MissingDependencyError: The extra ``dependencies`` is not installed.
    """
    if ecosystem not in ECOSYSTEMS:
        raise UnknownNameError("ecosystem", ecosystem, ECOSYSTEMS)
    if not folder.is_dir():
        raise ConfigError(f"There is no folder '{folder}'.", mend="Name a project's folder.")
    project = Project(folder, environ)
    if ecosystem == "python":
        return read_python(project, file, PythonTarget(python))
    chosen = file or project.root / FILES[ecosystem][0]
    if file is None and not project.has(chosen):
        return Manifest(ecosystem=ecosystem)
    if ecosystem == "java":
        return read_pom(project, chosen)
    return read_package_json(project, chosen) if ecosystem == "javascript" else read_cmake(project, chosen)
