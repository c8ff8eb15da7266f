"""Texts that processes share: how gymnasium's asynchronous vector environment hands over observations.

gymnasium reserves memory for the largest observation of each environment, once. A text has no fixed size, so here each
environment has an anonymous file of its own instead, which is as large as the text it holds now. One side writes before it sends
word over a pipe and the other reads after it has got word, so no lock is needed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from multiprocessing.reduction import DupFd
from typing import Any, overload

from icae_env.sandbox.descriptors import read_exactly, write_all


class SharedTexts(Sequence[str]):
    """One text for each environment, always as it was written last. A copy is a tuple of strings that stays as it is.

    Args:
        count: Environments.
    """

    def __init__(self, count: int) -> None:
        self._files: list[int] = []
        for _ in range(count):
            self._files.append(os.memfd_create("icae-text", os.MFD_CLOEXEC))

    def write(self, index: int, text: str) -> None:
        """Put a text in place of an environment's last."""
        fd = self._files[index]
        os.ftruncate(fd, 0)
        os.lseek(fd, 0, os.SEEK_SET)
        write_all(fd, text.encode("utf-8"))

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(map(_text, self._files[index]))
        return _text(self._files[index])

    def __len__(self) -> int:
        return len(self._files)

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __getstate__(self) -> list[Any]:
        # A process that is spawned, not forked, gets the descriptors while it is started.
        duplicate: Any = DupFd  # typed in some versions of the stubs only
        return [duplicate(fd) for fd in self._files]

    def __setstate__(self, handles: list[Any]) -> None:
        self._files = [handle.detach() for handle in handles]

    def __del__(self) -> None:
        for fd in self._files:
            with contextlib.suppress(OSError):  # an interpreter that ends may have closed it
                os.close(fd)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})"


def _text(fd: int) -> str:
    return read_exactly(fd, os.fstat(fd).st_size, 0).decode("utf-8")
