from __future__ import annotations

import io
import os
import random
import stat
import tarfile
from pathlib import Path

import pytest

from icae_env.errors import SandboxError
from icae_env.sandbox.images import rootfs
from icae_env.sandbox.images.etc import MOUNT_POINTS

Entry = tuple[str, bytes, dict[str, object]]

ENTRIES: tuple[Entry, ...] = (
    ("./usr", b"", {"type": tarfile.DIRTYPE, "mode": 0o700}),
    ("./usr/bin", b"", {"type": tarfile.DIRTYPE, "mode": 0o555}),
    ("./usr/bin/su", b"\x7fELF", {"mode": 0o4755}),
    ("./usr/bin/private", b"#!/bin/sh\n", {"mode": 0o700}),
    ("./usr/bin/again", b"", {"type": tarfile.LNKTYPE, "linkname": "./usr/bin/private"}),
    ("./bin", b"", {"type": tarfile.SYMTYPE, "linkname": "usr/bin"}),
    ("./usr/lib/x.py", b"x = 1\n", {"mtime": 1_600_000_000}),
    ("./etc/passwd", b"root:x:0:0:root:/root:/bin/bash\nubuntu:x:1000:1000::/home/ubuntu:/bin/sh\n", {}),
    ("./etc/group", b"root:x:0:\n", {}),
    ("./etc/shadow", b"root:*:1::::::\n", {"mode": 0o600}),
    ("./etc/machine-id", b"0123\n", {}),
    ("./etc/apt/sources.list", b"deb http://user:pass@mirror bookworm main\n", {}),
    ("./var/log/dpkg.log", b"2024\n", {}),
    ("./var/lib/dpkg/status", b"Package: x\nStatus: install ok installed\nVersion: 1\n", {}),
    ("./dev/null", b"", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3}),
    ("./opt/fifo", b"", {"type": tarfile.FIFOTYPE}),
    ("./run/icae-mirror/npmrc", b"token\n", {}),
    ("./usr/share/doc/x/copyright", b"free\n", {}),
    ("./usr/share/doc/x/README", b"long\n", {}),
)


def _tar(entries: tuple[Entry, ...] | list[Entry]) -> io.BytesIO:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content, fields in entries:
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.uid = len(content), 0o644, 4321
            for field, value in fields.items():
                setattr(member, field, value)
            archive.addfile(member, io.BytesIO(content))
    buffer.seek(0)
    return buffer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "rootfs"
    place.mkdir()
    rootfs.unpack(_tar(ENTRIES), place)
    return place


def test_every_user_can_read_everything_and_nothing_is_setuid(root: Path) -> None:
    for path, status in rootfs.entries(root):
        if stat.S_ISLNK(status.st_mode):
            continue
        mode = stat.S_IMODE(status.st_mode)
        assert mode & 0o444 == 0o444, path
        assert not mode & 0o7022, path
        assert stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode), path
    assert stat.S_IMODE((root / "usr/bin/private").stat().st_mode) == 0o755
    assert (root / "usr/bin/again").read_bytes() == b"#!/bin/sh\n"
    assert (root / "bin").readlink() == Path("usr/bin")


def test_what_differs_or_is_secret_is_left_out(root: Path) -> None:
    gone = (
        "etc/shadow", "etc/machine-id", "etc/apt/sources.list", "var/log/dpkg.log", "dev/null", "opt/fifo",
        "run/icae-mirror", "usr/share/doc/x/README",
    )  # fmt: skip
    assert [name for name in gone if (root / name).exists()] == []
    assert (root / "usr/share/doc/x/copyright").exists()


def test_a_sandbox_finds_its_mount_points_and_its_user(root: Path) -> None:
    for name in MOUNT_POINTS:
        assert list((root / name).iterdir()) == []
    passwd = (root / "etc/passwd").read_text()
    assert "agent:x:1000:1000:agent:/home/agent:/bin/bash\n" in passwd
    assert "ubuntu" not in passwd
    assert "agent:x:1000:\n" in (root / "etc/group").read_text()
    assert (root / "etc/hostname").read_text() == "sandbox\n"
    assert (root / "etc/resolv.conf").read_bytes() == b""
    assert not (root / "etc/resolv.conf").is_symlink()


def test_times_are_fixed_but_for_python_sources(root: Path) -> None:
    assert (root / "usr/lib/x.py").stat().st_mtime == 1_600_000_000
    others = {status.st_mtime for path, status in rootfs.entries(root) if path.suffix != ".py"}
    assert others == {rootfs.EPOCH}


def test_the_digest_depends_on_content_alone(root: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    shuffled = [entry for entry in ENTRIES if entry[2].get("type") != tarfile.LNKTYPE]
    random.Random(3).shuffle(shuffled)
    links = [entry for entry in ENTRIES if entry[2].get("type") == tarfile.LNKTYPE]
    changed = [(name, content, {**fields, "mtime": 5}) for name, content, fields in [*shuffled, *links]]
    rootfs.unpack(_tar(changed), again)
    assert rootfs.digest(again) == rootfs.digest(root)


def test_the_digest_sees_every_kind_of_change(root: Path) -> None:
    seen = {rootfs.digest(root)}
    file = root / "usr/lib/x.py"
    file.write_text("x = 2\n")
    seen.add(rootfs.digest(root))
    file.chmod(0o755)
    seen.add(rootfs.digest(root))
    (root / "bin").unlink()
    (root / "bin").symlink_to("usr/sbin")
    seen.add(rootfs.digest(root))
    file.rename(root / "usr/lib/y.py")
    seen.add(rootfs.digest(root))
    (root / "srv").mkdir()
    seen.add(rootfs.digest(root))
    assert len(seen) == 6


@pytest.mark.parametrize(
    "entries",
    [
        (("../outside", b"x", {}),),
        (
            ("./out", b"", {"type": tarfile.SYMTYPE, "linkname": "/"}),
            ("./out/icae-escaped", b"x", {}),
        ),
    ],
)
def test_nothing_is_written_outside_the_root(entries: tuple[Entry, ...], tmp_path: Path) -> None:
    place = tmp_path / "rootfs"
    place.mkdir()
    with pytest.raises(SandboxError, match="leave the root"):
        rootfs.unpack(_tar(entries), place)
    assert [path.name for path in tmp_path.iterdir()] == ["rootfs"]
    assert not Path("/icae-escaped").exists()


def test_a_stream_that_is_cut_short_is_an_error(tmp_path: Path) -> None:
    whole = _tar((("./a", os.urandom(5000), {}), ("./b", os.urandom(50_000), {}))).getvalue()
    with pytest.raises(SandboxError, match="damaged"):
        rootfs.unpack(io.BytesIO(whole[:20_000]), tmp_path)
