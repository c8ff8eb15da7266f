"""The measures of one project: what its manifest names too much, what it does not name, and how well it fits (M2-M4).

A measure is None where it is not defined or a layer that it needs could not be measured; it is never 0 for that.
"""

from __future__ import annotations

from collections.abc import Set

from pydantic import BaseModel, ConfigDict

from icae_env.dependencies.layers import Layers, Unavailable


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Gaps(_Frozen):
    """How three layers differ; None where a layer that is needed could not be measured."""

    phantom: tuple[str, ...] | None
    """Declared, but not read (D1 without D3)."""
    hidden: tuple[str, ...] | None
    """Read, but not declared (D3 without D1)."""
    bloat: tuple[str, ...] | None
    """Installed, but not read (D2 without D3)."""
    transitive: tuple[str, ...] | None
    """Installed, but not declared (delta, D2 without D1)."""


class ProjectMetrics(_Frozen):
    """The measures of one project."""

    phantom: float | None
    """Share of D1 that is not in D3; 0 where D1 is empty."""
    hidden: float | None
    """Share of D3 that is not in D1; 0 where D3 is empty."""
    bloat: float | None
    """Share of D2 that is not in D3; 0 where D2 is empty."""
    precision: float | None
    """Share of D1 that is in D3; 1 where only D1 is empty, None where both are."""
    recall: float | None
    """Share of D3 that is in D1; 1 where only D3 is empty, None where both are."""
    f1: float | None
    """Harmonic mean of precision and recall; 0 where both are 0, None where D1 and D3 are empty."""
    rho: float | None
    """Inflation: size of D2 over size of D1; None where D1 is empty."""
    transitive: int | None
    """Packages in D2 and not in D1."""


def gaps(layers: Layers) -> Gaps:
    """Return how the layers of a project differ, each difference sorted."""
    return Gaps(
        phantom=_without(layers.declared, layers.traced),
        hidden=_without(layers.traced, layers.declared),
        bloat=_without(layers.installed, layers.traced),
        transitive=_without(layers.installed, layers.declared),
    )


def project_metrics(layers: Layers) -> ProjectMetrics:
    """Return the measures of a project."""
    declared, traced = _known(layers.declared), _known(layers.traced)
    precision = recall = None
    if declared is not None and traced is not None:
        precision, recall = retrieval(declared, traced)
    differing = gaps(layers)
    return ProjectMetrics(
        phantom=rate(differing.phantom, declared),
        hidden=rate(differing.hidden, traced),
        bloat=rate(differing.bloat, _known(layers.installed)),
        precision=precision,
        recall=recall,
        f1=f1(precision, recall),
        rho=inflation(declared, _known(layers.installed)),
        transitive=None if differing.transitive is None else len(differing.transitive),
    )


def rate(part: tuple[str, ...] | None, whole: Set[str] | None) -> float | None:
    """Return the share of a layer that a difference makes up (M3); 0 where the layer is empty."""
    if part is None or whole is None:
        return None
    return len(part) / len(whole) if whole else 0.0


def inflation(declared: Set[str] | None, installed: Set[str] | None) -> float | None:
    """Return how many packages are installed for one that is declared (rho, M2); None where none is declared."""
    return len(installed) / len(declared) if declared and installed is not None else None


def retrieval(declared: Set[str], traced: Set[str]) -> tuple[float | None, float | None]:
    """Return precision and recall of the declared packages as a guess at those read (M4).

    Where only the declared ones are none, precision is 1; where only the read ones are none, recall is 1; where both are,
    both measures are None and the project is left out.
    """
    if not declared and not traced:
        return None, None
    both = len(declared & traced)
    return (both / len(declared) if declared else 1.0), (both / len(traced) if traced else 1.0)


def f1(precision: float | None, recall: float | None) -> float | None:
    """Return the harmonic mean of precision and recall; 0 where both are 0."""
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def jaccard(one: Set[str], other: Set[str]) -> float:
    """Return how much two sets share (M5): 1 where both are empty, 0 where exactly one is."""
    return len(one & other) / len(one | other) if one or other else 1.0


def _known(layer: frozenset[str] | Unavailable) -> frozenset[str] | None:
    return None if isinstance(layer, Unavailable) else layer


def _without(
    one: frozenset[str] | Unavailable, other: frozenset[str] | Unavailable
) -> tuple[str, ...] | None:
    if isinstance(one, Unavailable) or isinstance(other, Unavailable):
        return None
    return tuple(sorted(one - other))
