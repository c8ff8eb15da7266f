"""The plots of the page, as SVG in the page itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from icae_env.reports import numbers
from icae_env.reports.failures import FAILURE_CLASSES
from icae_env.reports.html.axes import Scale, across, dollar_scale, percent_scale, upwards
from icae_env.reports.html.markup import Markup, join, tag
from icae_env.reports.rows import Entry
from icae_env.reports.summary import Group, Mean

COLOURS = 8
"""Colours that the style sheet has; further groups begin again."""
MOST_GROUPS = 24
MOST_DOTS = 1_500
_WIDTH, _LEFT, _RIGHT = 600, 190, 575
_ROW = 34
_FROM = 66
"""Where the horizontal axis of a scatter plot begins."""
_SERIES = ("overall", "native", "enhanced")
_SHOWN = 26
"""Characters of a group's name that a plot has room for."""


def figure(title: str, drawing: Markup, note: str = "", *, name: str) -> Markup:
    """Return a plot with its caption; ``name`` tells it in the page."""
    said = tag("figcaption", tag("strong", title), f" {note}" if note else "")
    return tag("figure", said, drawing, id=name, class_="plot")


def rates(groups: Sequence[Group]) -> Markup:
    """Return the pass rates of groups with their intervals."""
    shown = [group for group in groups if group.means["overall"].value is not None][:MOST_GROUPS]
    scale = percent_scale(_LEFT, _RIGHT)
    bottom = 16 + _ROW * len(shown)
    rows = [_rate_row(group, scale, 16 + _ROW * (number + 0.5)) for number, group in enumerate(shown)]
    drawing = _svg(
        bottom + 46, "Overall, native and enhanced pass rate of each group, with 95 % intervals",
        across(scale, 10, bottom, "pass rate", (_LEFT + _RIGHT) / 2), *rows,
    )  # fmt: skip
    legend = tag("p", *(tag("span", name, class_=f"key key-{name}") for name in _SERIES), class_="legend")
    note = "Lines are 95 % intervals." + _more(groups, shown)
    return figure("Pass rates", join(legend, drawing), note, name="plot-rates")


def _rate_row(group: Group, scale: Scale, y: float) -> Markup:
    parts: list[object] = [_group_name(group, y)]
    for shift, name in zip((-8, 0, 8), _SERIES, strict=True):
        mean = group.means[name]
        if mean.value is None:
            continue
        if mean.interval is not None:
            ends = {
                "x1": f"{scale.place(mean.interval.low):.1f}",
                "x2": f"{scale.place(mean.interval.high):.1f}",
            }
            parts.append(tag("line", **ends, y1=y + shift, y2=y + shift, class_=f"whisker {name}"))
        said = f"{group.label}: {name} {numbers.mean(mean, name, interval=True)} %, n {mean.n}, infra {group.infra}"
        radius = 5.5 if name == "overall" else 3.5
        dot = {"cx": f"{scale.place(mean.value):.1f}", "cy": y + shift, "r": radius, "class_": f"dot {name}"}
        parts.append(tag("circle", tag("title", said), **dot))
    return tag("g", *parts)


def coverage(groups: Sequence[tuple[Group, Sequence[tuple[int, Entry]]]]) -> Markup | None:
    """Return coverage against pass rate; None where no episode has a coverage.

    Args:
        groups: Each with its episodes and their numbers in the page's list.
    """
    dots = [
        (place, number, entry, entry.row.coverage)
        for place, (_, entries) in enumerate(groups)
        for number, entry in entries
        if entry.scored is not None and entry.row is not None and entry.row.coverage is not None
    ]
    if not dots:
        return None
    drawing = _scatter(
        "Coverage of the hidden constraints against pass rate, an episode each", "coverage of the hidden constraints",
        percent_scale(_FROM, _RIGHT), dots, [(group, group.means["coverage"]) for group, _ in groups],
    )  # fmt: skip
    note = "A dot is an episode, a ring a group's mean. Coverage: share of the hidden constraints that replies revealed."
    return figure("Asking and passing", join(_group_legend(groups), drawing), note, name="plot-coverage")


def cost(groups: Sequence[tuple[Group, Sequence[tuple[int, Entry]]]]) -> Markup | None:
    """Return cost against pass rate; None where no episode's cost is known."""
    dots = [
        (place, number, entry, entry.row.model_use.cost)
        for place, (_, entries) in enumerate(groups)
        for number, entry in entries
        if entry.scored is not None and entry.row is not None and entry.row.model_use.cost is not None
    ]
    if not dots:
        return None
    scale = dollar_scale([value for *_, value in dots], _FROM, _RIGHT)
    drawing = _scatter(
        "Cost against pass rate, an episode each", "cost of an episode in US dollars", scale, dots,
        [(group, group.means["cost"]) for group, _ in groups],
    )  # fmt: skip
    unknown = sum(group.means["cost"].unknown for group, _ in groups)
    note = "A dot is an episode, a ring a group's mean."
    note += f" {unknown} episodes whose cost is unknown are left out." if unknown else ""
    return figure("Cost and passing", join(_group_legend(groups), drawing), note, name="plot-cost")


