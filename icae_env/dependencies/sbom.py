"""A software bill of materials, in CycloneDX, of what a project declares and what it reads."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from icae_env.dependencies.layers import Component, Ecosystem, Layers, Unavailable
from icae_env.errors import MissingDependencyError

if TYPE_CHECKING:
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component as Entry
    from packageurl import PackageURL

LAYER = "icae:layer"
"""The property that tells a component's layers: ``declared``, ``traced``, or one of each."""
UNAVAILABLE = "icae:unavailable"
"""The property of the whole document that tells why a layer is missing."""
_NAMESPACE = uuid.UUID("6f1d2b0e-5d52-5a43-9c0a-2f8f0c1b7a11")


def sbom(layers: Layers, *, project: str, version: str | None = None, when: datetime | None = None) -> str:
    """Return a CycloneDX 1.6 document in JSON.

    A component that is read has the scope ``required``; one that is only declared has ``optional``, where reading was
    measured. The project depends on what it declares; without anything declared, on all that it reads. Equal layers have
    equal serial numbers.

    Args:
        layers: The project's layers.
        project: Its name.
        version: Its version.
        when: The document's time; now where it is None.

    Raises:
        MissingDependencyError: The CycloneDX library is not installed.
    """
    try:
        from cyclonedx.output import make_outputter  # noqa: PLC0415 - on first use
        from cyclonedx.schema import OutputFormat, SchemaVersion  # noqa: PLC0415 - on first use
    except ImportError as error:
        raise MissingDependencyError(
            "cyclonedx-python-lib",
            needed_for="An SBOM",
            install="pip install 'icae-env[dependencies]'",
        ) from error
    bom = _bom(layers, project, version, when)
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=2) + "\n"


def _bom(layers: Layers, project: str, version: str | None, when: datetime | None) -> Bom:
    from cyclonedx.model import Property  # noqa: PLC0415 - on first use
    from cyclonedx.model.bom import Bom, BomMetaData  # noqa: PLC0415 - on first use
    from cyclonedx.model.component import Component as Entry  # noqa: PLC0415 - on first use
    from cyclonedx.model.component import ComponentType  # noqa: PLC0415 - on first use

    declared, traced = _names(layers.declared), _names(layers.traced)
    known = {item.name: item for item in layers.details.components}
    entries = {
        name: _entry(layers, known.get(name, Component(name=name))) for name in sorted(declared | traced)
    }
    root = Entry(name=project, version=version, type=ComponentType.APPLICATION, bom_ref="project")
    missing = [
        Property(name=UNAVAILABLE, value=f"{name}: {layer.reason}")
        for name, layer in (("declared", layers.declared), ("traced", layers.traced))
        if isinstance(layer, Unavailable)
    ]
    serial = uuid.uuid5(_NAMESPACE, f"{project}\n{version}\n{layers.model_dump_json()}")
    bom = Bom(
        components=entries.values(), serial_number=serial,
        metadata=BomMetaData(component=root, timestamp=when, properties=missing),
    )  # fmt: skip
    bom.register_dependency(root, [entries[name] for name in sorted(declared or traced)])
    return bom


def _names(layer: frozenset[str] | Unavailable) -> frozenset[str]:
    return frozenset() if isinstance(layer, Unavailable) else layer


def _entry(layers: Layers, item: Component) -> Entry:
    from cyclonedx.model import Property  # noqa: PLC0415 - on first use
    from cyclonedx.model.component import Component as Entry  # noqa: PLC0415 - on first use
    from cyclonedx.model.component import ComponentScope, ComponentType  # noqa: PLC0415 - on first use

    declared, traced = item.name in _names(layers.declared), item.name in _names(layers.traced)
    scope = None
    if not isinstance(layers.traced, Unavailable):
        scope = ComponentScope.REQUIRED if traced else ComponentScope.OPTIONAL
    purl = package_url(layers.ecosystem, item)
    where = [name for name, there in (("declared", declared), ("traced", traced)) if there]
    return Entry(
        name=purl.name, group=purl.namespace if layers.ecosystem in ("java", "javascript") else None,
        version=item.version, type=ComponentType.LIBRARY, scope=scope, purl=purl, bom_ref=f"{layers.ecosystem}/{item.name}",
        properties=[Property(name=LAYER, value=name) for name in where],
    )  # fmt: skip


def package_url(ecosystem: Ecosystem, item: Component) -> PackageURL:
    """Return a package's URL (purl): pypi, npm (of what is behind an alias), maven, deb, or generic.

    A Java artifact whose group is not known, and a C++ library that no Debian package owns, is generic.
    """
    from packageurl import PackageURL  # noqa: PLC0415 - on first use

    if ecosystem == "python":
        return PackageURL("pypi", None, item.name, item.version)
    if ecosystem == "javascript":
        scope, _, name = (item.target or item.name).rpartition("/")
        return PackageURL("npm", scope or None, name, item.version)
    if ecosystem == "java" and item.group:
        return PackageURL("maven", item.group, item.name, item.version)
    if ecosystem == "cpp" and item.owner:
        return PackageURL("deb", "debian", item.owner, item.version)
    return PackageURL("generic", None, item.name, item.version)
