"""Put finished folders into their places: all of them or none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from icae_env.errors import ConfigError


def check_free(*folders: Path) -> None:
    """Check that nothing lies where something is to be put.

    Raises:
        ConfigError: Something does.
    """
    for folder in folders:
        if folder.exists() or folder.is_symlink():
            raise ConfigError("This exists already.", file=folder, mend="choose another name or directory.")


def move_all(moves: Mapping[Path, Path]) -> None:
    """Move folders to their places; if one cannot be moved, those already moved are removed."""
    done: list[Path] = []
    try:
        for source, target in moves.items():
            source.rename(target)
            done.append(target)
    except BaseException:
        for target in done:
            shutil.rmtree(target)
        raise


@contextmanager
def made(*folders: Path) -> Iterator[None]:
    """Make folders that are missing, parents too, and remove those made if the body fails."""
    missing: list[Path] = []
    for folder in folders:
        missing += [
            part for part in (*reversed(folder.parents), folder) if not part.exists() and part not in missing
        ]
    try:
        for folder in missing:
            folder.mkdir()
        yield
    except BaseException:
        for folder in reversed(missing):
            with suppress(OSError):  # somebody else has put something there
                folder.rmdir()
        raise
