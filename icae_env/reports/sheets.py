"""A report as tables of texts, which every format lays out in its own way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from icae_env.reports import numbers
from icae_env.reports.failures import FAILURE_CLASSES
from icae_env.reports.intervals import wilson
from icae_env.reports.metrics import METRICS
from icae_env.reports.summary import Group, RunReport

_RATES = ("overall", "native", "enhanced", "public", "resolved")
_INTERACTION = ("coverage", "fallback", "budget", "questions")
_EFFORT = ("steps", "input_tokens", "output_tokens", "cost", "seconds")


class Sheet(BaseModel):
    """One table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """Which table it is."""
    title: str
    columns: tuple[str, ...]
    names: int
    """How many of the columns, from the left, name what the line is about; the others hold values."""
    lines: tuple[tuple[str, ...], ...]
    note: str = ""


def report_sheets(report: RunReport) -> list[Sheet]:
    """Return the tables of a report; those without lines are left out."""
    groups = with_all(report)
    sheets = [
        rates(report, groups),
        effort(report, groups),
        pass_k(report, groups),
        reached(report, groups),
        failures(report, groups),
        gaps(report),
        difficulty(report),
    ]
    return [sheet for sheet in sheets if sheet.lines]


def rates(report: RunReport, groups: Sequence[Group]) -> Sheet:
    """Return the pass rates."""
    return Sheet(
        name="rates",
        title="Pass rates in percent, with 95 % intervals",
        columns=(*report.by, "n", "infra", "unfinished", "tasks", *_RATES),
        names=len(report.by),
        lines=tuple(
            (
                *_names(report, group),
                *map(str, (group.scored, group.infra, group.unfinished, group.tasks)),
                *(numbers.mean(group.means[name], name, interval=True) for name in _RATES),
            )
            for group in groups
        ),
        note=(
            "n: scored episodes. infra and unfinished: episodes in no mean. Each task counts the same in a mean; intervals: "
            f"percentile bootstrap over tasks, then episodes, seed {report.seed}."
        ),
    )


def effort(report: RunReport, groups: Sequence[Group]) -> Sheet:
    """Return how users were asked, and what episodes took."""
    return Sheet(
        name="effort",
        title="Interaction in percent, and effort, per episode",
        columns=(
            *report.by,
            "n",
            "infra",
            *(METRICS[name].title for name in (*_INTERACTION, *_EFFORT)),
            "total cost",
        ),
        names=len(report.by),
        lines=tuple(
            (
                *_names(report, group),
                str(group.scored),
                str(group.infra),
                *(numbers.mean(group.means[name], name) for name in (*_INTERACTION, *_EFFORT)),
                numbers.total(group.totals["cost"], "cost"),
            )
            for group in groups
        ),
        note="Cost in US dollars. The total has the infra episodes in it. unknown: the service or the price table does not tell.",
    )


def pass_k(report: RunReport, groups: Sequence[Group]) -> Sheet:
    """Return pass@k and pass^k; without a line where nothing was repeated."""
    ks = [item.k for item in report.all.passes]
    return Sheet(
        name="pass_k",
        title="Resolved in k tries, in percent",
        columns=(*report.by, "settings", *(f"pass@{k}" for k in ks), *(f"pass^{k}" for k in ks[1:])),
        names=len(report.by),
        lines=tuple(
            (*_names(report, group), str(group.passes[0].settings), *_tries(group, ks))
            for group in groups
            if group.passes and len(ks) > 1
        ),
        note=(
            "pass@k: at least one of k episodes is resolved; pass^k: all k are. Unbiased, over the settings with at least k scored "
            "episodes; (n) where these are fewer."
        ),
    )


def _tries(group: Group, ks: Sequence[int]) -> Iterator[str]:
    by_k = {item.k: item for item in group.passes}
    for k, wanted in [*((k, "any") for k in ks), *((k, "all") for k in ks[1:])]:
        item = by_k.get(k)
        fewer = item is not None and item.settings < group.passes[0].settings
        said = numbers.NOTHING if item is None else numbers.percent(getattr(item, wanted))
        yield f"{said} ({item.settings})" if item is not None and fewer else said


def reached(report: RunReport, groups: Sequence[Group]) -> Sheet:
    """Return the shares of settings that reach a rate."""
    return Sheet(
        name="reached",
        title="Settings whose mean pass rate reaches a threshold, in percent with Wilson's 95 % interval",
        columns=(*report.by, "settings", *(f">= {item.threshold:.0%}" for item in report.all.shares)),
        names=len(report.by),
        lines=tuple(
            (
                *_names(report, group),
                str(group.shares[0].settings),
                *(
                    f"{numbers.percent(item.share)} [{numbers.percent(item.interval.low)}, "
                    f"{numbers.percent(item.interval.high)}]"
                    for item in group.shares
                ),
            )
            for group in groups
            if group.shares
        ),
        note="A setting is a task, level, language, agent and model.",
    )


def failures(report: RunReport, groups: Sequence[Group]) -> Sheet:
    """Return how many episodes ended in which class."""
    used = [name for name in FAILURE_CLASSES if report.all.failures.get(name)]
    return Sheet(
        name="failures",
        title="How episodes came out",
        columns=(*report.by, *used),
        names=len(report.by),
        lines=tuple(
            (*_names(report, group), *(str(group.failures.get(name, 0)) for name in used))
            for group in groups
            if used
        ),
        note="; ".join(f"{name}: {FAILURE_CLASSES[name]}" for name in used) + ".",
    )


def gaps(report: RunReport) -> Sheet:
    """Return the elicitation gap table."""
    counts = (
        "episodes", "asked", "answered", "implemented", "not_implemented", "guessed", "missed", "not_measured",
    )  # fmt: skip
    return Sheet(
        name="gaps",
        title="Elicitation gaps: episodes by what became of each hidden constraint",
        columns=("task", "level", "constraint", *(name.replace("_", " ") for name in counts)),
        names=3,
        lines=tuple(
            (line.task, line.level, line.constraint, *(str(getattr(line, name)) for name in counts))
            for line in report.gaps
        ),
        note=(
            "asked: a question touched it; answered: a reply revealed it. (not) implemented: it was told, and the cases that "
            "need it passed (or not); guessed: they passed untold; missed: neither."
        ),
    )


def difficulty(report: RunReport) -> Sheet:
    """Return the tasks by tier."""
    count = sum(map(len, report.tiers.values()))
    return Sheet(
        name="difficulty",
        title="Tasks by difficulty",
        columns=("tier", "which", "tasks", "share in percent"),
        names=2,
        lines=tuple(
            (tier, ", ".join(names), str(len(names)), _share(len(names), count))
            for tier, names in report.tiers.items()
            if count > 1
        ),
        note="By the mean pass rate over all players: hard below 1/3, easy from 2/3; hardest first.",
    )


def with_all(report: RunReport) -> list[Group]:
    """Return the groups and, where they are several, all episodes as a last one."""
    return [*report.groups, report.all] if len(report.groups) > 1 else list(report.groups)


def _names(report: RunReport, group: Group) -> Iterator[str]:
    if group.name:
        yield from group.name.values()
    else:
        yield from ("all", *("" for _ in report.by[1:])) if report.by else ()


def _share(hits: int, n: int) -> str:
    interval = wilson(hits, n)
    if interval is None:
        return numbers.NOTHING
    return f"{numbers.percent(hits / n)} [{numbers.percent(interval.low)}, {numbers.percent(interval.high)}]"
