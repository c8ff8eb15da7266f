"""The ``host`` image: the machine's own toolchain, read-only, needing no build.

What is visible inside is what runs programs: /usr, the running Python and Node where they lie elsewhere, and a few files of
/etc. Installed libraries are masked, so that no task's golden package can be imported, and so is this package's own data.
It differs from machine to machine: for the demo and for tests, never for a score that is reported.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

import icae_env
from icae_env.errors import SandboxUnavailableError
from icae_env.paths import data_root, task_roots
from icae_env.sandbox.base import BASE_ENV
from icae_env.sandbox.images import hostpython
from icae_env.sandbox.images.etc import ETC, HOST_ACCOUNTS
from icae_env.sandbox.images.store import data_home
from icae_env.sandbox.mounts import Mount

NODE_TARGET = "/opt/node"
TOP_LEVEL = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
ETC_SHARED = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "java-*-openjdk", "maven/m2.conf", "maven/logging", "mono",
    "php", "fonts",
)  # fmt: skip
"""What programs below /usr need of /etc to run at all, as patterns; nothing here holds accounts, keys or addresses."""

NODE_LIBRARIES = ("lib/node_modules", "lib/node")
NODE_KEPT = ("npm", "corepack")
OTHER_MASKED = (
    "pkgs",
    "envs",
    "conda-meta",
    "cargo/registry",
    "cargo/git",
    "lib/ruby/gems",
    "share/gocode",
)
"""Further places below a prefix that hold libraries, whole environments or settings (an npmrc with a token, say)."""


class HostImage(BaseModel):
    """How to put the host image together."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mounts: tuple[Mount, ...]
    """In order; a later one covers an earlier one. Each ``tmpfs`` is sealed read-only once all are made."""
    path: tuple[str, ...]
    """Directories to search before those of BASE_ENV."""

    @property
    def environment(self) -> dict[str, str]:
        """The variables that differ from BASE_ENV."""
        return {"PATH": ":".join((*self.path, BASE_ENV["PATH"]))} if self.path else {}


class _Tree(BaseModel):
    """A directory of the host and where it is seen inside."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: Path
    target: str

    def inside(self, path: Path) -> str | None:
        """Return the path inside of something below this tree's source, or None."""
        if path == self.source or not path.is_relative_to(self.source):
            return None
        return f"{self.target}/{path.relative_to(self.source)}"


def host_image() -> HostImage:
    """Look at this machine and return its host image.

    Raises:
        SandboxUnavailableError: The machine has no /usr/bin with a shell, so nothing could run inside.
    """
    if not Path("/usr/bin/bash").exists() and not Path("/bin/bash").exists():
        raise SandboxUnavailableError(
            "host image", "there is no bash below /usr or /bin.", mend="icae images build base"
        )
    usr = _Tree(source=Path("/usr"), target="/usr")
    found = (hostpython.host_python(), _node())
    trees = [usr, *(_Tree(source=place[0], target=place[1]) for place in found if place)]
    mounts = [
        Mount(kind="bind", source="/usr", target="/usr"), *_top_level(), *_etc(),
        *(Mount(kind="bind", source=str(tree.source), target=tree.target) for tree in trees[1:]),
        *_masks(trees),
    ]  # fmt: skip
    return HostImage(mounts=tuple(mounts), path=tuple(f"{tree.target}/bin" for tree in trees[1:]))


def _top_level() -> Iterator[Mount]:
    for name in TOP_LEVEL:
        path = Path("/", name)
        if path.is_symlink():
            yield Mount(kind="symlink", source=str(path.readlink()), target=str(path))
        elif path.is_dir():
            yield Mount(kind="bind", source=str(path), target=str(path))


def _etc() -> Iterator[Mount]:
    for pattern in ETC_SHARED:
        for path in sorted(Path("/etc").glob(pattern)):
            yield Mount(kind="bind", source=str(path.resolve()), target=str(path))
    for name, content in sorted({**ETC, **HOST_ACCOUNTS}.items()):
        yield Mount(kind="file", target=f"/{name}", content=content)


def _node() -> tuple[Path, str] | None:
    """Return the prefix of the node on this process's PATH when /usr does not hold it."""
    found = shutil.which("node")
    program = Path(found).resolve() if found else None
    if program is None or program.is_relative_to("/usr") or program.parent.name != "bin":
        return None
    with program.open("rb") as file:
        # A version manager's shim is a script, and what it picks depends on the host's environment.
        return (program.parent.parent, NODE_TARGET) if file.read(4) == b"\x7fELF" else None


def _masks(trees: Sequence[_Tree]) -> Iterator[Mount]:
    for tree in trees:
        for prefix in (tree.source, tree.source / "local") if tree.target == "/usr" else (tree.source,):
            yield from _mask_below(tree, prefix, hostpython.LIBRARIES, hostpython.KEPT)
            yield from _mask_below(tree, prefix, NODE_LIBRARIES, NODE_KEPT)
            yield from _mask_below(tree, prefix, OTHER_MASKED, ())
    for path in _own_places():
        for tree in trees:
            if target := tree.inside(path):
                yield Mount(kind="tmpfs", target=target)


def _mask_below(tree: _Tree, prefix: Path, patterns: Sequence[str], kept: Sequence[str]) -> Iterator[Mount]:
    for folder in sorted(path for pattern in patterns for path in prefix.glob(pattern) if path.is_dir()):
        target = tree.inside(folder.resolve())
        if folder.is_symlink() or target is None:
            # What a link points to is masked where it lies.
            continue
        yield Mount(kind="tmpfs", target=target)
        for path in sorted(path for pattern in kept for path in folder.glob(pattern)):
            if path.is_dir():
                yield Mount(kind="bind", source=str(path.resolve()), target=f"{target}/{path.name}")


def _own_places() -> list[Path]:
    """Return the places that hold tasks, answers, images or this program, wherever they lie."""
    package = Path(icae_env.__file__).resolve().parent
    data = data_root().resolve()
    places = [package, data_home(), *(Path(sys.prefix),) * (sys.prefix != sys.base_prefix)]
    # A checkout as a whole, tests and history included, tells answers; in a wheel the data lie in the package.
    places.append(data if data == package.parent else package)
    places += [root / name for root in task_roots() for name in ("tasks", "user_agent_data", "images")]
    found = dict.fromkeys(place.resolve() for place in places if place.exists())
    return [
        place for place in found if not any(place != other and place.is_relative_to(other) for other in found)
    ]
