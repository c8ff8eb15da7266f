"""A study on one page that needs no network and no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from icae_env.reports.dependencies.study import StudyReport
from icae_env.reports.html.markup import Markup, tag
from icae_env.reports.sheets import Sheet

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}"
    "table{border-collapse:collapse}td,th{padding:.2rem .7rem;border-bottom:1px solid #ddd;text-align:right}"
    "td.name,th.name{text-align:left}.scroll{overflow-x:auto}figure{margin:1.5rem 0}"
    "figcaption{font-weight:600}svg{max-width:100%;max-height:28rem}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def study_page(report: StudyReport, tables: Sequence[Sheet], figures: Mapping[str, Markup]) -> str:
    """Return the page: figures, then tables."""
    head = tag(
        "head", Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", "icae: dependency study"), tag("style", Markup(_STYLE)),
    )  # fmt: skip
    said = f"{report.projects} projects, {len(report.left_out)} left out; at most {report.budget} repairs."
    drawn = [
        tag("figure", tag("figcaption", _caption(name)), drawing, id=name)
        for name, drawing in figures.items()
    ]
    body = tag("body", tag("h1", "Dependency study"), tag("p", said), *drawn, *map(_table, tables))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _caption(name: str) -> str:
    """Return a figure's caption from its name: ``figure-4-first-attempts`` is Figure 4: first attempts."""
    _, number, words = name.split("-", 2)
    return f"Figure {number}: {words.replace('-', ' ')}"


def _table(sheet: Sheet) -> Markup:
    head = tag("tr", *(_cell("th", text, number < sheet.names) for number, text in enumerate(sheet.columns)))
    rows = [
        tag("tr", *(_cell("td", text, number < sheet.names) for number, text in enumerate(line)))
        for line in sheet.lines
    ]
    table = tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="scroll")
    return tag(
        "section",
        tag("h2", sheet.title),
        table,
        tag("p", sheet.note) if sheet.note else "",
        id=f"table-{sheet.name}",
    )


def _cell(kind: str, text: str, name: bool) -> Markup:
    return tag(kind, text, class_="name" if name else None)
