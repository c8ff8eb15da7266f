"""Install what a task's folder describes, once, in a sandbox with network, and name where the result is kept.

The mirror settings of this machine reach the installer as variables and as files outside the workspace, and so are never part
of what it leaves there.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from icae_env.errors import InfraError
from icae_env.sandbox.base import WORKSPACE, ImageRef, Sandbox
from icae_env.sandbox.images.mirror import load_mirror
from icae_env.sandbox.images.store import data_home

INSTALL_SECONDS = 600.0
_APT_SOURCES = "/run/icae-mirror/sources.list"
"""Inside the provisioning sandbox: the lines of the Debian mirror, named to the script in ICAE_APT_SOURCES."""


def run_installer(
    folder: Path, box: Sandbox, what: str, *, script: str = "install.sh", seconds: float = INSTALL_SECONDS
) -> None:
    """Copy a folder into the workspace of a running sandbox with network and run one of its scripts there.

    Args:
        folder: What to copy.
        box: The sandbox.
        what: What is installed, for the error text.
        script: Path in the folder.
        seconds: Its wall time.

    Raises:
        InfraError: The script failed; its own words are in the message.
    """
    for path in files_below(folder):
        inside = WORKSPACE / path.relative_to(folder).as_posix()
        box.files.write(inside, path.read_bytes(), mode=0o755 if os.access(path, os.X_OK) else 0o644)
    mirror = load_mirror()
    for inside_path, content in mirror.files().items():
        box.files.write(inside_path, content, mode=0o600)
    box.files.write(_APT_SOURCES, "".join(f"{line}\n" for line in mirror.apt).encode(), mode=0o600)
    env = {**mirror.env(), "ICAE_APT_SOURCES": _APT_SOURCES if mirror.apt else "/etc/apt/sources.list"}
    done = box.run(["/bin/bash", script], env=env, timeout=seconds)
    if done.exit_code != 0:
        words = mirror.redact((done.stdout + done.stderr).decode("utf-8", "replace"))[-2000:]
        raise InfraError(f"{what} could not be installed (exit {done.exit_code}):\n{words}")


def kept_at(kind: str, folder: Path, image: ImageRef, suffix: str, *, part: str = "") -> Path:
    """Return the file in which the result of an installation is kept: named by the folder's content and the image.

    Args:
        kind: Folder of the cache.
        folder: What is installed from; its parent's name is part of the file's.
        image: What it is installed on.
        suffix: End of the file's name.
        part: Which of several results of the same folder.
    """
    known = hashlib.sha256(f"{image.name} {image.digest}\n".encode())
    for path in files_below(folder):
        known.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        known.update(hashlib.sha256(path.read_bytes()).digest())
    middle = f"-{part}" if part else ""
    return cache_folder(kind) / f"{folder.parent.name}{middle}-{known.hexdigest()[:16]}{suffix}"


def cache_folder(kind: str) -> Path:
    """Return a folder of this user's to keep things in, made where it is missing."""
    place = data_home() / kind
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / f"icae-{kind}-{os.getuid()}"
    return place


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder in order, without what Python compiled."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path
