"""Checks that no link inside leads ``files`` to the host's own files."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from icae_env.sandbox.base import Sandbox
from icae_env.sandbox.conformance.common import Checks, bash, output, raised


@contextlib.contextmanager
def _canary() -> Iterator[Path]:
    """Make a file on the host that anybody may read and write, and check that it stays as it was."""
    with tempfile.TemporaryDirectory(prefix="icae-canary-") as folder:
        Path(folder).chmod(0o777)
        file = Path(folder) / "canary"
        file.write_bytes(b"host only")
        file.chmod(0o666)
        yield file
        assert file.read_bytes() == b"host only" and [entry.name for entry in Path(folder).iterdir()] == [
            "canary"
        ]


class LinkChecks(Checks):
    """Links of every kind, final and in the middle."""

    def test_links_resolve_inside(self, sandbox: Sandbox) -> None:
        """An absolute link shows the sandbox's own file, not the host's."""
        bash(sandbox, "echo inside >/tmp/target; ln -s /tmp/target l; ln -s /tmp d; ln -s /etc/passwd pw")
        assert sandbox.files.read("/workspace/l") == b"inside\n"
        assert sandbox.files.read("/workspace/d/target") == b"inside\n"
        assert sandbox.files.read("/workspace/pw") == sandbox.run(["cat", "/etc/passwd"]).stdout

    def test_links_do_not_reach_the_host(self, sandbox: Sandbox) -> None:
        """Absolute, relative, through ``..`` and through /proc."""
        with _canary() as file:
            up = "../" * 12
            bash(
                sandbox,
                f"ln -s {file} a; ln -s {up}{file} b; ln -s {file.parent} c; ln -s /proc/self/root{file} d; "
                f"ln -s /proc/1/root{file} e; ln -s /proc/self/cwd/{file} f; ln -s / g",
            )
            for path in ("a", "b", "c/canary", "d", "e", "f", f"g{file}", f"{up}{file}"):
                assert raised(lambda path=path: sandbox.files.read(f"/workspace/{path}")), path  # type: ignore[misc]
            assert raised(lambda: sandbox.files.read(file.as_posix()), FileNotFoundError)

    def test_magic_links_are_refused(self, sandbox: Sandbox) -> None:
        """``/proc/PID/root``, ``cwd`` and ``fd`` would be resolved for the host's process."""
        for path in (
            "/proc/self/root/etc/passwd",
            "/proc/self/cwd",
            "/proc/self/fd/0",
            "/proc/1/root/etc/passwd",
        ):
            assert raised(lambda path=path: sandbox.files.read(path)), path  # type: ignore[misc]

    def test_writing_through_links_stays_inside(self, sandbox: Sandbox) -> None:
        """Editing a link changes what it points to, inside."""
        with _canary() as file:
            bash(
                sandbox,
                f"mkdir -p {file.parent}; ln -s {file} l; ln -s {file.parent} d; echo x >t; ln -s t r",
            )
            sandbox.files.write("/workspace/l", b"inside")
            sandbox.files.write("/workspace/d/new", b"inside")
            sandbox.files.write("/workspace/r", b"changed")
            assert (
                output(sandbox, f"cat {file} {file.parent}/new; cat t; readlink r") == "insideinsidechangedt"
            )

    def test_removing_does_not_follow_links(self, sandbox: Sandbox) -> None:
        """A link goes, what it points to stays; also within a tree."""
        with _canary() as file:
            bash(
                sandbox,
                f"mkdir keep tree; touch keep/f; ln -s /workspace/keep tree/l; ln -s {file.parent} tree/h",
            )
            bash(sandbox, "ln -s keep final")
            sandbox.files.remove("/workspace/final")
            sandbox.files.remove("/workspace/tree")
            assert sandbox.files.list("/workspace") == ["keep"] and sandbox.files.list("/workspace/keep") == [
                "f"
            ]

    def test_link_loops_end(self, sandbox: Sandbox) -> None:
        """With an error, as everywhere."""
        bash(sandbox, "ln -s a b; ln -s b a; ln -s . self")
        assert raised(lambda: sandbox.files.read("/workspace/a"))
        assert raised(lambda: sandbox.files.write("/workspace/a", b"x"))
        assert "self" in sandbox.files.list("/workspace/self/self/self")

    def test_a_path_that_changes_under_way_stays_inside(self, sandbox: Sandbox) -> None:
        """A folder that is swapped for a link to the host's path, over and over, never shows the host's file."""
        with (
            _canary() as file,
            contextlib.closing(sandbox.open_pty(["bash", "-c", _SWAP.format(there=file.parent)])),
        ):
            for _ in range(3000):
                with contextlib.suppress(OSError):
                    assert sandbox.files.read("/workspace/d/canary") == b"decoy"


_SWAP = """mkdir -p real; printf decoy >real/canary; ln -s {there} link
while :; do mv -T real d; mv -T d real; mv -T link d; mv -T d link; done 2>/dev/null"""
