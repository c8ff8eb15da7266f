"""The client that lies in the workspace as ``./executable``: compiled once for a machine and kept.

A static C program starts in a millisecond and in any image. It is compiled by the host's compiler or, without one, in a sandbox of
a built image that has gcc.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

from icae_env.errors import InfraError
from icae_env.oracle.reference import write_whole
from icae_env.sandbox.base import WORKSPACE, Backend, SandboxConfig
from icae_env.sandbox.images import store
from icae_env.sandbox.provisioning import cache_folder

_FLAGS = ["-static", "-s", "-Os", "-std=gnu11"]
_SECONDS = 120.0
_IMAGES_WITH_GCC = ("cpp", "go", "rust")


def client(backend: Backend) -> bytes:
    """Return the client's executable.

    Args:
        backend: Where to compile it, if the host has no compiler.

    Raises:
        InfraError: There is no compiler.
    """
    source = (files("icae_env.oracle") / "client.c").read_bytes()
    known = hashlib.sha256(b"\0".join([source, " ".join(_FLAGS).encode(), platform.machine().encode()]))
    kept = cache_folder("oracle") / f"client-{known.hexdigest()[:16]}"
    if kept.is_file():
        return kept.read_bytes()
    made = _made(source, backend)
    write_whole(kept, made)
    return made


def _made(source: bytes, backend: Backend) -> bytes:
    made = _compiled_here(source) or _compiled_inside(source, backend)
    if made is None:
        raise InfraError(
            "The client of the reference program cannot be compiled: there is no gcc that links statically, neither on this "
            "machine nor in a built image. Mend: icae images build cpp"
        )
    return made


def _compiled_here(source: bytes) -> bytes | None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory(prefix="icae-client-") as folder:
        made = Path(folder) / "client"
        done = subprocess.run(
            [compiler, *_FLAGS, "-x", "c", "-o", str(made), "-"],
            input=source,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
        return made.read_bytes() if done.returncode == 0 else None


def _compiled_inside(source: bytes, backend: Backend) -> bytes | None:
    for image in _IMAGES_WITH_GCC:
        if store.find(image) is None:
            continue
        with backend.create(SandboxConfig(image=image)) as box:
            box.files.write(WORKSPACE / "client.c", source)
            if box.run(["gcc", *_FLAGS, "-o", "client", "client.c"], timeout=_SECONDS).exit_code == 0:
                return box.files.read(WORKSPACE / "client")
    return None
