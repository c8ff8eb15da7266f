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
Build = Callable[[int], dict[str, Any]]
"""Returns an episode's values with every text cut to a length."""


def pack_all(openers: Sequence[Callable[[], Build]], budget: int = BUDGET) -> list[str | None]:
    """Return each episode packed; None for one that is too large at the shortest length.

    Each may take an equal share of what is left of the budget, so that small episodes leave room for large ones behind them.

    Args:
        openers: One for each episode; called one after the other, so that only one episode is in memory.
        budget: Characters that all may take together.
    """
    left = float(budget)
    found = []
    for number, opener in enumerate(openers):
        packed = _fitting(opener(), left / (len(openers) - number))
        left -= len(packed or "")
        found.append(packed)
    return found


def _fitting(build: Build, size: float) -> str | None:
    for limit in LIMITS:
        packed = pack(build(limit))
        if len(packed) <= size:
            return packed
    return None


def pack(values: dict[str, Any]) -> str:
    """Return values as JSON, deflated (zlib's format) and in base64."""
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 6)).decode("ascii")
