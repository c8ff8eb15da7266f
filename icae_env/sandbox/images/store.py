"""The image store: ``images/<name>/<digest>/{rootfs/, image.json}`` below the data folder.

An image appears whole or not at all: it is built in a folder of the store's own whose name starts with ``.build-``, and renamed
into place. The builder holds a lock on that folder for as long as it lives, so whoever comes next can tell an abandoned one.
"""

from __future__ import annotations

import builtins
import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from icae_env.errors import ConfigError
from icae_env.sandbox.images import definition
from icae_env.sandbox.images.records import BuiltImage, ImageRecord

HOME_VARIABLE = "ICAE_HOME"
SYSTEM_HOME = Path("/var/lib/icae_env")
CURRENT = "current"
BUILD_PREFIX = ".build-"


def data_home() -> Path:
    """Return where this user's images are kept: $ICAE_HOME, as root /var/lib/icae_env, else below $XDG_DATA_HOME."""
    if chosen := os.environ.get(HOME_VARIABLE):
        return Path(chosen).expanduser().absolute()
    if os.geteuid() == 0:
        return SYSTEM_HOME
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser().absolute() / "icae_env"


class ImageStore:
    """The images below one data folder. Making one touches nothing on disk."""

    def __init__(self, home: Path | None = None) -> None:
        """Name a store.

        Args:
            home: Its data folder; None means ``data_home()``.
        """
        self.root = (home or data_home()) / "images"

    def find(self, name: str) -> BuiltImage | None:
        """Return the image that ``name`` stands for now, or None when it is not built here."""
        pointer = self.root / name / CURRENT
        try:
            digest = pointer.read_text("ascii").strip()
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return None
        return self._load(name, self._folder(name, digest))

    def list(self) -> list[BuiltImage]:
        """Return every image kept, older ones of a name included, sorted by name and digest."""
        if not self.root.is_dir():
            return []
        found = [
            self._load(file.parent.parent.name, file.parent)
            for file in self.root.glob("[a-z0-9]*/*/image.json")
        ]
        return sorted((image for image in found if image), key=lambda image: (image.name, image.digest))

    def remove(self, name: str) -> builtins.list[str]:
        """Remove every image of a name and return their digests.

        Raises:
            ConfigError: There is none, or it is not this user's to remove.
        """
        if "/" in name or name.startswith("."):
            raise ConfigError(f"'{name}' is no image name.", mend="icae images list")
        folder = self.root / name
        digests = [image.digest for image in self.list() if image.name == name]
        if not digests and not folder.is_dir():
            raise ConfigError(f"No image '{name}' is built in {self.root}.", mend="icae images list")
        try:
            with self._lock():
                # Out of sight first, so that nobody resolves a half-removed image.
                grave = Path(tempfile.mkdtemp(prefix=BUILD_PREFIX, dir=self.root))
                folder.rename(grave / name)
        except PermissionError as error:
            raise self._unwritable(error) from error
        remove_tree(grave)
        return digests

    @contextmanager
    def building(self) -> Iterator[Path]:
        """Give a fresh folder inside the store to build in; what is left of it afterwards is removed.

        Raises:
            ConfigError: The store cannot be written.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with self._lock():
                self._clean()
                folder = Path(tempfile.mkdtemp(prefix=BUILD_PREFIX, dir=self.root))
                held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
                fcntl.flock(held, fcntl.LOCK_EX)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            yield folder
        finally:
            remove_tree(folder)
            os.close(held)

    def publish(self, folder: Path, record: ImageRecord) -> BuiltImage:
        """Move a finished build into place and let its name stand for it.

        Args:
            folder: What ``building`` gave, now holding ``rootfs``.
            record: Its description.
        """
        target = self._folder(record.name, record.digest)
        (folder / "image.json").write_text(record.model_dump_json(indent=2) + "\n", "utf-8")
        # Every user's sandbox goes through here, whatever the builder's umask.
        for path, mode in ((folder / "image.json", 0o644), (folder / "rootfs", 0o755), (folder, 0o755)):
            path.chmod(mode)
        with self._lock():
            target.parent.mkdir(parents=True, exist_ok=True)
            if not (target / "image.json").exists():
                folder.rename(target)
            pointer = target.parent / f".{CURRENT}"
            pointer.write_text(record.digest + "\n", "ascii")
            pointer.rename(target.parent / CURRENT)
        return BuiltImage(name=record.name, digest=record.digest, rootfs=target / "rootfs", record=record)

    def place(self, source: Path, target: Path) -> None:
        """Move something built in a folder of ``building`` to its place in the store, unless it is there already.

        Args:
            source: What was built.
            target: Its place below the store's root.
        """
        with self._lock():
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                source.rename(target)

    def reap(self) -> builtins.list[Path]:
        """Remove what dead builders left and return those folders."""
        if not self.root.is_dir() or not os.access(self.root, os.W_OK):
            return []
        with self._lock():
            return self._clean()

    def _unwritable(self, error: OSError) -> ConfigError:
        return ConfigError(
            f"The image store {self.root} cannot be written: {error.strerror}.",
            mend=f"set {HOME_VARIABLE} to a folder of your own.",
        )

    def _folder(self, name: str, digest: str) -> Path:
        return self.root / name / digest.removeprefix("sha256:")

    def _load(self, name: str, folder: Path) -> BuiltImage | None:
        try:
            record = ImageRecord.model_validate(json.loads((folder / "image.json").read_text("utf-8")))
        except FileNotFoundError:
            return None
        except (ValidationError, json.JSONDecodeError) as error:
            raise ConfigError(
                f"This image's description is damaged: {error}.",
                file=folder / "image.json", mend=f"icae images remove {name} && icae images build {name}",
            ) from error  # fmt: skip
        return BuiltImage(name=name, digest=record.digest, rootfs=folder / "rootfs", record=record)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        held = os.open(self.root / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
        finally:
            os.close(held)

    def _clean(self) -> builtins.list[Path]:
        removed = []
        for folder in sorted(self.root.glob(f"{BUILD_PREFIX}*")):
            held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            else:
                remove_tree(folder)
                removed.append(folder)
            finally:
                os.close(held)
        return removed


def stores() -> tuple[ImageStore, ...]:
    """Return the stores that images are looked for in: the user's own, then the machine's."""
    own, system = data_home(), SYSTEM_HOME
    return (ImageStore(own),) if own == system else (ImageStore(own), ImageStore(system))


def find(name: str) -> BuiltImage | None:
    """Return the image a name stands for, from the first store that has it, or None when it is not built."""
    return next((image for store in stores() if (image := store.find(name))), None)


def resolve(name: str) -> BuiltImage:
    """Return the image a name stands for.

    Raises:
        UnknownNameError: No image of that name is defined or built; the names are listed.
        ConfigError: It is defined but not built.
    """
    if image := find(name):
        return image
    definition.load(name)
    raise ConfigError(f"The image '{name}' is not built on this machine.", mend=f"icae images build {name}")


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is below it, read-only folders included; a missing one is no error."""
    for place, folders, _ in os.walk(folder):
        for name in [".", *folders]:
            path = Path(place, name)
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_mode & 0o700 != 0o700:
                with suppress(PermissionError):
                    path.chmod(status.st_mode | 0o700)
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
