"""How numbers are written in tables."""

from __future__ import annotations

from icae_env.reports.metrics import METRICS, Kind
from icae_env.reports.summary import Mean, Total

NOTHING = "-"
UNKNOWN = "unknown"


def number(value: float, kind: Kind) -> str:
    """Return a value as people read it; rates in percent, without the sign."""
    if kind == "rate":
        return f"{100 * value:.1f}"
    if kind == "dollars":
        return f"{value:.3g}" if value < 1 else f"{value:.2f}"
    if kind == "tokens":
        return short(value)
    return f"{value:.1f}"


def short(value: float) -> str:
    """Return a large count in three or four digits: 950, 12.3k, 4.5M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / min(size, 1e3 if unit == 'k' else size):.1f}{unit}"
    return f"{value:.0f}"


def mean(value: Mean, metric: str, *, interval: bool = False) -> str:
    """Return a mean, if wished with its interval, and how many episodes do not tell it.

    Args:
        value: The mean.
        metric: Its name in ``METRICS``.
        interval: Whether its interval follows.
    """
    kind = METRICS[metric].kind
    if value.value is None:
        return UNKNOWN if value.unknown and kind in ("dollars", "tokens") else NOTHING
    said = number(value.value, kind)
    if interval and value.interval is not None:
        said += f" [{number(value.interval.low, kind)}, {number(value.interval.high, kind)}]"
    return said + (f" ({value.unknown} unknown)" if value.unknown and kind in ("dollars", "tokens") else "")


def total(value: Total, metric: str) -> str:
    """Return a sum; a lower bound is marked as one."""
    if value.value is None:
        return UNKNOWN if value.unknown else NOTHING
    kind = METRICS[metric].kind
    said = f"{value.value:.0f}" if kind in ("count", "seconds") else number(value.value, kind)
    return f"at least {said} ({value.unknown} unknown)" if value.unknown else said


def percent(value: float) -> str:
    """Return a rate in percent, without the sign."""
    return number(value, "rate")
