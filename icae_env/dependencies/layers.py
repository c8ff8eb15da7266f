"""The three layers of a project's dependencies: declared, installed, traced."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    PlainSerializer,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic.dataclasses import dataclass

from icae_env.errors import UnknownNameError

Ecosystem = Literal["python", "java", "javascript", "cpp"]
ECOSYSTEMS: tuple[Ecosystem, ...] = get_args(Ecosystem)


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Unavailable:
    """A layer that could not be measured, which is not the same as an empty one; ``{"unavailable": reason}`` in JSON."""

    reason: str

    @model_serializer
    def _written(self) -> dict[str, str]:
        return {"unavailable": self.reason}

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {"reason" if key == "unavailable" else key: value for key, value in given.items()}


def _plain(layer: frozenset[str] | Unavailable) -> list[str] | dict[str, str]:
    return {"unavailable": layer.reason} if isinstance(layer, Unavailable) else sorted(layer)


Layer = Annotated[frozenset[str] | Unavailable, PlainSerializer(_plain)]
"""A set of normalised names, or why there is none. Written as a sorted list or ``{"unavailable": reason}``."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Component(_Frozen):
    """What is known of one package of a layer beside its name."""

    name: str
    """Normalised, as in the layer."""
    version: str | None = None
    """The version that is installed; of a declared package its constraint, only where that is one exact version."""
    group: str | None = None
    """Maven's groupId."""
    owner: str | None = None
    """The Debian package that a shared object belongs to."""
    target: str | None = None
    """The package behind an npm alias."""


class Details(_Frozen):
    """What stands behind the three sets. Nothing here enters a metric."""

    components: tuple[Component, ...] = ()
    """Versions and owners of packages, at most one for a name."""
    stated: tuple[str, ...] = ()
    """Packages that the manifest names without declaring them for running, as ``name (kind)``."""
    not_observable: frozenset[str] = frozenset()
    """Declared packages that leave nothing to read at run time, such as header-only libraries."""
    opened: frozenset[str] = frozenset()
    """Packages whose files were opened, used or not: jars that the virtual machine opens without loading a class."""
    notes: tuple[str, ...] = ()
    """Sentences about how a layer was measured."""


class Layers(_Frozen):
    """The three layers of one project. Names are normalised on entry."""

    ecosystem: Ecosystem
    declared: Layer
    """D1: what the manifest names."""
    installed: Layer
    """D2: what its installation added to the clean environment."""
    traced: Layer
    """D3: what the program read while it ran."""
    details: Details = Details()

    @field_validator("declared", "installed", "traced")
    @classmethod
    def _normalised(cls, layer: Layer, info: ValidationInfo) -> Layer:
        ecosystem = info.data.get("ecosystem")
        if isinstance(layer, Unavailable) or ecosystem is None:
            return layer
        return frozenset(normalise(ecosystem, name) for name in layer)


def normalise(ecosystem: Ecosystem, name: str) -> str:
    """Return a package's name in the one form in which its ecosystem compares names.

    Python: lower case, runs of ``-``, ``_`` and ``.`` as one ``-`` (PEP 503). C++: lower case, as FetchContent compares
    its names. Java (artifactId) and JavaScript compare letter by letter.

    Raises:
        UnknownNameError: There is no such ecosystem.
    """
    plain = name.strip()
    if ecosystem == "python":
        return re.sub(r"[-_.]+", "-", plain).lower()
    if ecosystem == "cpp":
        return plain.lower()
    if ecosystem in ("java", "javascript"):
        return plain
    raise UnknownNameError("ecosystem", ecosystem, ECOSYSTEMS)
