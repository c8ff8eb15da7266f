"""The page's tables and tiles."""

from __future__ import annotations

from collections.abc import Iterable

from icae_env.reports import numbers
from icae_env.reports.elicitation import ConstraintLine
from icae_env.reports.html.markup import Markup, join, tag
from icae_env.reports.sheets import Sheet
from icae_env.reports.summary import RunReport

_LONG = 30
"""Characters from which a name may take several lines."""
_GAPS = ("implemented", "not_implemented", "guessed", "missed", "not_measured")


def tiles(report: RunReport) -> Markup:
    """Return the numbers that people look for first."""
    group = report.all
    overall, resolved = group.means["overall"], group.means["resolved"]
    return tag(
        "div",
        _tile("Pass rate", _percent(overall.value), _interval(report), "main"),
        _tile("Resolved", _percent(resolved.value), f"of {resolved.n} episodes"),
        _tile("Episodes", str(group.scored), f"scored, of {group.tasks} tasks"),
        _tile(
            "Not measured",
            str(group.infra),
            f"infra; {group.unfinished} unfinished",
            "warn" if group.infra else "",
        ),
        _tile("Questions", numbers.mean(group.means["questions"], "questions"), "an episode"),
        _tile("Coverage", _percent(group.means["coverage"].value), "of the hidden constraints"),
        _tile("Cost", _cost(report), "US dollars, infra among it"),
        class_="tiles",
    )


def _tile(name: str, value: str, note: str, kind: str = "") -> Markup:
    return tag(
        "div",
        tag("span", name, class_="tile-name"),
        tag("span", value, class_="tile-value"),
        tag("span", note, class_="tile-note"),
        class_=f"tile {kind}".strip(),
    )


def _percent(value: float | None) -> str:
    return numbers.NOTHING if value is None else f"{numbers.percent(value)} %"


def _interval(report: RunReport) -> str:
    interval = report.all.means["overall"].interval
    if interval is None:
        return f"n {report.all.scored}"
    return f"95 %: {numbers.percent(interval.low)} to {numbers.percent(interval.high)}"


def _cost(report: RunReport) -> str:
    total = report.all.totals["cost"]
    if total.value is None:
        return numbers.UNKNOWN if total.unknown else numbers.NOTHING
    return ("\u2265 " if total.unknown else "") + numbers.number(total.value, "dollars")


def table(sheet: Sheet) -> Markup:
    """Return a table with its note."""
    head = tag(
        "tr", *(tag("th", name, scope="col", class_=_side(sheet, n)) for n, name in enumerate(sheet.columns))
    )
    lines = [
        tag(
            "tr",
            *(_cell(cell, named=n < sheet.names) for n, cell in enumerate(line)),
            class_="all" if line[:1] == ("all",) else None,
        )
        for line in sheet.lines
    ]
    caption = tag("caption", sheet.title)
    inner = tag("table", caption, tag("thead", head), tag("tbody", *lines))
    note = tag("p", sheet.note, class_="note") if sheet.note else ""
    return join(tag("div", inner, class_="scroll", tabindex="0", role="region", aria_label=sheet.title), note)


def _cell(text: str, *, named: bool) -> Markup:
    """Return a cell; of a value its interval, or how many are unknown, stands in smaller letters below."""
    if named:
        return tag("th", text, scope="row", class_="long" if len(text) > _LONG else None)
    value, mark, more = text.partition(" [") if " [" in text else text.partition(" (")
    return tag("td", value, tag("small", mark.strip() + more) if mark else "", class_="value")


def _side(sheet: Sheet, number: int) -> str | None:
    return None if number < sheet.names else "value"


def gap_bars(lines: Iterable[ConstraintLine]) -> Markup:
    """Return the elicitation gap table, each line with a bar of what became of the constraint."""
    head = ("task", "level", "constraint", "episodes", "asked", "answered")
    keys = tag("p", *(tag("span", _words(name), class_=f"key gap-{name}") for name in _GAPS), class_="legend")
    rows = [
        tag(
            "tr",
            tag("th", line.task, scope="row"), tag("td", line.level), tag("td", tag("code", line.constraint)),
            *(tag("td", str(count), class_="value") for count in (line.episodes, line.asked, line.answered)),
            tag("td", _gap_bar(line)), *(tag("td", str(getattr(line, name)), class_="value") for name in _GAPS),
        )
        for line in lines
    ]  # fmt: skip
    columns = [*(tag("th", name, scope="col") for name in (*head, "what became of it"))]
    columns += [tag("th", _words(name), scope="col", class_="value") for name in _GAPS]
    inner = tag("table", tag("thead", tag("tr", *columns)), tag("tbody", *rows), id="gap-table")
    return join(
        keys,
        tag("div", inner, class_="scroll tall", tabindex="0", role="region", aria_label="Elicitation gaps"),
    )


def _gap_bar(line: ConstraintLine) -> Markup:
    x, parts = 0.0, []
    for name in _GAPS:
        width = 180 * getattr(line, name) / line.episodes
        if width:
            parts.append(
                tag("rect", x=f"{x:.1f}", y=0, width=f"{width:.1f}", height=12, class_=f"gap-{name}")
            )
        x += width
    said = ", ".join(f"{_words(name)} {getattr(line, name)}" for name in _GAPS if getattr(line, name))
    return tag(
        "svg", tag("title", said), *parts, viewBox="0 0 180 12", class_="gap-bar", role="img", aria_label=said
    )


def _words(name: str) -> str:
    return name.replace("_", " ")
