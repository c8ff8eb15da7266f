"""Checks of ``files``: reading and writing from the host as the user inside would."""

from __future__ import annotations

import errno
import os
import time

from icae_env.sandbox.base import MIB, Backend, Sandbox
from icae_env.sandbox.conformance.common import Checks, bash, output, raised


class FileChecks(Checks):
    """Plain files and folders."""

    def test_written_bytes_are_read_inside_and_back(self, sandbox: Sandbox) -> None:
        """Any byte, empty and large."""
        for data in (b"", b"a\r\n\ttab\xef\xbb\xbf no newline", bytes(range(256)) * 80_000):
            sandbox.files.write("/workspace/f", data)
            assert sandbox.files.read("/workspace/f") == data
            assert output(sandbox, "stat -c '%s %u %g' f") == f"{len(data)} {self.uid} {self.uid}"
            assert sandbox.run(["cat", "/workspace/f"], output_limit=len(data)).stdout == data

    def test_what_is_written_inside_is_read(self, sandbox: Sandbox) -> None:
        """In every writable place."""
        for place in ("/workspace", "/home/agent", "/tmp", "/dev/shm", "/run"):
            bash(sandbox, f"printf 'x\\0y' >{place}/f")
            assert sandbox.files.read(f"{place}/f") == b"x\0y"

    def test_part_of_a_file(self, sandbox: Sandbox) -> None:
        """An offset and a limit, also beyond the end."""
        sandbox.files.write("/workspace/f", b"0123456789")
        read = sandbox.files.read
        assert read("/workspace/f", limit=3, offset=2) == b"234"
        assert read("/workspace/f", limit=99, offset=8) == b"89"
        assert read("/workspace/f", offset=99) == b"" and read("/workspace/f", limit=0) == b""

    def test_parents_are_made_and_mode_is_set(self, sandbox: Sandbox) -> None:
        """New files are 0644 unless told otherwise; an existing file keeps its mode."""
        sandbox.files.write("/workspace/a/b/c/f", b"1")
        assert output(sandbox, "stat -c '%a %U' a/b/c/f a/b | cut -d' ' -f1") == "644\n755"
        sandbox.files.write("/workspace/run", b"#!/bin/sh\necho 1\n", mode=0o755)
        sandbox.files.write("/workspace/run", b"#!/bin/sh\necho 2\n")
        assert output(sandbox, "./run; stat -c %a run") == "2\n755"

    def test_exclusive_write_refuses_what_exists(self, sandbox: Sandbox) -> None:
        """And leaves it alone."""
        sandbox.files.write("/workspace/f", b"old")
        assert raised(lambda: sandbox.files.write("/workspace/f", b"new", exclusive=True), FileExistsError)
        assert sandbox.files.read("/workspace/f") == b"old"

    def test_errors_are_those_of_os(self, sandbox: Sandbox) -> None:
        """As the user inside would get them."""
        files = sandbox.files
        bash(
            sandbox,
            "mkdir d; echo x >secret; chmod 000 secret; mkdir locked; echo x >locked/f; chmod 000 locked",
        )
        assert raised(lambda: files.read("/workspace/none"), FileNotFoundError)
        assert raised(lambda: files.stat("/workspace/none"), FileNotFoundError)
        assert raised(lambda: files.list("/workspace/none"), FileNotFoundError)
        assert raised(lambda: files.read("/workspace/d"), IsADirectoryError)
        assert raised(lambda: files.write("/workspace/d", b"x"), IsADirectoryError)
        assert raised(lambda: files.read("/workspace/secret"), PermissionError)
        assert raised(lambda: files.read("/workspace/locked/f"), PermissionError)
        assert raised(lambda: files.write("/workspace/secret", b"x"), PermissionError)
        assert raised(lambda: files.list("/workspace/secret"), NotADirectoryError)
        assert raised(lambda: files.write("/etc/passwd", b"x")) and raised(lambda: files.write("/new", b"x"))
        assert raised(lambda: files.read("/workspace/" + "n" * 300))

    def test_stat_tells_kind_size_and_mode(self, sandbox: Sandbox) -> None:
        """Links are not followed; a sparse file has few blocks."""
        bash(sandbox, "printf abc >f; chmod 640 f; mkdir d; ln -s f l; mkfifo p; truncate -s 100M sparse")
        stat = sandbox.files.stat
        assert [stat(f"/workspace/{name}").kind for name in "fdlp"] == ["file", "directory", "link", "other"]
        assert (stat("/workspace/f").size, stat("/workspace/f").mode) == (3, 0o640)
        assert (stat("/workspace/sparse").size, stat("/workspace/sparse").blocks) == (100 << 20, 0)

    def test_list_is_sorted_and_takes_any_name(self, sandbox: Sandbox) -> None:
        """Newlines, spaces, leading dashes and bytes that are no UTF-8."""
        names = [b"-rf", b"a b", b"new\nline", b"\xff\xfe", "é".encode(), b".hidden", b"'q\"", b"*"]
        wanted = sorted(os.fsdecode(name) for name in names)
        for name in wanted:
            sandbox.files.write(f"/workspace/odd/{name}", os.fsencode(name))
        assert sandbox.files.list("/workspace/odd") == wanted
        assert all(sandbox.files.read(f"/workspace/odd/{name}") == os.fsencode(name) for name in wanted)
        assert output(sandbox, "ls -A odd | wc -l") == str(len(names) + 1)
        sandbox.files.remove("/workspace/odd/" + os.fsdecode(b"\xff\xfe"))
        assert len(sandbox.files.list("/workspace/odd")) == len(names) - 1

    def test_mkdir_and_remove(self, sandbox: Sandbox) -> None:
        """Parents are made, what exists is kept; whole trees go, what is missing is no error."""
        files = sandbox.files
        files.mkdir("/workspace/a/b")
        files.mkdir("/workspace/a/b")
        bash(sandbox, "mkdir -p a/b/locked/deep; touch a/b/locked/deep/f; chmod 000 a/b/locked a/b")
        files.remove("/workspace/a")
        files.remove("/workspace/a")
        files.remove("/workspace/none/none")
        assert files.list("/workspace") == []

    def test_remove_takes_a_very_deep_tree(self, sandbox: Sandbox) -> None:
        """As deep as a path may be long."""
        bash(sandbox, "mkdir -p $(printf 'd/%.0s' $(seq 2000))")
        sandbox.files.remove("/workspace/d")
        assert sandbox.files.list("/workspace") == []

    def test_fifo_and_device_do_not_hang(self, sandbox: Sandbox) -> None:
        """Neither reading nor writing waits for the other side."""
        bash(sandbox, "mkfifo p")
        begun = time.monotonic()
        for path in ("/workspace/p", "/dev/zero", "/dev/tty"):
            assert raised(lambda path=path: sandbox.files.read(path, limit=10)), path  # type: ignore[misc]
        assert raised(lambda: sandbox.files.write("/workspace/p", b"x"))
        assert time.monotonic() - begun < 5

    def test_full_disk_is_enospc_and_nothing_half_written(self, backend: Backend) -> None:
        """The old content stays whole."""
        with backend.create(self.config(workspace=4 * MIB)) as sandbox:
            sandbox.files.write("/workspace/f", b"old")
            try:
                sandbox.files.write("/workspace/f", bytes(5 * MIB))
            except OSError as error:
                assert error.errno in (errno.ENOSPC, errno.EDQUOT)
            else:
                raise AssertionError("a file larger than the workspace was written")
            assert sandbox.files.read("/workspace/f") == b"old" and sandbox.files.list("/workspace") == ["f"]
