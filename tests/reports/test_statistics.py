"""The statistics against numbers computed by hand, by enumeration or by SciPy."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from scipy import stats

from icae_env.errors import MissingDependencyError
from icae_env.reports import (
    Tally,
    bootstrap,
    mean_of_clusters,
    pass_at_k,
    pass_hat_k,
    passes,
    shares,
    tally,
    tiers,
    wilcoxon,
    wilson,
)


@pytest.mark.parametrize(
    ("hits", "n"), [(0, 1), (0, 10), (1, 1), (5, 10), (9, 10), (10, 10), (81, 263), (1, 200)]
)
def test_wilson_is_what_scipy_computes(hits: int, n: int) -> None:
    wanted = stats.binomtest(hits, n).proportion_ci(method="wilson")
    found = wilson(hits, n)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_wilson_by_hand() -> None:
    # z = 1.96: (0.5 + 1.9208 / 10) / 1.38416 -+ ...: 0.2366 to 0.7634, as in any table
    found = wilson(5, 10)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (0.2366, 0.7634)
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="no share"):
        wilson(3, 2)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_pass_at_k_is_the_share_of_subsets(n: int) -> None:
    for solved in range(n + 1):
        flags = [True] * solved + [False] * (n - solved)
        for k in range(1, n + 1):
            subsets = list(itertools.combinations(flags, k))
            assert pass_at_k(n, solved, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))
            assert pass_hat_k(n, solved, k) == pytest.approx(sum(map(all, subsets)) / len(subsets))


def test_pass_at_k_refuses_what_cannot_be() -> None:
    for numbers in ((2, 1, 3), (2, 3, 1), (2, 1, 0)):
        with pytest.raises(ValueError, match="cannot be"):
            pass_at_k(*numbers)


def test_passes_average_over_the_settings_that_have_enough_tries() -> None:
    found = passes([[True, False, False], [True, True, True], [False], []])
    assert [(item.k, item.settings) for item in found] == [(1, 3), (2, 2), (3, 2)]
    assert [item.any for item in found] == pytest.approx([(1 / 3 + 1 + 0) / 3, (2 / 3 + 1) / 2, 1.0])
    assert [item.all for item in found] == pytest.approx([(1 / 3 + 1 + 0) / 3, 0.5, 0.5])
    assert passes([]) == ()


def test_shares_count_what_reaches_the_threshold() -> None:
    found = {item.threshold: item for item in shares([0.2, 0.5, 0.3 * 3, 0.95, 1.0])}
    assert {name: item.hits for name, item in found.items()} == {0.5: 4, 0.75: 3, 0.9: 3, 0.95: 2}
    wanted = stats.binomtest(2, 5).proportion_ci(method="wilson")
    assert (found[0.95].interval.low, found[0.95].interval.high) == pytest.approx((wanted.low, wanted.high))
    assert shares([]) == ()


def test_tiers_split_at_thirds() -> None:
    assert tiers({"a": 0.9, "b": 0.1, "c": 1 / 3, "d": 2 / 3, "e": 0.0}) == {
        "hard": ("e", "b"), "medium": ("c",), "easy": ("d", "a"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "differences",
    [
        [0.1, 0.25, -0.05, 0.3, 0.4, -0.2, 0.15],
        [0.1, 0.1, -0.1, 0.2, 0.2, -0.3, 0.4, 0.0],
        list(np.random.default_rng(1).normal(0.05, 0.2, 80)),
    ],
    ids=["exact", "ties and a zero", "many"],
)
def test_wilcoxon_is_what_scipy_computes(differences: list[float]) -> None:
    wanted = stats.wilcoxon([value for value in differences if value])
    found = wilcoxon(differences)
    assert found.n == sum(value != 0 for value in differences)
    assert found.statistic == pytest.approx(wanted.statistic)
    assert found.p == pytest.approx(wanted.pvalue)


def test_wilcoxon_by_enumeration() -> None:
    differences = [0.1, -0.2, 0.3, 0.4, 0.5]  # ranks 1 to 5; the negative rank sum is 2
    sums = [
        sum(rank for rank, sign in zip(range(1, 6), signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=5)
    ]
    p = min(1.0, 2 * sum(total <= 2 for total in sums) / len(sums))
    found = wilcoxon(differences)
    assert (found.n, found.statistic, found.p) == (5, 2.0, pytest.approx(p))


def test_differences_that_only_rounding_makes_unequal_share_a_rank() -> None:
    assert wilcoxon([0.3 - 0.2, 0.2 - 0.1, -0.5]) == wilcoxon([0.1, 0.1, -0.5])
    assert tally([0.1 + 0.2 - 0.3, 0.5, -0.5, -0.1]) == Tally(wins=1, losses=2, ties=1)


def test_without_a_difference_there_is_nothing_to_test() -> None:
    found = wilcoxon([0.0, 0.0])
    assert (found.n, found.statistic, found.p) == (0, None, None)


def test_without_scipy_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'icae-env\[reports\]'"):
        wilcoxon([0.1, 0.2])


def test_each_task_counts_the_same() -> None:
    assert mean_of_clusters({"a": [1.0, 1.0, 1.0], "b": [0.0]}) == 0.5
    assert mean_of_clusters({"a": []}) is None


def test_the_bootstrap_is_seeded_and_needs_two_values() -> None:
    values = {"a": [0.1, 0.5, 0.9], "b": [0.4], "c": [0.8, 0.7]}
    assert bootstrap(values, seed=3) == bootstrap(dict(reversed(values.items())), seed=3)
    assert bootstrap(values, seed=3) != bootstrap(values, seed=4)
    assert bootstrap({"a": [0.5]}) is None
    assert bootstrap({}) is None
    same = bootstrap({"a": [0.5, 0.5], "b": [0.5]})
    assert same is not None
    assert (same.low, same.high) == (0.5, 0.5)


def test_of_single_episodes_the_bootstrap_is_the_ordinary_one() -> None:
    values = np.random.default_rng(0).uniform(size=40)
    found = bootstrap({f"{number:02d}": [value] for number, value in enumerate(values)}, draws=20_000)
    wanted = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    )
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(wanted.confidence_interval), abs=0.005)


def test_repeats_of_a_task_are_no_independent_evidence() -> None:
    """Ten equal repeats of each task leave the interval as wide as one of each: the plain bootstrap would shrink it."""
    once = {str(number): [float(number % 2)] for number in range(20)}
    often = {name: values * 10 for name, values in once.items()}
    narrow = math.sqrt(0.25 / 200) * 1.96 * 2
    found, wanted = bootstrap(often), bootstrap(once)
    assert found is not None and wanted is not None
    assert found.high - found.low == pytest.approx(wanted.high - wanted.low, abs=0.05)
    assert found.high - found.low > 2 * narrow


def test_the_bootstrap_has_the_two_stage_variance() -> None:
    """Variance of a mean of T task means: between tasks / T + within / (T n), each as resampling estimates it."""
    generator = np.random.default_rng(5)
    values = {str(number): list(generator.normal(generator.normal(0, 1), 2, 6)) for number in range(50)}
    table = np.array(list(values.values()))
    variance = table.mean(axis=1).var() / 50 + (table.var(axis=1) / 6).mean() / 50
    found = bootstrap(values, draws=20_000)
    assert found is not None
    assert (found.high - found.low) / (2 * 1.96) == pytest.approx(math.sqrt(variance), rel=0.04)
