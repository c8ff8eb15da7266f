"""Put the page together.

It needs no network and no other file. Its policy lets it load nothing and run only its own script (by digest), and bars every way
of turning text into markup. What episodes printed is in it as packed data, unpacked when someone opens the episode, and is
shown as text only.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from importlib import resources

from icae_env.reports.html import blocks, plots
from icae_env.reports.html.episodes import COLUMNS, line, values
from icae_env.reports.html.markup import Markup, join, tag
from icae_env.reports.html.packing import BUDGET, pack_all
from icae_env.reports.rows import Entry, Rows
from icae_env.reports.sheets import rates, report_sheets, with_all
from icae_env.reports.summary import BY, By, Group, RunReport, grouped

STYLES = ("page.css", "viewer.css")
SCRIPTS = ("elements.js", "list.js", "steps.js", "cases.js", "viewer.js")
_BREAKDOWNS: tuple[By, ...] = ("level", "language", "domain", "task")


def page(rows: Rows, report: RunReport, *, budget: int = BUDGET) -> str:
    """Return the page.

    Args:
        rows: The episodes.
        report: Their report.
        budget: Bytes that the packed episodes may take.
    """
    style, script = _texts(STYLES), _texts(SCRIPTS)
    title = f"icae report: {', '.join(report.runs)}"
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        tag("title", title),
        Markup(f"<style>{style}</style>"),
    )
    body = tag(
        "body", _main(rows, report), _viewer(), _data(rows, budget), Markup(f"<script>{script}</script>")
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _texts(names: tuple[str, ...]) -> str:
    folder = resources.files("icae_env.reports.html")
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def _policy(style: str, script: str) -> str:
    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    return (
        f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _main(rows: Rows, report: RunReport) -> Markup:
    sheets = [blocks.table(sheet) for sheet in report_sheets(report) if sheet.name not in ("rates", "gaps")]
    made = datetime.now(UTC)
    header = tag(
        "header",
        tag("p", "icae_env run report", class_="eyebrow"),
        tag("h1", ", ".join(report.runs)),
        tag("p", f"Made {made:%Y-%m-%d %H:%M} UTC \u00b7 grouped by {', '.join(report.by)}", class_="note"),
        blocks.tiles(report),
    )
    return tag(
        "main",
        header,
        _section("results", "Results", blocks.table(rates(report, with_all(report)))),
        _section("plots", "Plots", tag("div", *_plots(rows, report), class_="plots")),
        _section("breakdowns", "By level, language, domain and task", *_breakdowns(rows, report)),
        _section("gaps", "Elicitation gaps", blocks.gap_bars(report.gaps)) if report.gaps else "",
        _section("more", "Interaction, effort, repeats, failures", *sheets),
        _section("episodes", "Episodes", _list()),
    )


def _section(name: str, title: str, *content: object) -> Markup:
    heading = tag("h2", title, id=f"{name}-title")
    return tag("section", heading, *content, id=name, aria_labelledby=f"{name}-title")


def _plots(rows: Rows, report: RunReport) -> Iterator[Markup]:
    yield plots.rates(report.groups)
    yield plots.outcomes(report.groups)
    members = _members(rows, report)
    yield plots.coverage(members) or _empty(
        "Asking and passing", "No episode hides constraints.", "plot-coverage"
    )
    yield plots.cost(members) or _empty("Cost and passing", "No episode's cost is known.", "plot-cost")


def _empty(title: str, said: str, name: str) -> Markup:
    return plots.figure(title, tag("p", said, class_="nothing"), name=name)


def _members(rows: Rows, report: RunReport) -> list[tuple[Group, list[tuple[int, Entry]]]]:
    found: dict[tuple[str, ...], list[tuple[int, Entry]]] = {}
    for number, entry in enumerate(rows.entries):
        found.setdefault(tuple(BY[name](entry) for name in report.by), []).append((number, entry))
    return [(group, found[tuple(group.name.values())]) for group in report.groups]


def _breakdowns(rows: Rows, report: RunReport) -> Iterator[Markup]:
    for name in _BREAKDOWNS:
        groups = grouped(rows, [name], seed=report.seed)
        sheet = rates(report.model_copy(update={"by": (name,)}), groups)
        summary = tag("summary", f"By {name} ", tag("span", str(len(groups)), class_="count"))
        opened = {"open": ""} if name == "level" else {}
        yield tag("details", summary, blocks.table(sheet.model_copy(update={"note": ""})), **opened)


def _list() -> Markup:
    search = tag(
        "label", "Find ", Markup('<input type="search" id="find" placeholder="task, model, seed ..." autocomplete="off">')
    )  # fmt: skip
    only = tag("label", "Came out ", tag("select", tag("option", "all", value=""), id="only"))
    return join(
        tag(
            "div",
            search,
            only,
            tag("span", "", id="found", class_="note", role="status"),
            class_="bar-of-controls",
        ),
        tag(
            "div",
            tag("table", tag("thead", "", id="list-head"), tag("tbody", "", id="list-body"), id="list"),
            class_="scroll",
        ),
        tag("nav", "", id="list-pages", class_="pages", aria_label="Pages of the list"),
        tag("noscript", tag("p", "The list of episodes and their trajectories need JavaScript.")),
    )


def _viewer() -> Markup:
    return tag("dialog", tag("div", "", id="viewer-body"), id="viewer", aria_labelledby="viewer-title")


def _data(rows: Rows, budget: int) -> Markup:
    index = {"columns": COLUMNS, "lines": [line(entry) for entry in rows.entries]}
    packed = pack_all([partial(values, entry) for entry in rows.entries], budget)
    kept = [
        Markup(f'<script type="text/plain" id="episode-{number}">{text}</script>')
        for number, text in enumerate(packed)
        if text is not None
    ]
    # As JSON within a script element "<" could begin its end.
    text = json.dumps(index, separators=(",", ":")).replace("<", "\\u003c")
    return join(Markup(f'<script type="application/json" id="index">{text}</script>'), *kept)
