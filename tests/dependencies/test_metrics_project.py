from __future__ import annotations

import pytest

from icae_env.dependencies.layers import Layers, Unavailable
from icae_env.dependencies.metrics import gaps, jaccard, project_metrics

AWAY = Unavailable("no ptrace")


def layers(declared, installed, traced, ecosystem="python") -> Layers:
    def layer(given):
        return given if isinstance(given, Unavailable) else frozenset(given)

    return Layers(
        ecosystem=ecosystem,
        declared=layer(declared),
        installed=layer(installed),
        traced=layer(traced),
    )


def test_pandas_brings_five_more_and_grows_sixfold() -> None:
    six = {"pandas", "numpy", "python-dateutil", "pytz", "tzdata", "six"}
    found = layers({"pandas"}, six, six)
    assert project_metrics(found).rho == 6.0
    assert project_metrics(found).transitive == 5
    assert gaps(found).transitive == ("numpy", "python-dateutil", "pytz", "six", "tzdata")


def test_one_of_three_fits() -> None:
    found = project_metrics(layers("abc", "abde", "adf"))
    assert found.phantom == pytest.approx(2 / 3)
    assert found.hidden == pytest.approx(2 / 3)
    assert found.bloat == 1 / 2
    assert found.precision == found.recall == pytest.approx(1 / 3)
    assert found.f1 == pytest.approx(1 / 3)
    assert found.rho == pytest.approx(4 / 3)
    assert found.transitive == 2
    assert gaps(layers("abc", "abde", "adf")).model_dump() == {
        "phantom": ("b", "c"), "hidden": ("d", "f"), "bloat": ("b", "e"), "transitive": ("d", "e"),
    }  # fmt: skip


def test_a_header_only_library_is_a_phantom() -> None:
    found = project_metrics(layers({"nlohmann_json"}, {"nlohmann_json"}, (), "cpp"))
    assert (found.phantom, found.hidden) == (1, 0)
    assert (found.precision, found.recall, found.f1) == (0, 1, 0)
    assert found.rho == 1


def test_yargs_installs_sixteen_and_reads_fourteen() -> None:
    read = {f"p{n}" for n in range(13)} | {"yargs"}
    found = layers({"yargs"}, read | {"color-convert", "color-name"}, read, "javascript")
    assert gaps(found).bloat == ("color-convert", "color-name")
    assert project_metrics(found).bloat == 2 / 16
    assert project_metrics(found).rho == 16
    assert project_metrics(found).hidden == 13 / 14


def test_nothing_declared_but_something_read() -> None:
    found = project_metrics(layers((), "ab", "ab"))
    assert (found.phantom, found.hidden, found.bloat) == (0, 1, 0)
    assert (found.precision, found.recall, found.f1) == (1, 0, 0)
    assert found.rho is None
    assert found.transitive == 2


def test_nothing_at_all_is_left_out_of_the_fit() -> None:
    found = project_metrics(layers((), (), ()))
    assert (found.phantom, found.hidden, found.bloat, found.transitive) == (0, 0, 0, 0)
    assert (found.precision, found.recall, found.f1, found.rho) == (None, None, None, None)


def test_declared_and_read_have_nothing_in_common() -> None:
    found = project_metrics(layers("a", "a", "b"))
    assert (found.precision, found.recall, found.f1) == (0, 0, 0)


def test_a_layer_that_could_not_be_measured_makes_no_zero() -> None:
    untraced = project_metrics(layers("a", "ab", AWAY))
    assert untraced.model_dump() == {
        "phantom": None, "hidden": None, "bloat": None, "precision": None, "recall": None, "f1": None,
        "rho": 2.0, "transitive": 1,
    }  # fmt: skip
    uninstalled = project_metrics(layers("a", AWAY, "ab"))
    assert (uninstalled.bloat, uninstalled.rho, uninstalled.transitive) == (None, None, None)
    assert (uninstalled.phantom, uninstalled.hidden) == (0, 0.5)
    undeclared = project_metrics(layers(AWAY, "ab", "a"))
    assert undeclared.bloat == 0.5
    assert {undeclared.phantom, undeclared.hidden, undeclared.f1, undeclared.rho} == {None}


def test_names_are_compared_normalised() -> None:
    found = project_metrics(layers({"PyYAML", "python_dateutil"}, (), {"pyyaml", "Python-DateUtil"}))
    assert found.f1 == 1


def test_jaccard() -> None:
    assert jaccard(set(), set()) == 1
    assert jaccard({"a"}, set()) == 0
    assert jaccard({"a"}, {"b"}) == 0
    assert jaccard({"a", "b"}, {"b", "c"}) == pytest.approx(1 / 3)
