"""What runs inside an image while it is built, the same script whichever builder runs it."""

from __future__ import annotations

import shlex
from pathlib import Path

from icae_env.sandbox.base import HOME
from icae_env.sandbox.images.definition import ImageDefinition
from icae_env.sandbox.images.mirror import INSIDE, Mirror

SCRIPT = "steps.sh"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Compiled files that carry a hash of their source in place of its time are the same in every build.
COMPILE = "python3 -m compileall -q --invalidation-mode unchecked-hash"


def commands(image: ImageDefinition) -> tuple[str, ...]:
    """Return the shell commands that pins and steps of a definition stand for."""
    found: list[str] = []
    if image.pip:
        options = "--break-system-packages --no-cache-dir --no-compile --root-user-action=ignore -q"
        found.append(f"python3 -m pip install {options} {shlex.join(image.pip)}")
        found.append(f"{COMPILE} /usr/local/lib/python3*/dist-packages")
    if image.npm:
        found.append(f"npm install --global --no-audit --no-fund --loglevel=error {shlex.join(image.npm)}")
    return (*found, *image.run)


def write(image: ImageDefinition, mirror: Mirror, folder: Path) -> bool:
    """Write the script and the mirror's files into a folder that is then copied to ``INSIDE``.

    Args:
        image: A definition with all that it extends merged in.
        mirror: Where packages come from.
        folder: A fresh folder.

    Returns:
        Whether there is anything to run.
    """
    steps = commands(image)
    if not steps:
        return False
    home = f"{INSIDE}/home"
    # The home of the build lies in INSIDE, so that caches and the mirror's files there vanish with it.
    variables = {
        "HOME": home,
        "PATH": PATH,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "DEBIAN_FRONTEND": "noninteractive",
        **mirror.env(),
    }
    for name, content in mirror.files().items():
        relative = name.replace(str(HOME), home, 1) if name.startswith(f"{HOME}/") else name
        place = folder / Path(relative).relative_to(INSIDE)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    (folder / "home").mkdir(exist_ok=True)
    lines = ["set -eu", "umask 022", "cd /"]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    (folder / SCRIPT).write_text("\n".join([*lines, *steps]) + "\n", "utf-8")
    return True
