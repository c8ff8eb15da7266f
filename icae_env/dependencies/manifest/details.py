"""What a manifest tells beside names."""

from __future__ import annotations

import re

from icae_env.dependencies.layers import Component, Details, Ecosystem
from icae_env.dependencies.manifest.model import Declaration, Manifest

_EXACT: dict[Ecosystem, str] = {
    "python": r"===?\s*(?P<version>[^*,\s]+)",
    "java": r"(?P<version>[^\[\](),${}\s]+)",
    "javascript": r"[=v]*(?P<version>\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)",
    "cpp": r"v?(?P<version>\d+(?:\.\d+)+)",
}
"""Constraints that one version satisfies."""


def manifest_details(manifest: Manifest) -> Details:
    """Return what stands behind the declared layer: groups, aliases, exact versions, and packages that are not counted."""
    components: dict[str, Component] = {}
    for item in manifest.declared:
        components.setdefault(
            item.name,
            Component(
                name=item.name, version=exact(manifest.ecosystem, item), group=item.group,
                target=item.target if manifest.ecosystem == "javascript" and item.source == "registry" else None,
            ),
        )  # fmt: skip
    return Details(
        components=tuple(components[name] for name in sorted(components)),
        stated=tuple(sorted({f"{item.name} ({item.kind})" for item in manifest.stated})),
        notes=manifest.notes,
    )


def exact(ecosystem: Ecosystem, item: Declaration) -> str | None:
    """Return the one version that a declaration wants; None where it leaves a choice."""
    found = re.fullmatch(_EXACT[ecosystem], item.constraint.strip())
    return found["version"] if found else None
