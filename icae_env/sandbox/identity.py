"""Which host user bubblewrap sandboxes run as."""

from __future__ import annotations

import os

_ROOTS_SUBSTITUTE = 65_533
"""Host uid and gid of sandboxes started by root, so that uid 0 of the host is nowhere inside."""


def identity() -> tuple[int, int]:
    """Return the host uid and gid that sandboxes run as: the caller's own, or an unprivileged one for root."""
    if os.geteuid() == 0:
        return _ROOTS_SUBSTITUTE, _ROOTS_SUBSTITUTE
    return os.geteuid(), os.getegid()
