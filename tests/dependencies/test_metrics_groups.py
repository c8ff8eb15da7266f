from __future__ import annotations

import pytest
from scipy import stats

from icae_env.dependencies.convergence import convergence, environment_gap, success_rate
from icae_env.dependencies.instance import Instance, strata
from icae_env.dependencies.layers import Layers, Unavailable
from icae_env.dependencies.statistics import (
    agreement,
    frequent,
    macro,
    needless,
    overall_agreement,
    size_and_success,
    specification,
    stability,
)


def instance(
    agent="a", task="t", ecosystem="python", declared="", installed=None, traced=None, **more
) -> Instance:
    """A project; its packages are the letters of a text. One that nothing is said of ran at once."""

    def layer(given):
        return given if isinstance(given, Unavailable) else frozenset(given)

    found = Layers(
        ecosystem=ecosystem,
        declared=layer(declared),
        installed=layer(declared if installed is None else installed),
        traced=layer(declared if traced is None else traced),
    )
    return Instance(
        **{"agent": agent, "task": task, "ecosystem": ecosystem, "layers": found, "depth": 0, **more}
    )


def test_m1_first_final_gain_and_buckets() -> None:
    depths = [0, 0, 0, 1, 3, 4, 7, 8, 10, None]
    found = convergence([instance(task=str(n), depth=depth) for n, depth in enumerate(depths)])
    assert (found.n, found.first, found.final, found.gain) == (10, 0.3, 0.9, 0.6)
    assert found.buckets == {"0": 3, "1-3": 2, "4-7": 2, "8-10": 2, "failed": 1}
    assert found.depth == pytest.approx(33 / 9)
    rates = [success_rate([instance(depth=depth) for depth in depths], rounds) for rounds in (0, 1, 3, 9, 10)]
    assert rates == [0.3, 0.4, 0.5, 0.8, 0.9]


def test_m1_of_nothing_and_of_failures_alone() -> None:
    assert convergence([]).first is None
    found = convergence([instance(depth=None)])
    assert (found.first, found.final, found.gain, found.depth) == (0, 0, 0, None)
    assert found.buckets["failed"] == 1


def test_m1_a_smaller_budget_fails_later_repairs() -> None:
    found = convergence([instance(depth=0), instance(depth=5)], budget=4)
    assert (found.final, found.buckets["failed"]) == (0.5, 1)


def test_what_the_host_failed_at_and_repeated_trials_are_left_out() -> None:
    items = [instance(depth=0), instance(depth=None, infra="no network"), instance(depth=None, trial=1)]
    assert (convergence(items).n, convergence(items).first) == (1, 1)
    assert specification(items).projects == 1


def test_m2_to_m4_are_means_over_projects_that_ran() -> None:
    found = specification([
        instance(declared="abc", installed="abde", traced="adf"),
        instance(declared="a", installed="abcdef", traced="abcdef", depth=4),
        instance(declared="", installed="", traced=""),  # no fit and no growth are defined for it
        instance(declared="xyz", traced="", depth=None),  # never ran
        instance(declared="a", installed="a", traced=Unavailable("no ptrace")),
    ])  # fmt: skip
    assert found.projects == 4
    assert found.phantom.value == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert found.hidden.value == pytest.approx((2 / 3 + 5 / 6 + 0) / 3)
    assert found.bloat.value == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert found.precision.value == pytest.approx((1 / 3 + 1) / 2)
    assert found.recall.value == pytest.approx((1 / 3 + 1 / 6) / 2)
    assert found.f1.value == pytest.approx((1 / 3 + 2 / 7) / 2)
    assert found.f1.n == 2
    assert (found.rho.value, found.rho.n) == (pytest.approx((4 / 3 + 6 + 1) / 3), 3)
    assert found.rho.median == pytest.approx(4 / 3)


def test_m4_mean_f1_is_not_f1_of_the_means() -> None:
    found = specification([instance(declared="a", traced=""), instance(declared="", traced="a")])
    assert (found.precision.value, found.recall.value, found.f1.value) == (0.5, 0.5, 0)


def test_m5_pairs_of_agents() -> None:
    items = [
        instance("x", "1", declared="ab"), instance("y", "1", declared="bc"), instance("z", "1", declared="d"),
        instance("x", "2", declared=""), instance("y", "2", declared=""), instance("z", "2", declared="a"),
        instance("x", "3", declared="ab"), instance("y", "3", declared=Unavailable("broken")),
        instance("x", "1", "java", declared="ab"),
    ]  # fmt: skip
    found = agreement(items)
    assert set(found) == {("x", "y"), ("x", "z"), ("y", "z")}
    assert found["x", "y"].mean == pytest.approx((1 / 3 + 1) / 2)
    assert (found["x", "y"].cdr, found["x", "y"].pairs) == (0, 2)
    assert (found["x", "z"].mean, found["x", "z"].cdr) == (0, 1)
    everything = overall_agreement(items)
    assert (everything.pairs, everything.cdr) == (6, pytest.approx(4 / 6))
    assert everything.mean == pytest.approx((1 / 3 + 1) / 6)
    assert overall_agreement([]).cdr is None


