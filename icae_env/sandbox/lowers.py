"""Workspace contents unpacked once on the host, for many one-command sandboxes that start from the same submission.

Writing a submission's files into each sandbox costs 50 microseconds a file; an overlay on one unpacked copy costs the same for any
number of files. The copy belongs to the sandboxes' user, is never written through an overlay, and goes with the backend.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from icae_env.sandbox.launch.client import launcher

FileMap = Mapping[str, tuple[bytes, int]]
"""Relative path -> (bytes, mode); a path that ends in a slash is a directory."""

_KEPT = 4


class Lowers:
    """The unpacked contents of one backend, the last few that were used."""

    def __init__(self, identity: tuple[int, int]) -> None:
        """Unpack for the host user that sandboxes run as."""
        self._identity = identity
        self._known: list[tuple[FileMap, int]] = []
        self._folder: Path | None = None
        self._lock = threading.Lock()

    def descriptor(self, files: FileMap) -> int:
        """Return a descriptor of the folder with this content; the same mapping object is unpacked once."""
        with self._lock:
            for known, fd in self._known:
                if known is files:
                    return fd
            fd = self._unpack(files)
            self._known.append((files, fd))
            if len(self._known) > _KEPT:
                _, oldest = self._known.pop(0)
                shutil.rmtree(f"/proc/self/fd/{oldest}/..", ignore_errors=True)
                os.close(oldest)
            return fd

    def close(self) -> None:
        """Remove all copies."""
        with self._lock:
            for _, fd in self._known:
                os.close(fd)
            self._known.clear()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                launcher().at_exit(f"lower-{self._folder}", None)
                self._folder = None

    def _unpack(self, files: FileMap) -> int:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="icae-lower-"))
            launcher().at_exit(f"lower-{self._folder}", ["/bin/rm", "-rf", str(self._folder)])
            if os.geteuid() == 0:
                self._folder.chmod(0o711)
        root = Path(tempfile.mkdtemp(dir=self._folder)) / "content"
        root.parent.chmod(0o711)
        root.mkdir()
        for path, (content, mode) in files.items():
            target = root / path
            if path.endswith("/"):
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(mode)
        if os.geteuid() == 0:
            for folder, folders, names in os.walk(root):
                for name in (".", *folders, *names):
                    os.chown(os.path.join(folder, name), *self._identity, follow_symlinks=False)  # noqa: PTH118
        return os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
