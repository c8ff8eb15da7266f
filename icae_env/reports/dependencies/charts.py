"""Kinds of figures, each a whole SVG that needs no style sheet: bars in groups, boxes, a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import quantiles
from typing import NamedTuple

from icae_env.reports.html.axes import Scale, percent_scale, upwards
from icae_env.reports.html.markup import Markup, join, tag

COLOURS = ("#2f6bdb", "#d5701f", "#1c9574", "#a94a9a", "#8b7200", "#2b95ba", "#cf4459", "#6d737d")
"""As in the page of runs."""
GOOD, BAD = "#1c9574", "#cf4459"
_LEFT, _TOP, _BOTTOM = 64, 16, 260
_STYLE = (
    "text{font-family:system-ui,sans-serif;fill:#444}.tick{font-size:12px}.axis{font-size:13px}"
    ".grid{stroke:#ddd}.whisker{stroke:#444;stroke-width:1.5}.mark{stroke:#444;stroke-dasharray:3 4}"
)
_MOST_BOXES_TICKS = 7


class Part(NamedTuple):
    """One piece of a bar, from 0 to 1."""

    value: float
    colour: str
    said: str
    """What it is, for the pointer and for screen readers."""
    hatched: bool = False


class Bars(NamedTuple):
    """Bars side by side over one name; each bar is pieces on top of one another."""

    label: str
    bars: Sequence[Sequence[Part]]


def bar_chart(
    title: str,
    axis: str,
    groups: Sequence[Bars],
    legend: Sequence[tuple[str, str]],
    *,
    mark: float | None = None,
) -> Markup:
    """Return bars of shares.

    Args:
        title: What is shown.
        axis: What the height means.
        groups: The bars.
        legend: Names and colours.
        mark: Where a dotted line lies.
    """
    widest = max((len(group.bars) for group in groups), default=1)
    step = max(widest * 16 + 22, 64)
    right = _LEFT + step * len(groups)
    scale = percent_scale(_BOTTOM, _TOP)
    parts: list[object] = [_hatch(), upwards(scale, _LEFT, right, axis, (_TOP + _BOTTOM) / 2)]
    for place, group in enumerate(groups):
        middle = _LEFT + step * (place + 0.5)
        left = middle - len(group.bars) * 8
        parts += [_bar(bar, left + 16 * number, scale) for number, bar in enumerate(group.bars)]
        parts.append(_label(group.label, middle))
    if mark is not None:
        y = scale.place(mark)
        parts.append(tag("line", x1=_LEFT, x2=right, y1=f"{y:.1f}", y2=f"{y:.1f}", class_="mark"))
    return _svg(title, right + 60, legend, *parts)


def _bar(bar: Sequence[Part], x: float, scale: Scale) -> Markup:
    base, parts = 0.0, list[object]()
    for part in bar:
        low, high = scale.place(base), scale.place(base + part.value)
        at = {"x": f"{x:.1f}", "y": f"{high:.1f}", "width": 14, "height": f"{max(low - high, 0):.1f}"}
        parts.append(
            tag(
                "rect",
                tag("title", part.said),
                fill=part.colour,
                fill_opacity=0.35 if part.hatched else None,
                **at,
            )
        )
        if part.hatched:
            parts.append(tag("rect", fill="url(#hatch)", pointer_events="none", **at))
        base += part.value
    return tag("g", *parts)


def box_chart(title: str, axis: str, boxes: Sequence[tuple[str, Sequence[float]]]) -> Markup:
    """Return boxes of positive numbers on a logarithmic scale: quartiles, median, smallest and largest value.

    Args:
        title: What is shown.
        axis: What the height means.
        boxes: Names and their numbers, at least one for each.
    """
    values = [value for _, numbers in boxes for value in numbers if value > 0]
    scale = _log_scale(min(values, default=1.0), max(values, default=1.0))
    right = _LEFT + 90 * max(len(boxes), 1)
    parts: list[object] = [upwards(scale, _LEFT, right, axis, (_TOP + _BOTTOM) / 2)]
    for place, (name, numbers) in enumerate(boxes):
        middle = _LEFT + 90 * (place + 0.5)
        parts += [
            _box(
                name, [value for value in numbers if value > 0], middle, scale, COLOURS[place % len(COLOURS)]
            )
        ]
        parts.append(_label(f"{name} (n {len(numbers)})", middle))
    return _svg(title, right + 60, (), *parts)


def _box(name: str, numbers: Sequence[float], middle: float, scale: Scale, colour: str) -> Markup:
    if not numbers:
        return join()
    low, half, high = quartiles(numbers)
    top, bottom = scale.place(high), scale.place(low)
    said = f"{name}: median {half:.2f}, quartiles {low:.2f} and {high:.2f}, from {min(numbers):.2f} to {max(numbers):.2f}"
    upright = {"x1": f"{middle:.1f}", "x2": f"{middle:.1f}", "class_": "whisker"}
    across = {"x1": f"{middle - 18:.1f}", "x2": f"{middle + 18:.1f}", "class_": "whisker"}
    size = {
        "x": f"{middle - 18:.1f}",
        "width": 36,
        "y": f"{top:.1f}",
        "height": f"{max(bottom - top, 1):.1f}",
    }
    y = f"{scale.place(half):.1f}"
    return tag(
        "g", tag("title", said),
        tag("line", y1=f"{scale.place(max(numbers)):.1f}", y2=f"{top:.1f}", **upright),
        tag("line", y1=f"{bottom:.1f}", y2=f"{scale.place(min(numbers)):.1f}", **upright),
        tag("rect", fill=colour, fill_opacity=0.5, **size), tag("line", y1=y, y2=y, **across),
    )  # fmt: skip


def quartiles(numbers: Sequence[float]) -> tuple[float, float, float]:
    """Return the quartiles, interpolated between the numbers themselves; a single number is all three."""
    if len(numbers) == 1:
        return numbers[0], numbers[0], numbers[0]
    low, half, high = quantiles(numbers, n=4, method="inclusive")
    return low, half, high


def _log_scale(low: float, high: float) -> Scale:
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(high))
    last = max(last, first + 1)
    step = -(-(last - first) // _MOST_BOXES_TICKS)
    span = (_TOP - _BOTTOM) / (last - first)
    ticks = [(2.0**power, f"{2.0**power:g}") for power in range(first, last + 1, step)]
    return Scale(lambda value: _BOTTOM + (math.log2(value) - first) * span, ticks)


def grid_chart(title: str, rows: Sequence[tuple[str, Sequence[tuple[str, bool | None]]]]) -> Markup:
    """Return a grid of successes and failures; a cell that was not measured stays empty.

    Args:
        title: What is shown.
        rows: Names and cells; a cell tells what it is and whether it succeeded.
    """
    left, parts = 190, list[object]()
    for place, (name, cells) in enumerate(rows):
        y = _TOP + 18 * place
        parts.append(tag("text", name, x=left - 8, y=y + 12, class_="tick", text_anchor="end"))
        for number, (said, success) in enumerate(cells):
            if success is not None:
                words = f"{name}, {said}: {'success' if success else 'failure'}"
                at = {"x": left + 12 * number, "y": y, "width": 11, "height": 15}
                parts.append(tag("rect", tag("title", words), fill=GOOD if success else BAD, **at))
    width = left + 12 * max((len(cells) for _, cells in rows), default=0) + 10
    return _svg(
        title, max(width, 360), (("success", GOOD), ("failure", BAD)), *parts, bottom=_TOP + 18 * len(rows)
    )


def _hatch() -> Markup:
    line = tag("path", d="M0 6L6 0", stroke="#444", stroke_width=1)
    return tag("defs", tag("pattern", line, id="hatch", width=6, height=6, patternUnits="userSpaceOnUse"))


def _label(text: str, middle: float) -> Markup:
    shown = text if len(text) <= 22 else f"{text[:21]}…"
    turn = f"rotate(18 {middle:.1f} {_BOTTOM + 18})" if len(text) > 10 else None
    anchor = "start" if turn else "middle"
    x = middle - 24 if turn else middle
    return tag(
        "text",
        tag("title", text),
        shown,
        x=f"{x:.1f}",
        y=_BOTTOM + 18,
        class_="tick",
        text_anchor=anchor,
        transform=turn,
    )


def _svg(
    title: str,
    width: float,
    legend: Sequence[tuple[str, str]],
    *content: object,
    bottom: float = _BOTTOM + 60,
) -> Markup:
    x, keys = 20.0, list[object]()
    for name, colour in legend:
        keys.append(tag("rect", x=f"{x:.0f}", y=bottom + 12, width=12, height=12, fill=colour))
        keys.append(tag("text", name, x=f"{x + 17:.0f}", y=bottom + 22, class_="tick"))
        x += 34 + 7.2 * len(name)
    box = f"0 0 {max(width, x, 320):.0f} {bottom + 36:.0f}"
    return tag(
        "svg", tag("title", title), tag("style", Markup(_STYLE)), *content, *keys,
        xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img", aria_label=title,
    )  # fmt: skip