def test_m5_complete_disjointness_averages_over_ecosystems() -> None:
    assert macro([0.360, 0.577, 0.562, 0.633]) == pytest.approx(0.533, abs=5e-4)
    assert macro([0.5, None]) == 0.5
    assert macro([]) is None


def test_m6_three_trials() -> None:
    sets = {"1": ("ab", "ab", "ab"), "2": ("ab", "bc", "cd"), "3": ("", "", ""), "4": ("a", "b", None)}
    items = [
        instance(task=task, declared=Unavailable("broken") if declared is None else declared, trial=trial)
        for task, trials in sets.items()
        for trial, declared in enumerate(trials)
    ]
    found = stability(items)
    assert (found.tasks, found.identical) == (3, 2)
    assert found.ucr == pytest.approx(2 / 3)
    assert found.mean == pytest.approx((3 + (1 / 3 + 0 + 1 / 3) + 3) / 9)
    assert found.median == 1
    assert found.union == pytest.approx((2 + 4 + 0) / 3)
    assert found.core == pytest.approx((2 + 0 + 0) / 3)
    assert stability(items[:2]).ucr is None


def test_m7_packages_where_none_is_needed() -> None:
    found = needless([
        instance(declared="a", stdlib_sufficient=True), instance(declared="", stdlib_sufficient=True, depth=None),
        instance(declared="a", stdlib_sufficient=False), instance(declared="a"),
        instance(declared=Unavailable("broken"), stdlib_sufficient=True),
    ])  # fmt: skip
    assert (found.tasks, found.declaring, found.udr) == (2, 1, 0.5)
    assert needless([]).udr is None


@pytest.mark.parametrize(
    ("failures", "system", "slar", "egar"),
    [(32, 28, 0.875, 1.0), (28, 5, 5 / 28, 1.0), (10, 0, 0.0, None)],
)
def test_m8_the_papers_three_agents(failures: int, system: int, slar: float, egar: float | None) -> None:
    kinds = ["SystemLib"] * system + ["Other"] * (failures - system)
    items = [instance(task=str(n), ecosystem="cpp", depth=1, failure=kind) for n, kind in enumerate(kinds)]
    items += [instance(task=f"ok{n}", ecosystem="cpp") for n in range(50 - failures)]
    found = environment_gap([*items, instance(depth=2)])
    assert (found.failures, found.kinds["SystemLib"], found.slar, found.egar) == (
        failures,
        system,
        slar,
        egar,
    )
    assert round(100 * (found.slar or 0), 1) in (87.5, 17.9, 0.0)


def test_m8_kinds_and_recovery() -> None:
    found = environment_gap([
        instance(ecosystem="cpp", depth=3, failure="SystemLib"),
        instance(ecosystem="cpp", depth=None, failure="SystemLib"),
        instance(ecosystem="cpp", depth=1, failure="FetchFail"),
        instance(ecosystem="cpp", depth=1),
    ])  # fmt: skip
    assert found.kinds == {"SystemLib": 2, "FetchFail": 1, "Other": 1}
    assert (found.slar, found.repaired, found.egar) == (0.5, 1, 0.5)
    assert environment_gap([instance(ecosystem="cpp")]).slar is None


def test_size_and_success_is_spearmans() -> None:
    sizes, ok = [1, 2, 3, 4, 5, 2], [1, 1, 0, 0, 0, 0]
    letters = "abcdefgh"
    items = [
        instance(task=str(n), declared=letters[:size], depth=0 if good else None)
        for n, (size, good) in enumerate(zip(sizes, ok, strict=True))
    ]
    found, wanted = size_and_success(items), stats.spearmanr(sizes, ok)
    assert found.n == 6
    assert found.rho == pytest.approx(wanted.statistic)
    assert found.p == pytest.approx(wanted.pvalue)
    assert found.rho is not None
    assert found.rho < 0
    perfect = [
        instance(declared=""),
        instance(declared="ab", depth=None),
        instance(declared="abc", depth=None),
    ]
    assert size_and_success(perfect).rho == pytest.approx(-0.8660254)
    assert size_and_success(items[:2]).rho is None
    assert size_and_success([instance(declared="a", depth=d) for d in (0, None, 0)]).rho is None


def test_frequent_gaps() -> None:
    items = [
        instance(declared="abz", traced="c"),
        instance(declared="az", traced="cd"),
        instance(declared="b", traced="d"),
    ]
    assert frequent(items, "phantom") == [("a", 2), ("b", 2), ("z", 2)]
    assert frequent(items, "hidden", most=1) == [("c", 2)]
    assert frequent([instance(declared="a", traced=Unavailable("x"))], "phantom") == []


def test_strata_keep_the_order_in_which_names_come() -> None:
    items = [instance("b"), instance("a"), instance("b", ecosystem="java")]
    assert [group.name for group in strata(items, ("agent", "ecosystem"))] == [
        {"agent": "b", "ecosystem": "python"}, {"agent": "a", "ecosystem": "python"}, {"agent": "b", "ecosystem": "java"},
    ]  # fmt: skip
    assert [len(group.instances) for group in strata(items, ())] == [3]
