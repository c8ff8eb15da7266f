"""Median times in milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def once(action: Callable[[], Any]) -> float:
    """Return the milliseconds one call takes."""
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1000


def median(action: Callable[[], Any], rounds: int, warm: int = 3) -> float:
    """Return the median milliseconds of a call, after some that do not count."""
    for _ in range(warm):
        action()
    return statistics.median(once(action) for _ in range(rounds))


def compared(measured: float, baseline: float, what: str, reach: float | None = None) -> dict[str, Any]:
    """Return a row: milliseconds, the baseline's, their ratio and the figure to reach."""
    row = {"ms": round(measured, 3), "baseline": what, "baseline_ms": round(baseline, 3)}
    row["ratio"] = round(measured / baseline, 2) if baseline else None
    return row if reach is None else {**row, "reach_ms": reach}
