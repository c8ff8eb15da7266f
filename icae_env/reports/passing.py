"""Rates of passing over repeats and over tasks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.reports.intervals import Interval, wilson

THRESHOLDS = (0.5, 0.75, 0.9, 0.95)
TIER_BOUNDS = (1 / 3, 2 / 3)
Tier = Literal["hard", "medium", "easy"]
_ROUNDING = 1e-9
"""So that a mean of 0.9 that rounding made a hair less still counts as 0.9."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PassK(_Frozen):
    """Passing in k tries, averaged over settings (task, level, language and player) with at least k scored episodes."""

    k: int
    any: float
    """pass@k: at least one of k episodes is resolved."""
    all: float
    """pass^k: all k episodes are resolved."""
    settings: int
    """How many the averages are over."""


class Share(_Frozen):
    """The share of settings whose mean pass rate reaches a threshold."""

    threshold: float
    """Reached means equal or above."""
    hits: int
    settings: int
    share: float
    interval: Interval
    """Wilson's, 95 %."""


def pass_at_k(n: int, solved: int, k: int) -> float:
    """Return the unbiased estimate of the chance that at least one of k tries is solved: 1 - C(n-c, k) / C(n, k).

    Args:
        n: Tries made.
        solved: How many of them were solved (c).
        k: Tries asked about, at most n.

    Raises:
        ValueError: The numbers do not fit together.
    """
    _check(n, solved, k)
    return 1 - math.comb(n - solved, k) / math.comb(n, k)


def pass_hat_k(n: int, solved: int, k: int) -> float:
    """Return the unbiased estimate of the chance that all of k tries are solved: C(c, k) / C(n, k).

    Args and Raises: as for ``pass_at_k``.
    """
    _check(n, solved, k)
    return math.comb(solved, k) / math.comb(n, k)


def _check(n: int, solved: int, k: int) -> None:
    if not (1 <= k <= n and 0 <= solved <= n):
        raise ValueError(f"{k} tries of {n} with {solved} solved cannot be")


def passes(settings: Iterable[Sequence[bool]]) -> tuple[PassK, ...]:
    """Return pass@k and pass^k for k = 1, 2, 4, ... and the largest k that any setting allows.

    Args:
        settings: For each setting, whether each scored episode is resolved.
    """
    counts = [(len(flags), sum(flags)) for flags in settings if flags]
    most = max((n for n, _ in counts), default=0)
    wanted = sorted({2**power for power in range(most.bit_length())} | ({most} if most else set()))
    found = []
    for k in wanted:
        fit = [(n, solved) for n, solved in counts if n >= k]
        found.append(
            PassK(
                k=k,
                any=math.fsum(pass_at_k(n, solved, k) for n, solved in fit) / len(fit),
                all=math.fsum(pass_hat_k(n, solved, k) for n, solved in fit) / len(fit),
                settings=len(fit),
            )
        )
    return tuple(found)


def shares(means: Sequence[float], thresholds: Sequence[float] = THRESHOLDS) -> tuple[Share, ...]:
    """Return the share of settings at or above each threshold; nothing without settings.

    Args:
        means: Mean pass rate of each setting.
        thresholds: Rates in [0, 1].
    """
    found = []
    for threshold in thresholds:
        hits = sum(mean >= threshold - _ROUNDING for mean in means)
        interval = wilson(hits, len(means))
        if interval is not None:
            found.append(
                Share(
                    threshold=threshold,
                    hits=hits,
                    settings=len(means),
                    share=hits / len(means),
                    interval=interval,
                )
            )
    return tuple(found)


def tiers(
    means: Mapping[str, float], bounds: tuple[float, float] = TIER_BOUNDS
) -> Mapping[Tier, tuple[str, ...]]:
    """Return the tasks by difficulty, hardest first within each tier.

    Args:
        means: Mean pass rate of each task over all players.
        bounds: Below the first a task is hard, from the second on it is easy.
    """
    low, high = bounds
    found: dict[Tier, list[str]] = {"hard": [], "medium": [], "easy": []}
    for task, mean in sorted(means.items(), key=lambda item: (item[1], item[0])):
        tier: Tier = "hard" if mean < low - _ROUNDING else "medium" if mean < high - _ROUNDING else "easy"
        found[tier].append(task)
    return {tier: tuple(names) for tier, names in found.items()}
