"""What a manifest says."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.dependencies.layers import Ecosystem

Source = Literal["registry", "archive", "git", "path", "system"]
"""Where a package comes from: a package index, an archive at a URL, a repository, the project's own folder, the machine."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Declaration(_Frozen):
    """One package that a manifest names."""

    name: str
    """Normalised."""
    written: str
    """As it stands in the manifest; variables are expanded."""
    file: str
    """Relative to the project's folder."""
    line: int | None = None
    """From 1; None where the format's reader does not tell it."""
    constraint: str = ""
    """Which versions are wanted, as written; empty for any."""
    scope: str = ""
    """Maven's scope."""
    group: str | None = None
    """Maven's groupId."""
    source: Source = "registry"
    target: str | None = None
    """What it is taken from where that is not its name: the package behind an npm alias, the URL of an archive or repository."""


class Stated(Declaration):
    """One package that a manifest names, but not as needed to run the project; it is not counted."""

    kind: str
    """Why it is not counted: dev, peer, optional, test, provided, group:NAME, extra:NAME, profile:ID, marker, ..."""


class Manifest(_Frozen):
    """The dependencies that a project's manifest names."""

    ecosystem: Ecosystem
    files: tuple[str, ...] = ()
    """What was read, relative to the project's folder; empty where the project has no manifest."""
    declared: tuple[Declaration, ...] = ()
    """In the order of the files; a package may be named more than once."""
    stated: tuple[Stated, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences about what could not be told."""

    @property
    def names(self) -> frozenset[str]:
        """The declared packages' normalised names (D1)."""
        return frozenset(item.name for item in self.declared)
