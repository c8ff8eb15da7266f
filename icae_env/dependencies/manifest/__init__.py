"""Manifests: what a project says it needs (ParseManifest)."""

from icae_env.dependencies.manifest.details import manifest_details
from icae_env.dependencies.manifest.model import Declaration, Manifest, Stated
from icae_env.dependencies.manifest.reading import FILES, parse_manifest

__all__ = ["FILES", "Declaration", "Manifest", "Stated", "manifest_details", "parse_manifest"]
