"""A study's measures, by stratum and pooled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from icae_env.dependencies.convergence import Convergence, EnvironmentGap, convergence, environment_gap
from icae_env.dependencies.instance import BUDGET, By, Instance, strata
from icae_env.dependencies.statistics import (
    Agreement,
    Correlation,
    Needless,
    Specification,
    Stability,
    agreement,
    frequent,
    macro,
    needless,
    overall_agreement,
    size_and_success,
    specification,
    stability,
)

T = TypeVar("T")
TRIALS = 3
"""Trials that a task needs for M6."""
ALL = "All"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(_Frozen, Generic[T]):
    """Measures of one group of projects."""

    name: dict[str, str]
    """What the group shares: agent, ecosystem, domain; ``All`` where it is pooled over one of them."""
    measures: T


class Frequency(_Frozen):
    """How many projects of an ecosystem have a package in a gap."""

    package: str
    projects: int


class LeftOut(_Frozen):
    """A project that the host could not measure."""

    agent: str
    task: str
    ecosystem: str
    trial: int
    reason: str


class StudyReport(_Frozen):
    """Everything that a study's tables and figures show."""

    budget: int
    """Repairs that a project could have (k)."""
    projects: int
    """All projects of all trials, those left out among them."""
    left_out: tuple[LeftOut, ...]
    convergence: tuple[Line[Convergence], ...]
    """M1 by agent and ecosystem, and pooled over agents (agent ``All``)."""
    domains: tuple[Line[Convergence], ...]
    """M1 by agent and domain."""
    specification: tuple[Line[Specification], ...]
    """M2 to M4 by agent and ecosystem, and pooled over agents."""
    agreement: tuple[Line[Agreement], ...]
    """M5 by ecosystem and pair of agents (``one, other``), and over all pairs (agents ``All``)."""
    mean_cdr: float | None
    """Mean over ecosystems of the share of pairs that share nothing."""
    stability: tuple[Line[Stability], ...]
    """M6 by agent and ecosystem, of agents with repeated trials."""
    needless: tuple[Line[Needless], ...]
    """M7 by agent and ecosystem; of those with tasks that the standard library is enough for."""
    mean_udr: dict[str, float | None]
    """Mean over ecosystems of M7, by agent."""
    environment_gap: tuple[Line[EnvironmentGap], ...]
    """M8 by agent; of those with C++ projects."""
    correlation: tuple[Line[Correlation], ...]
    """Size of the manifest and success, by ecosystem."""
    phantoms: tuple[Line[tuple[Frequency, ...]], ...]
    hiddens: tuple[Line[tuple[Frequency, ...]], ...]
    """Most frequent packages in a gap, by ecosystem."""


def study_report(instances: Iterable[Instance], *, budget: int = BUDGET, most: int = 5) -> StudyReport:
    """Return the measures M1 to M8 of a study.

    Args:
        instances: Its projects, of all agents, tasks, ecosystems and trials.
        budget: Repairs that a project could have.
        most: How many packages the frequency tables name.

    Raises:
        MissingDependencyError: SciPy, for the correlation, is not installed.
    """
    items = list(instances)
    by_agent = [group.name["agent"] for group in strata(items, ("agent",))]
    bare = _lines(items, ("agent", "ecosystem"), needless)
    fewer = tuple(line for line in bare if line.measures.tasks)
    repeated = _lines(items, ("agent", "ecosystem"), lambda group: stability(group, TRIALS))
    gaps = _lines(items, ("agent",), lambda group: environment_gap(group, budget))
    with_cpp = {item.agent for item in items if item.ecosystem == "cpp"}
    agreed = _agreed(items)
    return StudyReport(
        budget=budget, projects=len(items), left_out=_left_out(items),
        convergence=_pooled(items, lambda group: convergence(group, budget)),
        domains=_lines([item for item in items if item.domain], ("agent", "domain"), lambda group: convergence(group, budget)),
        specification=_pooled(items, specification), agreement=agreed,
        mean_cdr=macro(line.measures.cdr for line in agreed if line.name["agents"] == ALL),
        stability=tuple(line for line in repeated if line.measures.tasks), needless=fewer,
        mean_udr={agent: macro(line.measures.udr for line in fewer if line.name["agent"] == agent) for agent in by_agent},
        environment_gap=tuple(line for line in gaps if line.name["agent"] in with_cpp),
        correlation=_lines(items, ("ecosystem",), size_and_success),
        phantoms=_lines(items, ("ecosystem",), lambda group: _counts(frequent(group, "phantom", most))),
        hiddens=_lines(items, ("ecosystem",), lambda group: _counts(frequent(group, "hidden", most))),
    )  # fmt: skip


def _lines(
    items: Sequence[Instance], by: tuple[By, ...], measure: Callable[[Sequence[Instance]], T]
) -> tuple[Line[T], ...]:
    return tuple(
        Line[T](name=dict(group.name), measures=measure(group.instances)) for group in strata(items, by)
    )


def _pooled(items: Sequence[Instance], measure: Callable[[Sequence[Instance]], T]) -> tuple[Line[T], ...]:
    pooled = [
        Line[T](name={"agent": ALL, **line.name}, measures=line.measures)
        for line in _lines(items, ("ecosystem",), measure)
    ]
    return (*_lines(items, ("agent", "ecosystem"), measure), *pooled)


def _agreed(items: Sequence[Instance]) -> tuple[Line[Agreement], ...]:
    lines = []
    for group in strata(items, ("ecosystem",)):
        pairs = agreement(group.instances)
        lines += [
            Line[Agreement](name={**group.name, "agents": ", ".join(pair)}, measures=measures)
            for pair, measures in pairs.items()
        ]
        if pairs:
            everything = overall_agreement(group.instances)
            lines.append(Line[Agreement](name={**group.name, "agents": ALL}, measures=everything))
    return tuple(lines)


def _counts(found: Iterable[tuple[str, int]]) -> tuple[Frequency, ...]:
    return tuple(Frequency(package=package, projects=count) for package, count in found)


def _left_out(items: Iterable[Instance]) -> tuple[LeftOut, ...]:
    return tuple(
        LeftOut(agent=item.agent, task=item.task, ecosystem=item.ecosystem, trial=item.trial, reason=item.infra)
        for item in items
        if item.infra is not None
    )  # fmt: skip
