"""What a report says: the episodes by group, with means, intervals and counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from icae_env.reports.elicitation import ConstraintLine, gap_table
from icae_env.reports.failures import FailureClass, classify
from icae_env.reports.intervals import Interval, bootstrap, mean_of_clusters
from icae_env.reports.metrics import METRICS, TOTALS
from icae_env.reports.passing import PassK, Share, Tier, passes, shares, tiers
from icae_env.reports.rows import UNKNOWN, Entry, Rows

By = Literal["task", "level", "language", "domain", "agent", "model", "run", "episode"]
BY: dict[By, Callable[[Entry], str]] = {
    "task": lambda entry: entry.key.task,
    "level": lambda entry: entry.key.level,
    "language": lambda entry: entry.language,
    "domain": lambda entry: (entry.row and entry.row.domain) or UNKNOWN,
    "agent": lambda entry: entry.player,
    "model": lambda entry: entry.model,
    "run": lambda entry: entry.run,
    "episode": lambda entry: entry.key.id,
}
"""What episodes can be grouped by."""


T = TypeVar("T")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Mean(_Frozen):
    """A mean over the scored episodes of a group, in which each task counts the same."""

    value: float | None
    """None where no episode tells it."""
    interval: Interval | None
    """95 %, by a bootstrap over tasks and then episodes; None with fewer than two values."""
    n: int
    """Episodes it is over."""
    unknown: int
    """Scored episodes that do not tell it; they are not in the mean."""


class Total(_Frozen):
    """A sum over all episodes of a group that are over."""

    value: float | None
    """Of those that tell it: a lower bound if any does not. None if none does."""
    unknown: int
    """Episodes that do not tell it."""


class Group(_Frozen):
    """Some of the episodes."""

    name: Mapping[str, str]
    """What they have in common: the group's value by what was grouped by; empty for all episodes."""
    scored: int
    infra: int
    """Over, and nothing was measured: in no mean."""
    unfinished: int
    """Asked for, and not over: in no mean."""
    tasks: int
    """Different tasks among the scored."""
    means: Mapping[str, Mean]
    """By the names of ``METRICS``."""
    totals: Mapping[str, Total]
    passes: tuple[PassK, ...]
    shares: tuple[Share, ...]
    failures: Mapping[FailureClass, int]
    """Episodes that are over, by class."""
    ends: Mapping[str, int]
    """Episodes by what ended them."""

    @property
    def label(self) -> str:
        """The values of ``name`` as one text."""
        return " / ".join(self.name.values()) or "all"


class RunReport(_Frozen):
    """All that a report says."""

    runs: tuple[str, ...]
    seed: int
    """Of the bootstrap."""
    all: Group
    by: tuple[By, ...]
    groups: tuple[Group, ...]
    """In the order of their names."""
    gaps: tuple[ConstraintLine, ...]
    tiers: Mapping[Tier, tuple[str, ...]]
    """Tasks by difficulty, over all players."""


def summarise(rows: Rows, by: Sequence[By] = ("agent", "model"), *, seed: int = 0) -> RunReport:
    """Return the report of some episodes.

    Args:
        rows: The episodes.
        by: What to group by; several give a group for each combination that occurs.
        seed: Seed of the bootstrap.
    """
    return RunReport(
        runs=rows.runs,
        seed=seed,
        all=group(rows.entries, {}, seed=seed),
        by=tuple(by),
        groups=grouped(rows, by, seed=seed),
        gaps=gap_table(rows),
        tiers=tiers(_task_means(rows.entries)),
    )


def grouped(rows: Rows, by: Sequence[By], *, seed: int = 0) -> tuple[Group, ...]:
    """Return the groups of some episodes, in the order of their names."""
    found: dict[tuple[str, ...], list[Entry]] = {}
    for entry in rows.entries:
        found.setdefault(tuple(BY[name](entry) for name in by), []).append(entry)
    return tuple(
        group(entries, dict(zip(by, values, strict=True)), seed=seed)
        for values, entries in sorted(found.items())
    )


def group(entries: Sequence[Entry], name: Mapping[str, str], *, seed: int = 0) -> Group:
    """Return what some episodes have in common, measured."""
    scored = [entry for entry in entries if entry.scored is not None]
    return Group(
        name=name,
        scored=len(scored),
        infra=sum(entry.infra for entry in entries),
        unfinished=sum(entry.row is None for entry in entries),
        tasks=len({entry.key.task for entry in scored}),
        means={metric: _mean(scored, metric, seed) for metric in METRICS},
        totals={metric: _total(entries, metric) for metric in TOTALS},
        passes=passes(_by_setting(scored, lambda entry: bool(entry.row and entry.row.resolved)).values()),
        shares=shares([math.fsum(rates) / len(rates) for rates in _by_setting(scored, _reward).values()]),
        failures=_count(classify(entry) for entry in entries),
        ends=_count(entry.row.end or entry.row.status for entry in entries if entry.row),
    )


def _reward(entry: Entry) -> float:
    assert entry.row is not None and entry.row.reward is not None, "only of scored episodes"
    return entry.row.reward


def _mean(scored: Iterable[Entry], metric: str, seed: int) -> Mean:
    clusters: dict[str, list[float]] = {}
    unknown = 0
    for entry in scored:
        value = METRICS[metric].read(entry.row) if entry.row else None
        if value is None:
            unknown += 1
        else:
            clusters.setdefault(entry.key.task, []).append(value)
    return Mean(
        value=mean_of_clusters(clusters),
        interval=bootstrap(clusters, seed=seed),
        n=sum(map(len, clusters.values())),
        unknown=unknown,
    )


def _total(entries: Iterable[Entry], metric: str) -> Total:
    values = [METRICS[metric].read(entry.row) for entry in entries if entry.row]
    known = [value for value in values if value is not None]
    return Total(value=math.fsum(known) if known else None, unknown=len(values) - len(known))


def _by_setting(entries: Iterable[Entry], read: Callable[[Entry], T]) -> dict[tuple[str, ...], list[T]]:
    found: dict[tuple[str, ...], list[T]] = {}
    for entry in entries:
        found.setdefault(entry.setting, []).append(read(entry))
    return found


def _count(names: Iterable[T | None]) -> dict[T, int]:
    counts: dict[T, int] = {}
    for name in names:
        if name is not None:
            counts[name] = counts.get(name, 0) + 1
    return counts


def _task_means(entries: Iterable[Entry]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for entry in entries:
        if entry.scored is not None:
            found.setdefault(entry.key.task, []).append(_reward(entry))
    return {task: math.fsum(rates) / len(rates) for task, rates in found.items()}
