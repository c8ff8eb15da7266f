"""Intervals around means and shares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

CONFIDENCE = 0.95
DRAWS = 1_000
"""Resamples of a bootstrap."""


class Interval(BaseModel):
    """A two-sided interval."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    low: float
    high: float


def wilson(hits: int, n: int, confidence: float = CONFIDENCE) -> Interval | None:
    """Return Wilson's score interval (without continuity correction) of a share.

    Args:
        hits: Successes.
        n: Independent trials.
        confidence: Coverage that the interval is made for.

    Returns:
        The interval within [0, 1]; None without trials.

    Raises:
        ValueError: ``hits`` is not between 0 and ``n``.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share")
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At the ends the formula gives 0 and 1 exactly, but for rounding.
    return Interval(
        low=0.0 if hits == 0 else max(middle - half, 0.0), high=1.0 if hits == n else min(middle + half, 1.0)
    )


def mean_of_clusters(clusters: Mapping[str, Sequence[float]]) -> float | None:
    """Return the mean of the clusters' means, so that each cluster counts the same; None without values."""
    means = [math.fsum(values) / len(values) for values in clusters.values() if values]
    return math.fsum(means) / len(means) if means else None


def bootstrap(
    clusters: Mapping[str, Sequence[float]],
    *,
    seed: int = 0,
    draws: int = DRAWS,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """Return a percentile bootstrap interval of ``mean_of_clusters``.

    Each draw takes as many clusters as there are, with replacement, and from each taken cluster as many values as it has,
    with replacement. Repeats of one task are so not mistaken for independent evidence.

    Args:
        clusters: Values by what they have in common (the task).
        seed: The same seed and values give the same interval.
        draws: Resamples.
        confidence: Coverage that the interval is made for.

    Returns:
        The interval; None with fewer than two values, for one value says nothing about its spread.
    """
    arrays = [np.asarray(values, dtype=float) for _, values in sorted(clusters.items()) if len(values)]
    if sum(map(len, arrays)) < 2:
        return None
    generator = np.random.default_rng(seed)
    taken = generator.integers(len(arrays), size=(draws, len(arrays)))
    means = np.empty(taken.shape)
    for number, values in enumerate(arrays):
        here = taken == number
        means[here] = _resampled_means(generator, values, int(here.sum()))
    low, high = np.quantile(means.mean(axis=1), [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(low=float(low), high=float(high))


def _resampled_means(
    generator: np.random.Generator, values: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.float64]:
    if len(values) == 1 or (values == values[0]).all():
        return np.full(count, values[0])
    means: npt.NDArray[np.float64] = values[generator.integers(len(values), size=(count, len(values)))].mean(
        axis=1
    )
    return means
