"""Statistics of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from icae_env.errors import MissingDependencyError

TIE = 1e-9
"""Differences up to this are ties: rates are fractions of counts, so that smaller ones come of rounding."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Tally(_Frozen):
    """Wins, losses and ties of the second of each pair over the first."""

    wins: int
    losses: int
    ties: int


class Wilcoxon(_Frozen):
    """A two-sided Wilcoxon signed-rank test. Pairs without a difference are dropped (Wilcoxon's own treatment of zeros)."""

    n: int
    """Pairs with a difference."""
    statistic: float | None
    """The smaller of the two rank sums; None where nothing differs."""
    p: float | None
    """None where nothing differs, so that there is nothing to test."""


def tally(differences: Sequence[float]) -> Tally:
    """Return how many differences are positive, negative and zero."""
    wins = sum(value > TIE for value in differences)
    losses = sum(value < -TIE for value in differences)
    return Tally(wins=wins, losses=losses, ties=len(differences) - wins - losses)


def wilcoxon(differences: Sequence[float]) -> Wilcoxon:
    """Test whether paired differences are symmetric about zero.

    The p-value is exact where no ranks are tied and there are at most 50 differences, and for at most 13 with ties; else it
    is the normal approximation (``scipy.stats.wilcoxon``).

    Args:
        differences: Second minus first of each pair; pairs must be independent of one another.

    Raises:
        MissingDependencyError: SciPy is not installed.
    """
    # Rounded, so that differences which are equal as fractions share a rank.
    kept = np.round([value for value in differences if abs(value) > TIE], 12)
    if not len(kept):
        return Wilcoxon(n=0, statistic=None, p=None)
    try:
        from scipy import stats  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415 - on first use
    except ImportError as error:
        raise MissingDependencyError(
            "scipy", needed_for="Wilcoxon's test", install="pip install 'icae-env[reports]'"
        ) from error
    found = stats.wilcoxon(kept, zero_method="wilcox", alternative="two-sided", method="auto")
    return Wilcoxon(n=len(kept), statistic=float(found.statistic), p=float(found.pvalue))
