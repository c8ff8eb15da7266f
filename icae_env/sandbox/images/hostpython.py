"""Find a Python for the host image that the sandbox's user can reach, wherever the running one lies."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from icae_env.sandbox.images.store import ImageStore

TARGET = "/opt/python"
LIBRARIES = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages")
"""Where a Python below a prefix keeps installed packages, as patterns."""
KEPT = ("pip", "pip-*.dist-info", "pip-*.egg-info", "pip.egg-info")
"""What of them stays visible, so that ``python3 -m pip`` works."""
_UNWANTED = (
    "test",
    "tests",
    "idlelib",
    "turtledemo",
    "__pycache__",
    "share",
    "include",
    "pkgs",
    "envs",
    "conda-meta",
)


def host_python() -> tuple[Path, str] | None:
    """Return (prefix on the host, prefix inside) of a Python to bind beside /usr, or None when /usr's own is the one.

    The running Python is taken. Where only its owner can reach it (root's pyenv, say) and sandboxes run as another user,
    /usr's Python is taken if it has pip, else a copy of the running one that is kept in the data folder.
    """
    prefix = Path(sys.base_prefix).resolve()
    if prefix.is_relative_to("/usr"):
        return None
    if os.geteuid() == 0 and not reachable(prefix):
        if _usr_python_with_pip():
            return None
        prefix = copied(prefix)
    # A shared libpython is found by the absolute path it was built with; anything else works from anywhere, and from a
    # neutral path it tells nothing about the host.
    fixed = bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))
    return prefix, str(Path(sys.base_prefix).resolve()) if fixed else TARGET


def reachable(path: Path) -> bool:
    """Return whether every user may get to a directory and list it."""
    steps = [path, *path.parents]
    return all(step.stat().st_mode & stat.S_IXOTH for step in steps) and bool(
        path.stat().st_mode & stat.S_IROTH
    )


def _usr_python_with_pip() -> bool:
    if not Path("/usr/bin/python3").exists():
        return False
    folders = [
        folder
        for root in ("/usr", "/usr/local")
        for pattern in LIBRARIES
        for folder in Path(root).glob(pattern)
    ]
    return any((folder / "pip" / "__main__.py").is_file() for folder in folders)


def copied(prefix: Path) -> Path:
    """Return a copy of a Python without installed packages (but pip), made once and kept in the data folder.

    Args:
        prefix: The Python's prefix.

    Raises:
        ConfigError: The data folder cannot be written.
    """
    program = prefix / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    status = program.stat()
    key = hashlib.sha256(
        f"{prefix}\0{status.st_size}\0{status.st_mtime_ns}\0{sys.version}".encode()
    ).hexdigest()[:16]
    store = ImageStore()
    target = store.root / "host-python" / key
    if not target.is_dir():
        with store.building() as folder:
            shutil.copytree(prefix, folder / "python", symlinks=True, ignore=_ignored(prefix))
            (folder / "python").chmod(0o755)
            store.place(folder / "python", target)
    return target


def _ignored(prefix: Path) -> Callable[[str, list[str]], set[str]]:
    libraries = {folder for pattern in LIBRARIES for folder in prefix.glob(pattern)}

    def ignore(folder: str, names: list[str]) -> set[str]:
        if Path(folder) in libraries:
            kept = {path.name for pattern in KEPT for path in Path(folder).glob(pattern)}
            return set(names) - kept
        below_pip = any(Path(folder).is_relative_to(library) for library in libraries)
        return set() if below_pip else {name for name in names if name in _UNWANTED or name.endswith(".a")}

    return ignore
