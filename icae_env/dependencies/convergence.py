"""How soon projects run: at the first attempt, after repairs, or never (M1), and what C++ projects lack at first (M8)."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from icae_env.dependencies.instance import BUDGET, FAILURE_KINDS, Instance, kept

BUCKETS: dict[str, tuple[int, int]] = {"0": (0, 0), "1-3": (1, 3), "4-7": (4, 7), "8-10": (8, 10)}
"""Repairs until a project ran, in groups; the others ``failed``."""
FAILED = "failed"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Convergence(_Frozen):
    """M1 of a group of projects."""

    n: int
    """Projects."""
    first: float | None
    """Share that ran at the first attempt, SR(0); None where there is no project."""
    final: float | None
    """Share that ran after at most k repairs, SR(<=k)."""
    gain: float | None
    """final - first: what repairs bring."""
    depth: float | None
    """Mean repairs of those that ran; None where none did."""
    buckets: dict[str, int]
    """Projects by the repairs they took: 0, 1-3, 4-7, 8-10, failed."""


class EnvironmentGap(_Frozen):
    """M8 of a group of C++ projects."""

    failures: int
    """Projects whose first attempt failed."""
    kinds: dict[str, int]
    """Their first attempts' failures by kind."""
    slar: float | None
    """Share of the failures that are of kind SystemLib; None where nothing failed."""
    repaired: int
    """Of the SystemLib failures, those that ran later."""
    egar: float | None
    """Share of the SystemLib failures that ran later; None where there are none."""


def convergence(instances: Iterable[Instance], budget: int = BUDGET) -> Convergence:
    """Return M1 over the measured projects of trial 0.

    Args:
        instances: The projects.
        budget: Repairs that count (k); a project that took more has failed.
    """
    depths = [item.depth for item in kept(instances)]
    ran = [depth for depth in depths if depth is not None and depth <= budget]
    if not depths:
        return Convergence(n=0, first=None, final=None, gain=None, depth=None, buckets=_buckets([], 0))
    n, at_once = len(depths), ran.count(0)
    return Convergence(
        n=n, first=at_once / n, final=len(ran) / n, gain=(len(ran) - at_once) / n,
        depth=sum(ran) / len(ran) if ran else None, buckets=_buckets(ran, n - len(ran)),
    )  # fmt: skip


def _buckets(ran: list[int], failed: int) -> dict[str, int]:
    found = {name: sum(low <= depth <= high for depth in ran) for name, (low, high) in BUCKETS.items()}
    # A budget beyond the paper's has its deeper repairs in the last group.
    found["8-10"] += sum(depth > BUCKETS["8-10"][1] for depth in ran)
    return {**found, FAILED: failed}


def success_rate(instances: Iterable[Instance], rounds: int) -> float | None:
    """Return the share of projects that ran after at most so many repairs, SR(<=rounds); None where there is no project."""
    return convergence(instances, rounds).final


def environment_gap(instances: Iterable[Instance], budget: int = BUDGET) -> EnvironmentGap:
    """Return M8 over the measured C++ projects of trial 0. A failure whose kind nobody told is of kind Other."""
    failed = kept(instances, lambda item: item.ecosystem == "cpp" and item.depth != 0)
    kinds = {kind: sum((item.failure or "Other") == kind for item in failed) for kind in FAILURE_KINDS}
    system = [item for item in failed if item.failure == "SystemLib"]
    repaired = sum(item.depth is not None and item.depth <= budget for item in system)
    return EnvironmentGap(
        failures=len(failed), kinds={str(kind): count for kind, count in kinds.items()}, repaired=repaired,
        slar=len(system) / len(failed) if failed else None,
        egar=repaired / len(system) if system else None,
    )  # fmt: skip
