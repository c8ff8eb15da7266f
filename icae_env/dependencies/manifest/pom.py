"""``pom.xml``: what a Maven project declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from icae_env.dependencies.layers import normalise
from icae_env.dependencies.manifest.model import Declaration, Manifest, Stated
from icae_env.dependencies.manifest.pom_model import Managed, Named, Pom
from icae_env.dependencies.manifest.project import Project
from icae_env.errors import ManifestError

COUNTED = ("compile", "runtime", "system")
"""Scopes of what is on the class path while the project runs; others are stated."""
SCOPES = (*COUNTED, "provided", "test", "import")


def read_pom(project: Project, file: Path) -> Manifest:
    """Read a pom, its parents and its modules, as far as they lie in the project.

    Counted are artifacts of the scopes compile, runtime and system, also of profiles that are active by default. Stated are
    the scopes provided and test, other profiles, and the project's own modules. ``dependencyManagement`` and the
    dependencies of plug-ins declare nothing.

    Raises:
        ManifestError: It is no XML or no pom, a dependency lacks group or artifact, or a property in them is not known.
    """
    poms = list(_reactor(project, file, ()))
    own = {(pom.properties.get("project.groupId"), pom.value("artifactId")) for pom in poms}
    items = [item for pom in poms for item in _items(pom)]
    stated = [item for item in items if isinstance(item, Stated)]
    declared = [item for item in items if not isinstance(item, Stated)]
    modules = [item for item in declared if (item.group, item.written) in own]
    stated += [Stated(**dict(item), kind="module") for item in modules]
    return Manifest(
        ecosystem="java", files=tuple(project.files), stated=tuple(stated), notes=_notes(poms),
        declared=tuple(item for item in declared if item not in modules),
    )  # fmt: skip


def _reactor(
    project: Project, file: Path, above: tuple[Path, ...], told_by: tuple[str, int | None] | None = None
) -> Iterator[Pom]:
    if file.resolve() in above and told_by:
        raise ManifestError("its modules are a circle", file=told_by[0], line=told_by[1])
    pom = Pom(project, file, told_by=told_by)
    yield pom
    for module in pom.root.below("modules", "module"):
        path = file.parent / pom.expand(module.text, module.line, pom.file, strict=True)
        path = path if path.suffix == ".xml" else path / "pom.xml"
        yield from _reactor(project, path, (*above, file.resolve()), (pom.file, module.line))


def _items(pom: Pom) -> Iterator[Declaration | Stated]:
    managed = pom.managed()
    for named in pom.named():
        yield _item(pom, named, managed)


def _item(pom: Pom, named: Named, managed: Mapping[tuple[str, ...], Managed]) -> Declaration | Stated:
    element, file = named.element, named.file
    key = pom.key(element, file)
    known = managed.get(key, Managed(None, None))
    version, scope = element.value("version") or known.version, element.value("scope") or known.scope
    scope = pom.expand(scope or "compile", element.line, file, strict=True)
    if scope not in SCOPES:
        raise ManifestError(f"Maven has no scope '{scope}'", file=file, line=element.line)
    child = element.child("artifactId")
    found = Declaration(
        name=normalise("java", key[1]), written=key[1], file=file, line=child.line if child else element.line,
        constraint=pom.expand(version or "", element.line, file, strict=False), scope=scope, group=key[0],
        source="system" if scope == "system" else "registry",
    )  # fmt: skip
    if not named.active:
        return Stated(**dict(found), kind=f"profile:{named.profile}")
    return found if scope in COUNTED else Stated(**dict(found), kind=scope)


def _notes(poms: list[Pom]) -> tuple[str, ...]:
    away = [pom for pom in poms if pom.root.child("parent") is not None and pom.parent is None]
    return tuple(
        f"The parent of {pom.file} is not in the project: what it declares is not known." for pom in away
    )
