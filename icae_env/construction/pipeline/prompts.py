"""The prompts: files with ``$variables``, the package's own or those of a folder that takes their place."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from string import Template

from icae_env.errors import ConfigError
from icae_env.tasks.documents import read_text

OWN = Path(__file__).parent / "prompts"
SYSTEM, REPAIR = "system.md", "repair.md"


class Prompts:
    """Read and fill prompt files.

    Args:
        folder: Folder whose files come before the package's own.
    """

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None and not folder.is_dir():
            raise ConfigError(
                "There is no such folder of prompts.", file=folder, mend="name a folder with *.md files."
            )
        self._folder = folder

    def file(self, name: str) -> Path:
        """Return the file of a prompt."""
        other = self._folder / name if self._folder is not None else OWN / name
        return other if other.is_file() else OWN / name

    def digest(self, names: tuple[str, ...]) -> str:
        """Return what changes when one of these prompts, or the system prompt, does."""
        known = hashlib.sha256()
        for name in (SYSTEM, *names):
            file = self.file(name)
            known.update(f"{name}\0".encode() + read_text(file, within=file.parent).encode() + b"\0")
        return known.hexdigest()

    def fill(self, name: str, values: Mapping[str, str]) -> str:
        """Return a prompt with its variables filled in.

        Raises:
            ConfigError: It has a variable that is not known here, or a stray ``$``.
        """
        file = self.file(name)
        try:
            return Template(read_text(file, within=file.parent)).substitute(values)
        except (KeyError, ValueError) as error:
            raise ConfigError(
                f"This prompt cannot be filled: {error}.",
                file=file,
                mend=f"use only {', '.join(f'${key}' for key in sorted(values))}, and write $$ for a dollar sign.",
            ) from error
