"""Two sides compared on what both played."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_maker import key, make_run, row

from icae_env.errors import ConfigError
from icae_env.reports import Tally, chosen, compare, load_rows, wilcoxon

TASKS = ("bracex", "ssf", "stockholm", "span-sets")


def test_pairs_go_by_task_level_language_and_seed(tmp_path: Path) -> None:
    first = make_run(
        tmp_path / "a",
        [row(key(task, seed=seed), 0.5) for task in TASKS for seed in (0, 1)]
        + [row(key("bracex", "L2"), 0.5), row(key("bracex", language="Go"), 0.9, language="Go")],
    )
    rewards = {"bracex": (0.75, 1.0), "ssf": (0.5, 0.5), "stockholm": (0.25, 0.5), "span-sets": (0.7, None)}
    second = make_run(
        tmp_path / "b", [row(key(task, seed=seed), rewards[task][seed]) for task in TASKS for seed in (0, 1)]
    )
    found = compare(load_rows([first]), load_rows([second]), names=("a", "b"))
    assert len(found.pairs) == 7
    assert found.episodes == Tally(wins=3, losses=1, ties=3)
    assert found.tasks == Tally(wins=2, losses=1, ties=1)
    assert [(move.task, round(move.difference, 3)) for move in found.moves] == [
        ("stockholm", -0.125), ("ssf", 0.0), ("span-sets", 0.2), ("bracex", 0.375),
    ]  # fmt: skip
    assert found.difference == pytest.approx((-0.125 + 0 + 0.2 + 0.375) / 4)
    assert found.mean_second is not None and found.mean_first is not None
    assert found.mean_second - found.mean_first == pytest.approx(found.difference)
    assert found.interval is not None
    assert found.interval.low < found.difference < found.interval.high
    assert found.wilcoxon_tasks == wilcoxon([0.375, 0.0, -0.125, 0.2])
    assert found.only_first == tuple(
        sorted([key("bracex", "L2").id, key(language="Go").id, key("span-sets", seed=1).id])
    )
    assert (found.only_second, found.infra_first, found.infra_second) == ((), 0, 1)


def test_a_run_against_itself_ties(tmp_path: Path) -> None:
    side = load_rows([make_run(tmp_path / "a", [row(key(task), 0.3) for task in TASKS])])
    found = compare(side, side)
    assert found.episodes == Tally(wins=0, losses=0, ties=4)
    assert (found.difference, found.wilcoxon_tasks.p) == (0.0, None)


def test_several_players_are_chosen_or_paired_each_with_itself(tmp_path: Path) -> None:
    rows = [
        row(key(agent=agent, model=f"openai/{model}"), 0.5) for agent in ("x", "y") for model in ("m", "n")
    ]
    many = load_rows([make_run(tmp_path / "many", rows)])
    one = load_rows([make_run(tmp_path / "one", [row(key(agent="z"), 0.75)])])
    with pytest.raises(ConfigError, match="--agent-a"):
        compare(many, one)
    assert compare(chosen(many, agent="x", model="openai/n"), one).difference == 0.25
    both = compare(many, many)
    assert {pair.player for pair in both.pairs} == {
        "x / openai/m",
        "x / openai/n",
        "y / openai/m",
        "y / openai/n",
    }
    within = compare(chosen(many, agent="x", model="openai/m"), chosen(many, agent="y", model="openai/m"))
    assert len(within.pairs) == 1
    with pytest.raises(ConfigError, match="x / openai/m"):
        chosen(many, agent="nobody")


def test_without_a_pair_there_is_no_mean(tmp_path: Path) -> None:
    first = load_rows([make_run(tmp_path / "a", [row(key("bracex"), 0.5)])])
    second = load_rows([make_run(tmp_path / "b", [row(key("ssf"), 0.5)], unfinished=[key("bracex")])])
    found = compare(first, second)
    assert (found.difference, found.interval, found.pairs) == (None, None, ())
    assert (found.only_first, found.only_second) == ((key("bracex").id,), (key("ssf").id,))
    assert found.unfinished_second == 1
