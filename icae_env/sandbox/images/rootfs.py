"""Turn a builder's tar stream into a normalised root file system, and name it by its content.

Both builders hand over a tar, so whatever made it, the same rules apply: one owner, no setuid bits, readable by every user,
no devices, no file that differs from build to build, and nothing of where the packages came from.
"""

from __future__ import annotations

import fnmatch
import hashlib
import io
import os
import shutil
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from icae_env.errors import SandboxError
from icae_env.sandbox.images.etc import AGENT_GROUP, AGENT_PASSWD, ETC, MOUNT_POINTS, with_agent

EPOCH = 1_700_000_000
"""Modification time (seconds) of every entry that is no Python source, so that listings agree between builds."""

EMPTIED: tuple[str, ...] = (
    "dev", "proc", "sys", "run", "tmp", "var/tmp", "var/log", "var/cache", "var/lib/apt", "root/.cache", "root/.npm",
    "home", "workspace", "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian",
)  # fmt: skip
"""Directories whose content is left out: run-time state, caches, logs, translations and manuals."""

LEFT_OUT: tuple[str, ...] = (
    "etc/machine-id", "var/lib/dbus/machine-id", ".dockerenv", "etc/mtab",
    "etc/shadow*", "etc/gshadow*", "etc/passwd-", "etc/group-", "etc/subuid*", "etc/subgid*",
    # Where packages come from is the builder's business and may hold credentials.
    "etc/apt/sources.list", "etc/apt/sources.list.d/*", "etc/apt/auth.conf", "etc/apt/auth.conf.d/*",
    "etc/apt/apt.conf.d/99mmdebstrap", "etc/apt/apt.conf.d/99icae*", "etc/pip.conf", "root/.netrc",
    "root/.npmrc", "root/.config/*", "root/.bash_history", "root/.python_history", "root/.wget-hsts",
    "var/lib/dpkg/*-old", "var/lib/dpkg/lock*", "var/lib/dpkg/triggers/Lock", "var/lib/systemd/*",
    "etc/.pwd.lock", "var/lib/ucf/*.?",
)  # fmt: skip
"""Paths that are left out, as patterns."""


def unpack(stream: IO[bytes] | io.RawIOBase, root: Path) -> None:
    """Write a tar stream below ``root`` by the rules of this module.

    Args:
        stream: An uncompressed tar; it is read to its end and need not seek.
        root: An empty directory.

    Raises:
        SandboxError: The stream is cut short, or an entry would leave the root.
    """
    folders: list[tuple[Path, int]] = []
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                name = PurePosixPath("/", member.name).as_posix().lstrip("/")
                if name and not left_out(name):
                    _extract(archive, member, root, name, folders)
    except (tarfile.TarError, EOFError) as error:
        raise SandboxError(f"The builder's tar stream is damaged: {error}.") from error
    _complete(root)
    for folder, mode in reversed(folders):
        # Modes come last: a read-only directory could not be filled.
        folder.chmod(mode)
    _fix_times(root)


def left_out(name: str) -> bool:
    """Return whether a path, relative to the root, has no place in an image."""
    if any(name.startswith(folder + "/") for folder in EMPTIED):
        return True
    if name.startswith("usr/share/doc/") and not name.endswith("/copyright"):
        return name.count("/") > 3
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in LEFT_OUT)


def _extract(
    archive: tarfile.TarFile, member: tarfile.TarInfo, root: Path, name: str, folders: list[tuple[Path, int]]
) -> None:
    place = root / name
    if ".." in PurePosixPath(name).parts or place.parent.resolve() != place.parent:
        raise SandboxError(f"The builder's tar holds '{name}', which would leave the root file system.")
    place.parent.mkdir(parents=True, exist_ok=True)
    if member.isdir():
        place.mkdir(exist_ok=True)
        folders.append((place, _mode(member.mode, folder=True)))
    elif member.issym():
        place.symlink_to(member.linkname)
    elif member.islnk():
        target = PurePosixPath("/", member.linkname).as_posix().lstrip("/")
        # Copies, not links: the digest must not depend on which name the tar lists first.
        shutil.copy2(root / target, place)
    elif member.isreg():
        source = archive.extractfile(member)
        assert source is not None
        with source, place.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
        place.chmod(_mode(member.mode, folder=False))
        os.utime(place, (member.mtime, member.mtime))


def _mode(mode: int, *, folder: bool) -> int:
    # The sandbox runs as another user than the owner, so whatever the owner may read, all may read.
    readable = (mode & 0o777) | 0o644
    if folder or mode & 0o111:
        readable |= 0o755
    return readable & ~0o022


def _complete(root: Path) -> None:
    for name in MOUNT_POINTS:
        (root / name).mkdir(parents=True, exist_ok=True)
    for name, content in ETC.items():
        place = root / name
        place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o644)
    for name, line in (("etc/passwd", AGENT_PASSWD), ("etc/group", AGENT_GROUP)):
        place = root / name
        text = place.read_text("utf-8") if place.exists() else ""
        place.write_text(with_agent(text, line), "utf-8")
        place.chmod(0o644)


def _fix_times(root: Path) -> None:
    for path, _ in entries(root):
        # Compiled Python files name their source's time, which is the package's own and so the same in every build.
        if path.suffix != ".py" or path.is_symlink():
            os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)
    os.utime(root, (EPOCH, EPOCH))


def entries(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield every entry below ``root`` with its own status, sorted by path."""
    with os.scandir(root) as found:
        children = sorted(found, key=lambda entry: os.fsencode(entry.name))
    for child in children:
        status = child.stat(follow_symlinks=False)
        yield Path(child.path), status
        if stat.S_ISDIR(status.st_mode):
            yield from entries(Path(child.path))


def digest(root: Path) -> str:
    """Return ``sha256:...`` over every entry's path, kind, mode and content; owners and times do not count.

    Args:
        root: A root file system.
    """
    lines = []
    for path, status in entries(root):
        name = os.fsencode(path.relative_to(root))
        if stat.S_ISDIR(status.st_mode):
            kind, content = b"d", b""
        elif stat.S_ISLNK(status.st_mode):
            kind, content = b"l", os.fsencode(path.readlink())
        else:
            with path.open("rb") as file:
                kind, content = b"f", hashlib.file_digest(file, "sha256").hexdigest().encode()
        mode = b"777" if kind == b"l" else b"%o" % stat.S_IMODE(status.st_mode)
        # NUL cannot occur in a path or a link target, so no two trees share a manifest.
        lines.append(b"\0".join((name, kind, mode, content)))
    return "sha256:" + hashlib.sha256(b"\0\0".join(sorted(lines))).hexdigest()


def size(root: Path) -> int:
    """Return the bytes of all regular files below ``root``."""
    return sum(status.st_size for _, status in entries(root) if stat.S_ISREG(status.st_mode))
