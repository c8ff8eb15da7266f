"""A study's figures: the paper's Figures 4 to 10 from run data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from icae_env.dependencies.convergence import FAILED, Convergence
from icae_env.dependencies.instance import Instance, kept, strata
from icae_env.dependencies.metrics import project_metrics
from icae_env.reports.dependencies.charts import BAD, COLOURS, Bars, Part, bar_chart, box_chart, grid_chart
from icae_env.reports.dependencies.study import ALL, Line, StudyReport
from icae_env.reports.dependencies.tables import language, percent
from icae_env.reports.html.markup import Markup

HALF = 0.5
"""The dotted line of figure 9."""


def study_figures(report: StudyReport, instances: Iterable[Instance]) -> dict[str, Markup]:
    """Return the figures by name (``figure-4-first-attempts``, ...), each a whole SVG; those without data are left out.

    Args:
        report: The study's measures.
        instances: The same projects that they were taken from.
    """
    items = list(instances)
    agents = [line for line in report.convergence if line.name["agent"] != ALL]
    found = {
        "figure-4-first-attempts": first_attempts(items) if agents else None,
        "figure-5-repairs": repairs(agents) if agents else None,
        "figure-6-convergence": converging(agents, "ecosystem", "Convergence by language")
        if agents
        else None,
        "figure-7-gaps": gap_rates(report) if agents else None,
        "figure-8-growth": growth(items),
        "figure-9-agreement": agreeing(report) if report.agreement else None,
        "figure-10-domains": converging(report.domains, "domain", "Convergence by domain")
        if report.domains
        else None,
    }
    return {name: figure for name, figure in found.items() if figure is not None}


def first_attempts(items: Sequence[Instance]) -> Markup:
    """Return figure 4: for each agent and language, and each task, whether the first attempt ran."""
    tasks = list(dict.fromkeys(item.task for item in items))
    rows = []
    for group in strata(items, ("agent", "ecosystem")):
        ran = {item.task: item.depth == 0 for item in kept(group.instances)}
        name = f"{group.name['agent']}, {language(group.name['ecosystem'])}"
        rows.append((name, [(task, ran.get(task)) for task in tasks]))
    return grid_chart("Success at the first attempt, a task each", rows)


def repairs(lines: Sequence[Line[Convergence]]) -> Markup:
    """Return figure 5: how many repairs projects took."""
    names = list(lines[0].measures.buckets)
    colours = dict(zip(names, (*COLOURS[: len(names) - 1], BAD), strict=True))
    groups = [
        Bars(f"{line.name['agent']}, {language(line.name['ecosystem'])}", [[
            Part(count / line.measures.n, colours[name], f"{name}: {count} of {line.measures.n}")
            for name, count in line.measures.buckets.items() if count
        ]])
        for line in lines if line.measures.n
    ]  # fmt: skip
    said = [(name if name == FAILED else f"{name} repairs", colour) for name, colour in colours.items()]
    return bar_chart("Repairs until a project ran", "share of projects", groups, said)


def converging(lines: Sequence[Line[Convergence]], key: str, title: str) -> Markup:
    """Return figure 6 or 10: success at the first attempt, and hatched what repairs bring."""
    agents = list(dict.fromkeys(line.name["agent"] for line in lines))
    colours = {agent: COLOURS[number % len(COLOURS)] for number, agent in enumerate(agents)}
    groups: dict[str, list[list[Part]]] = {}
    for line in lines:
        first, gain = line.measures.first, line.measures.gain
        if first is None or gain is None:
            continue
        agent = line.name["agent"]
        groups.setdefault(line.name[key], []).append([
            Part(first, colours[agent], f"{agent}: SR(0) {percent(first)} %"),
            Part(gain, colours[agent], f"{agent}: gain {percent(gain)} %", hatched=True),
        ])  # fmt: skip
    bars = [Bars(language(name), parts) for name, parts in groups.items()]
    return bar_chart(f"{title}; hatched: gain by repairs", "share of projects", bars, list(colours.items()))


def gap_rates(report: StudyReport) -> Markup:
    """Return figure 7: phantom, hidden and bloat rates by language, pooled over agents."""
    names = ("phantom", "hidden", "bloat")
    groups = []
    for line in report.specification:
        if line.name["agent"] == ALL:
            means = [
                (name, COLOURS[number], getattr(line.measures, name).value)
                for number, name in enumerate(names)
            ]
            parts = [
                [Part(value, colour, f"{name}: {percent(value)} %")]
                for name, colour, value in means
                if value is not None
            ]
            groups.append(Bars(language(line.name["ecosystem"]), parts))
    return bar_chart(
        "Phantom, hidden and bloat rates", "mean rate", groups, list(zip(names, COLOURS, strict=False))
    )


def growth(items: Sequence[Instance]) -> Markup | None:
    """Return figure 8: installed packages for one that is declared, by language; None where it is defined nowhere."""
    boxes = []
    for group in strata(kept(items, lambda item: item.depth is not None), ("ecosystem",)):
        found = [project_metrics(item.layers).rho for item in group.instances if item.layers is not None]
        known = [value for value in found if value is not None]
        if known:
            boxes.append((language(group.name["ecosystem"]), known))
    return box_chart("Installed packages for one declared", "rho, logarithmic", boxes) if boxes else None


def agreeing(report: StudyReport) -> Markup:
    """Return figure 9: how alike the packages are that two agents declare, by language."""
    lines = [line for line in report.agreement if line.name["agents"] != ALL]
    pairs = list(dict.fromkeys(line.name["agents"] for line in lines))
    colours = {pair: COLOURS[number % len(COLOURS)] for number, pair in enumerate(pairs)}
    groups: dict[str, list[list[Part]]] = {}
    for line in lines:
        pair, value = line.name["agents"], line.measures.mean or 0.0
        groups.setdefault(line.name["ecosystem"], []).append(
            [Part(value, colours[pair], f"{pair}: {value:.3f}")]
        )
    bars = [Bars(language(name), parts) for name, parts in groups.items()]
    return bar_chart(
        "Agreement on declared packages", "mean Jaccard similarity", bars, list(colours.items()), mark=HALF
    )
