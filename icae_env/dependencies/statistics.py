"""Measures of groups of projects: fit and growth (M2-M4), agreement (M5, M6), needless packages (M7), size and success."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import fmean, median
from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.dependencies.instance import Instance, kept
from icae_env.dependencies.metrics import ProjectMetrics, gaps, jaccard, project_metrics
from icae_env.errors import MissingDependencyError


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Mean(_Frozen):
    """A mean over the projects for which a measure is defined."""

    value: float | None
    """None where there is none."""
    n: int
    """Projects in it."""
    median: float | None


class Specification(_Frozen):
    """M2, M3 and M4 of a group, over the projects that ran in the end."""

    projects: int
    """Projects that ran."""
    phantom: Mean
    hidden: Mean
    bloat: Mean
    precision: Mean
    recall: Mean
    f1: Mean
    """Mean of the projects' F1, not F1 of the means."""
    rho: Mean
    transitive: Mean


class Agreement(_Frozen):
    """M5: how alike the packages are that two agents declare for the same task in the same ecosystem."""

    pairs: int
    mean: float | None
    """Mean Jaccard similarity; None where there is no pair."""
    cdr: float | None
    """Share of pairs that share nothing."""


class Stability(_Frozen):
    """M6: how alike the packages are that an agent declares in repeated trials."""

    tasks: int
    """Tasks whose declared packages are known in all trials."""
    mean: float | None
    """Mean Jaccard similarity of pairs of trials."""
    median: float | None
    """Median of the same."""
    identical: int
    """Tasks for which all trials declare the same."""
    ucr: float | None
    """identical / tasks."""
    union: float | None
    """Mean packages that any of the trials declares."""
    core: float | None
    """Mean packages that all of them declare."""


class Needless(_Frozen):
    """M7: packages where the standard library is enough."""

    tasks: int
    """Projects for which it is enough and whose declared packages are known."""
    declaring: int
    """Of those, the ones that declare at least one."""
    udr: float | None
    """declaring / tasks; None where there are none."""


class Correlation(_Frozen):
    """Spearman's rank correlation of the number of declared packages with success at the first attempt."""

    n: int
    rho: float | None
    """None where it is not defined: fewer than three projects, or one of the two is the same for all."""
    p: float | None
    """Two-sided."""


def mean(values: Iterable[float | None]) -> Mean:
    """Return mean and median of those values that are defined."""
    known = [value for value in values if value is not None]
    return Mean(value=fmean(known) if known else None, n=len(known), median=median(known) if known else None)


def measured(instances: Iterable[Instance]) -> list[ProjectMetrics]:
    """Return the measures of the projects of trial 0 that ran in the end."""
    ran = kept(instances, lambda item: item.depth is not None)
    return [project_metrics(item.layers) for item in ran if item.layers is not None]


def specification(instances: Iterable[Instance]) -> Specification:
    """Return M2, M3 and M4; projects for which a measure is not defined are left out of its mean."""
    found = measured(instances)
    means = {
        name: mean(getattr(item, name) for item in found)
        for name in ("phantom", "hidden", "bloat", "precision", "recall", "f1", "rho", "transitive")
    }
    return Specification(projects=len(found), **means)


def agreement(instances: Iterable[Instance]) -> dict[tuple[str, str], Agreement]:
    """Return M5 for each pair of agents, in the order of their names.

    A pair counts where both agents' first manifests could be read, whether or not the projects ran.
    """
    found = _similarities(instances)
    return {pair: _agreement(found[pair]) for pair in sorted(found)}


def overall_agreement(instances: Iterable[Instance]) -> Agreement:
    """Return M5 over all pairs of agents together."""
    return _agreement([value for values in _similarities(instances).values() for value in values])


def _similarities(instances: Iterable[Instance]) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    by_task: dict[tuple[str, str], dict[str, frozenset[str]]] = {}
    for item in kept(instances):
        if item.declared is not None:
            by_task.setdefault((item.task, item.ecosystem), {})[item.agent] = item.declared
    for sets in by_task.values():
        for one, other in combinations(sorted(sets), 2):
            found.setdefault((one, other), []).append(jaccard(sets[one], sets[other]))
    return found


def macro(values: Iterable[float | None]) -> float | None:
    """Return the mean of ecosystems' rates, each with the same weight; None where none is defined."""
    return mean(values).value


def _agreement(values: Sequence[float]) -> Agreement:
    if not values:
        return Agreement(pairs=0, mean=None, cdr=None)
    return Agreement(
        pairs=len(values), mean=fmean(values), cdr=sum(value == 0 for value in values) / len(values)
    )


def stability(instances: Iterable[Instance], trials: int = 3) -> Stability:
    """Return M6.

    Args:
        instances: Projects of all trials.
        trials: How many trials a task must have; with fewer whose declared packages are known, it is left out.
    """
    found: dict[tuple[str, str, str], dict[int, frozenset[str]]] = {}
    for item in instances:
        if item.infra is None and item.declared is not None:
            found.setdefault((item.agent, item.task, item.ecosystem), {})[item.trial] = item.declared
    whole = [list(sets.values()) for sets in found.values() if len(sets) == trials]
    alike = [jaccard(one, other) for sets in whole for one, other in combinations(sets, 2)]
    if not whole or not alike:
        return Stability(tasks=0, mean=None, median=None, identical=0, ucr=None, union=None, core=None)
    identical = sum(len(set(sets)) == 1 for sets in whole)
    return Stability(
        tasks=len(whole), mean=fmean(alike), median=median(alike), identical=identical, ucr=identical / len(whole),
        union=fmean(len(frozenset.union(*sets)) for sets in whole),
        core=fmean(len(frozenset.intersection(*sets)) for sets in whole),
    )  # fmt: skip


def needless(instances: Iterable[Instance]) -> Needless:
    """Return M7 over the projects of trial 0 whose tasks the standard library is enough for."""
    found = [item.declared for item in kept(instances, lambda item: item.stdlib_sufficient is True)]
    known = [declared for declared in found if declared is not None]
    declaring = sum(bool(declared) for declared in known)
    return Needless(tasks=len(known), declaring=declaring, udr=declaring / len(known) if known else None)


def size_and_success(instances: Iterable[Instance]) -> Correlation:
    """Return how the number of declared packages goes with success at the first attempt.

    Raises:
        MissingDependencyError: SciPy is not installed.
    """
    known = [(len(item.declared), item.depth == 0) for item in kept(instances) if item.declared is not None]
    sizes, successes = [size for size, _ in known], [int(success) for _, success in known]
    if len(known) < 3 or len(set(sizes)) == 1 or len(set(successes)) == 1:
        return Correlation(n=len(known), rho=None, p=None)
    try:
        from scipy import stats  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415 - on first use
    except ImportError as error:
        raise MissingDependencyError(
            "scipy",
            needed_for="Spearman's correlation",
            install="pip install 'icae-env[dependencies]'",
        ) from error
    found = stats.spearmanr(sizes, successes)
    return Correlation(n=len(known), rho=float(found.statistic), p=float(found.pvalue))


def frequent(
    instances: Iterable[Instance], gap: Literal["phantom", "hidden"], most: int = 5
) -> list[tuple[str, int]]:
    """Return the packages that are most often in a gap, each with its number of projects; equal ones by name.

    Args:
        instances: Projects of trial 0; all of which all layers that are needed were measured, whether or not they ran.
        gap: Which gap.
        most: How many packages.
    """
    counts: Counter[str] = Counter()
    for item in kept(instances):
        if item.layers is not None:
            counts.update(getattr(gaps(item.layers), gap) or ())
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:most]
