"""Scales and axes of plots."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from icae_env.reports.html.markup import Markup, join, tag


class Scale(NamedTuple):
    """Where values lie on an axis."""

    place: Callable[[float], float]
    """Value -> units of the drawing."""
    ticks: Sequence[tuple[float, str]]
    """Values and what is written at them."""


def percent_scale(begin: float, end: float) -> Scale:
    """Return the scale of rates from 0 to 1."""
    return Scale(lambda value: begin + value * (end - begin), [(n / 4, f"{25 * n} %") for n in range(5)])


def dollar_scale(values: Sequence[float], begin: float, end: float) -> Scale:
    """Return a scale of costs: logarithmic where they span more than a factor of 20 and none is 0, else from 0 on.

    Args:
        values: Costs in US dollars, at least one.
        begin: Where the axis begins.
        end: Where it ends.
    """
    low, high = min(values), max(values)
    if low > 0 and high / low > 20:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        step = (end - begin) / max(last - first, 1)
        return Scale(
            lambda value: begin + (math.log10(max(value, low)) - first) * step,
            [(10.0**power, f"${10.0**power:g}") for power in range(first, last + 1)],
        )
    top = nice(high or 1.0)
    ticks = [(top * part / 4, f"${top * part / 4:.3g}") for part in range(5)]
    return Scale(lambda value: begin + value / top * (end - begin), ticks)


def nice(value: float) -> float:
    """Return the least of 1, 2, 4, 5, 8 and 10 times a power of ten that is not below a positive value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(size * power for size in (1, 2, 4, 5, 8, 10) if size * power >= value * (1 - 1e-9))


def across(scale: Scale, top: float, bottom: float, title: str, middle: float) -> Markup:
    """Return the horizontal axis with its grid."""
    parts = [
        join(
            tag("line", x1=_at(scale, value), x2=_at(scale, value), y1=top, y2=bottom, class_="grid"),
            tag("text", said, x=_at(scale, value), y=bottom + 19, class_="tick", text_anchor="middle"),
        )
        for value, said in scale.ticks
    ]
    label = tag("text", title, x=middle, y=bottom + 39, class_="axis", text_anchor="middle")
    return join(*parts, label)


def upwards(scale: Scale, left: float, right: float, title: str, middle: float) -> Markup:
    """Return the vertical axis with its grid."""
    parts = [
        join(
            tag("line", x1=left, x2=right, y1=_at(scale, value), y2=_at(scale, value), class_="grid"),
            tag("text", said, x=left - 8, y=float(_at(scale, value)) + 4, class_="tick", text_anchor="end"),
        )
        for value, said in scale.ticks
    ]
    turned = f"rotate(-90 {left - 48} {middle})"
    label = tag("text", title, x=left - 48, y=middle, class_="axis", text_anchor="middle", transform=turned)
    return join(*parts, label)


def _at(scale: Scale, value: float) -> str:
    return f"{scale.place(value):.1f}"