def _scatter(
    title: str,
    label: str,
    scale: Scale,
    dots: Sequence[tuple[int, int, Entry, float]],
    means: Sequence[tuple[Group, Mean]],
) -> Markup:
    top, bottom = 16, 300
    height = percent_scale(bottom, top)
    every = max(-(-len(dots) // MOST_DOTS), 1)
    marks = [
        tag(
            "circle",
            tag("title", f"{entry.key.id}: pass rate {numbers.percent(_reward(entry))} %"),
            cx=f"{scale.place(value):.1f}", cy=f"{height.place(_reward(entry)):.1f}", r=4, data_episode=number,
            class_=f"mark c{place % COLOURS}",
        )
        for place, number, entry, value in dots[::every]
    ]  # fmt: skip
    rings = [
        tag(
            "circle",
            tag("title", f"{group.label}: mean pass rate {numbers.percent(group.means['overall'].value)} %"),
            cx=f"{scale.place(mean.value):.1f}", cy=f"{height.place(group.means['overall'].value):.1f}", r=8,
            class_=f"ring c{place % COLOURS}",
        )
        for place, (group, mean) in enumerate(means[:MOST_GROUPS])
        if mean.value is not None and group.means["overall"].value is not None
    ]  # fmt: skip
    return _svg(
        bottom + 46, title, across(scale, top, bottom, label, (_FROM + _RIGHT) / 2),
        upwards(height, _FROM, _RIGHT, "pass rate", (top + bottom) / 2), *marks, *rings,
    )  # fmt: skip


def outcomes(groups: Sequence[Group]) -> Markup:
    """Return how the episodes of each group came out, as shares of those that are over."""
    shown = [group for group in groups if group.failures][:MOST_GROUPS]
    scale = percent_scale(_LEFT, _RIGHT)
    bottom = 16 + _ROW * len(shown)
    rows = []
    for number, group in enumerate(shown):
        y = 16 + _ROW * (number + 0.5)
        counts = [(name, group.failures.get(name, 0)) for name in FAILURE_CLASSES]
        rows.append(tag("g", _group_name(group, y), *_bar(counts, scale, y, group.label)))
    used = [name for name in FAILURE_CLASSES if any(group.failures.get(name) for group in shown)]
    legend = tag(
        "p", *(tag("span", name, class_=f"key out-{name}", title=FAILURE_CLASSES[name]) for name in used), class_="legend"
    )  # fmt: skip
    drawing = _svg(
        bottom + 46, "How the episodes of each group came out",
        across(scale, 10, bottom, "share of the episodes that are over", (_LEFT + _RIGHT) / 2), *rows,
    )  # fmt: skip
    note = "Point at a class for what it means." + _more(groups, shown)
    return figure("How episodes came out", join(legend, drawing), note, name="plot-outcomes")


def _bar(counts: Sequence[tuple[str, int]], scale: Scale, y: float, label: str) -> list[Markup]:
    total = sum(count for _, count in counts)
    ends = [0]
    for _, count in counts:
        ends.append(ends[-1] + count)
    return [
        tag(
            "rect", tag("title", f"{label}: {name} {count} of {total}"), x=f"{scale.place(begin / total):.1f}", y=y - 9,
            width=f"{max(scale.place(end / total) - scale.place(begin / total) - 1, 0.5):.1f}", height=18, rx=2,
            class_=f"bar out-{name}",
        )
        for (name, count), (begin, end) in zip(counts, pairwise(ends), strict=True)
        if count
    ]  # fmt: skip


def _group_name(group: Group, y: float) -> Markup:
    label = group.label
    cut = label if len(label) <= _SHOWN else f"{label[: _SHOWN - 1]}\u2026"
    return tag("text", tag("title", label), cut, x=_LEFT - 14, y=y + 4, class_="name", text_anchor="end")


def _group_legend(groups: Sequence[tuple[Group, object]]) -> Markup:
    keys = [
        tag("span", group.label, class_=f"key c{place % COLOURS}") for place, (group, _) in enumerate(groups)
    ]
    return tag("p", *keys[:MOST_GROUPS], class_="legend")


def _svg(height: float, title: str, *content: object) -> Markup:
    return tag("svg", *content, viewBox=f"0 0 {_WIDTH} {height:.0f}", role="img", aria_label=title)


def _more(groups: Sequence[Group], shown: Sequence[Group]) -> str:
    left = len(groups) - len(shown)
    return f" {left} groups have no bar here; the table has all." if left else ""


def _reward(entry: Entry) -> float:
    assert entry.row is not None and entry.row.reward is not None, "only of scored episodes"
    return entry.row.reward
