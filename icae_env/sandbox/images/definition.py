"""Image definitions: ``images/<name>.toml`` says what a root file system holds."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.paths import task_roots

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*$")]
Package = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9+.-]+(=[A-Za-z0-9.+~:-]+)?$")]
PipPin = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?==[A-Za-z0-9.!+_-]+$")
]
NpmPin = Annotated[str, StringConstraints(pattern=r"^(@[a-z0-9._~-]+/)?[a-z0-9._~-]+@[0-9][A-Za-z0-9.+-]*$")]

MENDS = {
    "name": "use lower-case letters, digits, '-' and '_'.",
    "extends": "name another definition in the same folder or leave the field out.",
    "packages": 'list Debian bookworm package names, such as packages = ["git", "python3"].',
    "pip": 'pin every package exactly, such as pip = ["six==1.16.0"].',
    "npm": 'pin every package exactly, such as npm = ["yargs@17.7.3"].',
    "run": "give a list of shell commands, each one string.",
    "description": "write one sentence that says what the image is for.",
}


class ImageDefinition(BaseModel):
    """What one image holds. As loaded from a file; ``load`` adds what it extends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    """The file's name without ``.toml``."""
    description: str = Field(min_length=1)
    """One sentence on what it is for."""
    extends: Name | None = None
    """Another definition whose packages, pins and steps come first."""
    packages: tuple[Package, ...] = ()
    """Debian bookworm packages, installed without recommended ones."""
    pip: tuple[PipPin, ...] = ()
    """Python packages, pinned ``name==version``, installed for all users."""
    npm: tuple[NpmPin, ...] = ()
    """Node packages, pinned ``name@version``, installed globally."""
    run: tuple[str, ...] = ()
    """Shell commands run as root inside, with network, after everything is installed."""

    @property
    def digest(self) -> str:
        """``sha256:...`` over the definition, to tell a built image from an outdated one."""
        # The description may be reworded without a rebuild.
        text = self.model_dump_json(exclude={"description"})
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def definition_roots() -> tuple[Path, ...]:
    """Return the folders that definitions are looked for in: the package's own first, then those of extra data roots."""
    return tuple(folder for root in task_roots() if (folder := root / "images").is_dir())


def names(roots: Sequence[Path] | None = None) -> list[str]:
    """Return the names of all defined images, sorted."""
    return sorted(_files(roots))


def load(name: str, roots: Sequence[Path] | None = None) -> ImageDefinition:
    """Return a definition with all that it extends merged into it (``extends`` is then None).

    Args:
        name: Name of a definition.
        roots: Folders to look in; an earlier one wins.

    Raises:
        UnknownNameError: No such definition; the valid names are listed.
        ConfigError: A file is malformed, or definitions extend each other in a circle.
    """
    files = _files(roots)
    if name not in files:
        raise UnknownNameError("image", name, {*files, "host"})
    chain = [_read(files[name])]
    while (parent := chain[-1].extends) is not None:
        file = files[chain[-1].name]
        if parent not in files:
            raise ConfigError(
                f"There is no image '{parent}'. Defined: {', '.join(sorted(files))}.",
                file=file, field="extends", mend=MENDS["extends"],
            )  # fmt: skip
        if parent in {link.name for link in chain}:
            raise ConfigError(
                f"The image '{parent}' extends itself.", file=file, field="extends", mend=MENDS["extends"]
            )
        chain.append(_read(files[parent]))
    merged: dict[str, Any] = {
        field: tuple(dict.fromkeys(item for link in reversed(chain) for item in getattr(link, field)))
        for field in ("packages", "pip", "npm")
    }
    # A step may be repeated on purpose, so steps are joined and not made unique.
    merged["run"] = tuple(step for link in reversed(chain) for step in link.run)
    return chain[0].model_copy(update={**merged, "extends": None})


def _files(roots: Sequence[Path] | None) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for root in definition_roots() if roots is None else roots:
        for file in sorted(root.glob("*.toml")):
            found.setdefault(file.stem, file)
    return found


def _read(file: Path) -> ImageDefinition:
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"This is not TOML: {error}.", file=file, mend="mend the syntax at that line."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"This is not UTF-8: {error}.", file=file, mend="save the file as UTF-8."
        ) from error
    if data.setdefault("name", file.stem) != file.stem:
        raise ConfigError(
            f"The name '{data['name']}' differs from the file's.",
            file=file, field="name", mend=f"rename the file to '{data['name']}.toml' or leave the field out.",
        )  # fmt: skip
    try:
        return ImageDefinition.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        known = ", ".join(ImageDefinition.model_fields)
        mend = MENDS.get(str(first["loc"][0]), f"use only these fields: {known}.")
        raise ConfigError(f"{first['msg']}.", file=file, field=field, mend=mend) from error
