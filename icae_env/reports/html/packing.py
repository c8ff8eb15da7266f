"""Episodes as small compressed texts, so that a page of hundreds of them stays quick and below a size."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Sequence
from typing import Any

LIMITS = (20_000, 6_000, 2_000, 600, 200)
"""Characters that are kept of a text: the first that makes the episode small enough."""
BUDGET = 13_000_000
"""Bytes of all packed episodes in the page: what remains to 20 MB is for everything else."""
_CHUNK = 65_536

Build = Callable[[int], dict[str, Any]]
"""Returns an episode's values with every text cut to a length."""


def pack_all(openers: Sequence[Callable[[], Build]], budget: int = BUDGET) -> list[str | None]:
    """Return each episode packed; None for one that is too large at the shortest length.

    Each may take an equal share of what is left of the budget, so that small episodes leave room for large ones behind them.

    Args:
        openers: One for each episode; called one after the other, so that only one episode is in memory.
        budget: Characters that all may take together.
    """
    left, rung = float(budget), 0
    found = []
    for number, opener in enumerate(openers):
        # Episodes of a run are much alike: what was too long for the last one is tried again in steps only.
        packed, rung = _fitting(opener(), left / (len(openers) - number), max(rung - 1, 0))
        left -= len(packed or "")
        found.append(packed)
    return found


def _fitting(build: Build, size: float, first: int) -> tuple[str | None, int]:
    for rung in range(first, len(LIMITS)):
        packed = pack(build(LIMITS[rung]), size)
        if packed is not None:
            return packed, rung
    return None, len(LIMITS) - 1


def pack(values: dict[str, Any], size: float) -> str | None:
    """Return values as JSON, deflated (zlib's format) and in base64; None as soon as that is longer than ``size``."""
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    deflater = zlib.compressobj(6)
    parts, length = [], 0
    for begin in range(0, len(text), _CHUNK):
        parts.append(deflater.compress(text[begin : begin + _CHUNK]))
        length += len(parts[-1])
        if length * 4 / 3 > size:
            return None
    packed = base64.b64encode(b"".join([*parts, deflater.flush()])).decode("ascii")
    return packed if len(packed) <= size else None
