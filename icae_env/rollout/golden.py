"""Make a task's golden submission: its adapter with the pinned real package installed beside it.

The package is fetched once, in a sandbox with network and the mirror settings of this machine, and kept by the content of the
golden folder and the image it was installed on. Mirror settings lie outside the workspace and so never in the submission.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from icae_env.errors import InfraError
from icae_env.evaluation import Submission, load_submission, take_snapshot
from icae_env.sandbox.base import WORKSPACE, ImageRef, Sandbox, SandboxConfig
from icae_env.sandbox.images.mirror import load_mirror
from icae_env.sandbox.images.store import data_home
from icae_env.selection import open_backend
from icae_env.tasks import find_task

_INSTALL_SECONDS = 600.0
_APT_SOURCES = "/run/icae-mirror/sources.list"
"""Inside the provisioning sandbox: the lines of the Debian mirror, named to ``install.sh`` in ICAE_APT_SOURCES."""


def golden_submission(task: str, sandbox: str = "auto", image: str = "host") -> Submission:
    """Return a task's golden as a submission, from the cache or installed now.

    Args:
        task: Id of the task.
        sandbox: Backend to install in.
        image: Image to install on.

    Raises:
        InfraError: The package could not be installed; the installer's own words are in the message.
    """
    folder = find_task(task).folder / "golden"
    with closing(open_backend(sandbox)) as backend:
        box = backend.create(SandboxConfig(image=image, network=True))
        kept = _cache(folder, box.image)
        if kept.is_file():
            box.close()
            return load_submission(kept)
        with box:
            submission = _install(folder, box)
    submission.store(kept)
    return submission


def golden_files(task: str, sandbox: str, image: str) -> Mapping[str, tuple[bytes, int]]:
    """Return the golden submission's files: relative path -> (bytes, mode)."""
    return golden_submission(task, sandbox, image).files


def _install(folder: Path, box: Sandbox) -> Submission:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            inside = WORKSPACE / path.relative_to(folder).as_posix()
            box.files.write(inside, path.read_bytes(), mode=0o755 if os.access(path, os.X_OK) else 0o644)
    mirror = load_mirror()
    for inside_path, content in mirror.files().items():
        box.files.write(inside_path, content, mode=0o600)
    box.files.write(_APT_SOURCES, "".join(f"{line}\n" for line in mirror.apt).encode(), mode=0o600)
    env = {**mirror.env(), "ICAE_APT_SOURCES": _APT_SOURCES if mirror.apt else "/etc/apt/sources.list"}
    done = box.run(["/bin/bash", "install.sh"], env=env, timeout=_INSTALL_SECONDS)
    if done.exit_code != 0:
        words = mirror.redact((done.stdout + done.stderr).decode("utf-8", "replace"))[-2000:]
        raise InfraError(
            f"The golden of '{folder.parent.name}' could not be installed (exit {done.exit_code}):\n{words}"
        )
    return take_snapshot(box)


def _cache(folder: Path, image: ImageRef) -> Path:
    known = hashlib.sha256(f"{image.name} {image.digest}\n".encode())
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            known.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            known.update(hashlib.sha256(path.read_bytes()).digest())
    try:
        place = data_home() / "golden"
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        place = Path(tempfile.gettempdir()) / f"icae-golden-{os.getuid()}"
    return place / f"{folder.parent.name}-{known.hexdigest()[:16]}.tar.gz"
