"""Files reached through a sandbox's root directory: whatever lies there, the host's files stay out of reach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from icae_env.sandbox.rootfiles import RootFiles


@pytest.fixture
def root(tmp_path: Path):
    made = RootFiles(os.open(tmp_path, os.O_PATH | os.O_DIRECTORY), os.geteuid(), os.getegid())
    yield made
    made.close()


@pytest.fixture
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("host") / "secret"
    file.write_text("host's own")
    return file


def test_write_makes_parents_and_keeps_the_mode(root, tmp_path):
    root.write("/a/b/c.sh", b"one", mode=0o755)
    root.write("/a/b/c.sh", b"two")
    assert root.read("/a/b/c.sh") == b"two"
    assert root.stat("/a/b/c.sh").mode == 0o755
    assert root.list("/a/b") == ["c.sh"]
    assert (tmp_path / "a/b/c.sh").read_bytes() == b"two"


def test_exclusive_write(root):
    root.write("/f", b"1")
    with pytest.raises(FileExistsError):
        root.write("/f", b"2", exclusive=True)
    assert root.read("/f") == b"1"


def test_links_resolve_inside(root, tmp_path, secret):
    (tmp_path / "absolute").symlink_to(secret)
    (tmp_path / "up").symlink_to("../../../../../../../" + str(secret).lstrip("/"))
    (tmp_path / "folder").symlink_to(secret.parent)
    for path in ("/absolute", "/up", "/folder/secret"):
        with pytest.raises(FileNotFoundError):
            root.read(path)
    root.write("/etc-like/secret", b"inside")
    (tmp_path / "inner").symlink_to("/etc-like/secret")
    assert root.read("/inner") == b"inside"
    root.write("/inner", b"changed through the link")
    assert root.read("/etc-like/secret") == b"changed through the link"
    assert secret.read_text() == "host's own"


def test_dangling_link_is_written_inside(root, tmp_path, secret):
    (tmp_path / "out").symlink_to(secret.parent / "new")
    with pytest.raises(OSError):
        root.write("/out", b"x")
    assert not (secret.parent / "new").exists()


def test_magic_links_are_refused(tmp_path, secret):
    fd = os.open(secret, os.O_RDONLY)
    proc = RootFiles(os.open("/", os.O_PATH | os.O_DIRECTORY), os.geteuid(), os.getegid())
    try:
        with pytest.raises(OSError):
            proc.read(f"/proc/self/fd/{fd}")
        with pytest.raises(OSError):
            proc.read(f"/proc/self/root{secret}")
    finally:
        os.close(fd)
        proc.close()


def test_special_files_do_not_block(root, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError):
        root.read("/fifo")
    with pytest.raises(OSError):
        root.write("/fifo", b"x")
    assert root.stat("/fifo").kind == "other"
    root.discard("/fifo")
    assert root.list("/") == []
    with pytest.raises(IsADirectoryError):
        root.read("/")


def test_remove_keeps_to_itself(root, tmp_path, secret):
    (tmp_path / "tree/inner").mkdir(parents=True)
    (tmp_path / "tree/inner/link").symlink_to(secret.parent)
    (tmp_path / "tree/inner").chmod(0o000)
    root.remove("/tree")
    assert root.list("/") == []
    assert secret.read_text() == "host's own"
    root.remove("/missing/entirely")


def test_remove_of_a_very_deep_tree(root, tmp_path):
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=fd)
        inner = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(fd)
    root.remove("/d")
    assert root.list("/") == []


def test_discard_frees_what_a_writer_still_holds(root, tmp_path):
    root.write("/out", b"x" * 100)
    fd = os.open(tmp_path / "out", os.O_WRONLY)
    try:
        root.discard("/out")
        assert os.fstat(fd).st_size == 0
    finally:
        os.close(fd)


def test_partial_reads(root):
    root.write("/f", bytes(range(256)))
    assert root.read("/f", limit=3, offset=10) == bytes([10, 11, 12])
    assert root.read("/f", offset=254) == bytes([254, 255])
    assert root.read("/f", offset=999) == b""


def test_odd_names(root):
    name = "/new\nline " + os.fsdecode(b"\xff") + "\u202e"
    root.write(name, b"1")
    assert root.read(name) == b"1"
    with pytest.raises(ValueError, match="NUL"):
        root.read("/a\0b")
    with pytest.raises(OSError):
        root.write("/" + "n" * 300, b"")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for another user")
def test_root_acts_as_the_sandbox_user(tmp_path):
    os.chown(tmp_path, 65533, 65533)
    root = RootFiles(os.open(tmp_path, os.O_PATH | os.O_DIRECTORY), 65533, 65533)
    try:
        root.write("/mine", b"1")
        assert (tmp_path / "mine").stat().st_uid == 65533
        theirs = tmp_path / "theirs"
        theirs.write_text("root's")
        theirs.chmod(0o600)
        with pytest.raises(PermissionError):
            root.read("/theirs")
        (tmp_path / "mine").chmod(0o444)
        with pytest.raises(PermissionError):
            root.write("/mine", b"2")
        assert os.geteuid() == 0
    finally:
        root.close()
