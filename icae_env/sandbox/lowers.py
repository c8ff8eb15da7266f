"""Workspace contents unpacked once on the host, for many one-command sandboxes that start from the same submission.

Writing a submission's files into each sandbox costs 50 microseconds a file; an overlay on one unpacked copy costs the same for any
number of files. The copy belongs to the sandboxes' user, is never written through an overlay, and goes with the backend.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from icae_env.errors import SandboxStartError
from icae_env.sandbox.launch.client import launcher

FileMap = Mapping[str, tuple[bytes, int]]
"""Relative path -> (bytes, mode); a path that ends in a slash is a directory."""

_KEPT = 4


class _Copy:
    """One unpacked content and who uses it at the moment."""

    def __init__(self, files: FileMap, place: Path, fd: int) -> None:
        self.files, self.place, self.fd = files, place, fd
        self.users = 0


class Lowers:
    """The unpacked contents of one backend, the last few that were used."""

    def __init__(self, identity: tuple[int, int]) -> None:
        """Unpack for the host user that sandboxes run as."""
        self._identity = identity
        self._known: list[_Copy] = []
        self._folder: Path | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()

    @contextmanager
    def lent(self, files: FileMap) -> Iterator[int]:
        """Give a descriptor of the folder with this content; the same mapping object is unpacked once.

        The folder stays while any body runs, however many other contents are unpacked meanwhile.

        Raises:
            SandboxStartError: The host's disk does not take it.
        """
        self._disown()
        with self._lock:
            copy = next((known for known in self._known if known.files is files), None)
            if copy is None:
                try:
                    copy = self._unpack(files)
                except OSError as error:
                    raise SandboxStartError(f"The submission could not be unpacked: {error}.") from error
                self._known.append(copy)
            copy.users += 1
        try:
            yield copy.fd
        finally:
            with self._lock:
                copy.users -= 1
                self._forget_oldest()

    def close(self) -> None:
        """Remove all copies."""
        self._disown()
        with self._lock:
            for copy in self._known:
                os.close(copy.fd)
            self._known.clear()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                launcher().at_exit(f"lower-{self._folder}", None)
                self._folder = None

    def _disown(self) -> None:
        """Leave what is the parent's alone in a forked process."""
        if os.getpid() != self._process:
            self._process, self._lock = os.getpid(), threading.Lock()
            self._known, self._folder = [], None

    def _forget_oldest(self) -> None:
        idle = [copy for copy in self._known if copy.users == 0]
        for copy in idle[: max(len(self._known) - _KEPT, 0)]:
            self._known.remove(copy)
            os.close(copy.fd)
            shutil.rmtree(copy.place, ignore_errors=True)

    def _unpack(self, files: FileMap) -> _Copy:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="icae-lower-"))
            launcher().at_exit(f"lower-{self._folder}", ["/bin/rm", "-rf", str(self._folder)])
            if os.geteuid() == 0:
                self._folder.chmod(0o711)
        place = Path(tempfile.mkdtemp(dir=self._folder))
        root = place / "content"
        place.chmod(0o711)
        root.mkdir()
        for path, (content, mode) in files.items():
            target = root / path
            folder = target if path.endswith("/") else target.parent
            if not folder.is_dir():
                for step in (*reversed(folder.relative_to(root).parents), folder.relative_to(root)):
                    (root / step).mkdir(exist_ok=True)
            if path.endswith("/"):
                continue
            target.write_bytes(content)
            target.chmod(mode)
        if os.geteuid() == 0:
            for directory, folders, names in os.walk(root):
                for name in (".", *folders, *names):
                    os.chown(os.path.join(directory, name), *self._identity, follow_symlinks=False)  # noqa: PTH118
        return _Copy(files, place, os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
