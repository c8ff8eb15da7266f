"""Parsers that the extra ``dependencies`` brings."""

from __future__ import annotations

from importlib.util import find_spec

from icae_env.errors import MissingDependencyError


def needed(module: str, package: str | None = None) -> None:
    """Make sure that a parser is there.

    Args:
        module: What is imported.
        package: What is installed, where its name is another.

    Raises:
        MissingDependencyError: It is not installed.
    """
    if find_spec(module) is None:
        raise MissingDependencyError(
            package or module, needed_for="Reading manifests", install="pip install 'icae-env[dependencies]'"
        )
