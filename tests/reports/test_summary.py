"""Groups, means and counts of the episodes of run directories."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_maker import add_files, case, gaps, key, make_run, report, row, use

from icae_env.errors import ConfigError
from icae_env.llm.limits import ModelUse
from icae_env.reports import BY, METRICS, classify, gap_table, grouped, load_rows, summarise


def test_what_was_not_measured_is_counted_and_in_no_mean(tmp_path: Path) -> None:
    rows = [row(key(seed=0), 0.5), row(key(seed=1), 0.25), row(key(seed=2), None), row(key("ssf"), 1.0)]
    loaded = load_rows([make_run(tmp_path / "run", rows, unfinished=[key(seed=3), key("ssf", seed=1)])])
    found = summarise(loaded).all
    assert (found.scored, found.infra, found.unfinished, found.tasks) == (3, 1, 2, 2)
    assert found.means["overall"].value == pytest.approx((0.375 + 1.0) / 2)
    assert (found.means["overall"].n, found.means["overall"].unknown) == (3, 0)
    interval = found.means["overall"].interval
    assert interval is not None
    assert 0.25 <= interval.low < 0.6875 < interval.high <= 1.0
    assert found.means["resolved"].value == 0.5
    assert found.failures == {"untold": 2, "infra": 1, "resolved": 1}


def test_what_is_unknown_is_never_zero(tmp_path: Path) -> None:
    rows = [
        row(key(model="openai/a", seed=0), 0.5, model_use=use(cost=None)),
        row(key(model="openai/a", seed=1), 0.5, model_use=use((2000, 200), cost=0.03)),
        row(key(model="openai/a", seed=2), 0.5, model_use=use(None, cost=None)),
        row(key(model="openai/a", seed=3), None, model_use=use((500, 50), cost=0.02)),
        row(key(model="openai/a", seed=4), 0.0, model_use=ModelUse()),
    ]
    found = summarise(load_rows([make_run(tmp_path / "run", rows)])).all
    assert (found.means["cost"].value, found.means["cost"].n, found.means["cost"].unknown) == (
        pytest.approx(0.015),
        2,
        2,
    )
    assert (found.totals["cost"].value, found.totals["cost"].unknown) == (
        pytest.approx(0.05),
        2,
    )  # the unmeasured one was paid for
    assert (found.totals["input_tokens"].value, found.totals["input_tokens"].unknown) == (3500, 1)
    bare = summarise(load_rows([make_run(tmp_path / "bare", [row(key(agent="scripted"), 0.5)])])).all
    assert (bare.means["cost"].value, bare.means["cost"].unknown, bare.totals["cost"].value) == (
        None,
        1,
        None,
    )
    assert bare.means["coverage"].value is None


def test_groups_by_every_name(tmp_path: Path) -> None:
    rows = [
        row(key("bracex", "L1", agent="react", model="openai/a", options={"style": "x"}), 0.5),
        row(key("bracex", "L2", agent="noop"), 0.0, language="Go", domain="numbers"),
        row(key("ssf", "L1", agent="noop"), 0.25),
    ]
    loaded = load_rows([make_run(tmp_path / "run", rows, unfinished=[key("ssf", "L3", agent="noop")])])
    wanted = {
        "task": ["bracex", "ssf"], "level": ["L1", "L2", "L3"], "language": ["Go", "Python", "unknown"],
        "domain": ["matching", "numbers", "unknown"], "agent": ["noop", "react [style=x]"], "model": ["none", "openai/a"],
        "run": ["run"], "episode": [*sorted(item.key.id for item in rows), "ssf-L3-noop-s0"],
    }  # fmt: skip
    assert {name: [group.label for group in grouped(loaded, [name])] for name in BY} == wanted
    both = grouped(loaded, ["agent", "level"])
    assert [group.label for group in both] == ["noop / L1", "noop / L2", "noop / L3", "react [style=x] / L1"]
    assert [(group.scored, group.unfinished) for group in both] == [(1, 0), (1, 0), (0, 1), (1, 0)]
    assert both[2].means["overall"].value is None
    assert sum(group.scored for group in both) == summarise(loaded).all.scored


def test_repeats_give_pass_at_k(tmp_path: Path) -> None:
    rows = [row(key(seed=seed), reward) for seed, reward in enumerate((1.0, 0.9, 0.2))] + [
        row(key("ssf"), 1.0)
    ]
    found = summarise(load_rows([make_run(tmp_path / "run", rows)])).all
    by_k = {item.k: item for item in found.passes}
    assert (by_k[1].any, by_k[1].settings) == (pytest.approx((1 / 3 + 1) / 2), 2)
    assert (by_k[2].any, by_k[2].all, by_k[2].settings) == (pytest.approx(2 / 3), 0.0, 1)
    assert [(item.threshold, item.hits) for item in found.shares] == [
        (0.5, 2),
        (0.75, 1),
        (0.9, 1),
        (0.95, 1),
    ]


@pytest.mark.parametrize(
    ("wanted", "reward", "end", "cases"),
    [
        ("resolved", 1.0, "submit", ["pass", "pass"]),
        ("resolved", 1.0, "steps", ["pass", "pass"]),
        ("limit", 0.5, "limit:tokens", ["pass", "mismatch"]),
        ("gave_up", 0.0, "format", ["missing", "missing"]),
        ("no_output", 0.0, "submit", ["missing", "missing"]),
        ("timeout", 0.25, "submit", ["pass", "timeout", "missing"]),
        ("missing", 0.25, "submit", ["pass", "missing", "missing", "mismatch"]),
        ("mismatch", 0.25, "submit", ["pass", "mismatch"]),
        ("untold", 0.5, "submit", None),
        ("infra", None, None, None),
    ],
)
def test_failure_classes(
    tmp_path: Path, wanted: str, reward: float | None, end: str | None, cases: list[str] | None
) -> None:
    folder = make_run(tmp_path / "run", [row(key(), reward, end=end)])
    if cases is not None:
        add_files(folder, key(), [], report("bracex", [case(n, outcome) for n, outcome in enumerate(cases)]))
    (entry,) = load_rows([folder]).entries
    assert classify(entry) == wanted


def test_the_gap_table_counts_each_constraint_over_episodes(tmp_path: Path) -> None:
    rows = [
        row(key(seed=0), 0.5, gaps=gaps("bracex", {"A": "implemented", "B": "missed"}, asked=["B"])),
        row(key(seed=1), 0.5, gaps=gaps("bracex", {"A": "not_implemented", "B": "guessed"})),
        row(key(seed=2), None, gaps=gaps("bracex", {"A": "implemented", "B": "implemented"})),
        row(key("ssf"), 0.5),
    ]
    first, second = gap_table(load_rows([make_run(tmp_path / "run", rows)]))
    assert first.model_dump() == {
        "task": "bracex", "level": "L1", "constraint": "A", "episodes": 2, "asked": 2, "answered": 2, "implemented": 1,
        "not_implemented": 1, "guessed": 0, "missed": 0, "not_measured": 0,
    }  # fmt: skip
    assert (second.constraint, second.asked, second.answered, second.guessed, second.missed) == (
        "B",
        1,
        0,
        1,
        1,
    )


def test_several_runs_are_read_together_and_none_twice(tmp_path: Path) -> None:
    first = make_run(tmp_path / "a" / "run", [row(key(), 0.5)])
    second = make_run(tmp_path / "b" / "run", [row(key(), 1.0)])
    loaded = load_rows([first, second])
    assert [group.label for group in grouped(loaded, ["run"])] == [str(first), str(second)]
    with pytest.raises(ConfigError, match="given twice"):
        load_rows([first, tmp_path / "b" / ".." / "a" / "run"])
    with pytest.raises(ConfigError, match="no run directory"):
        load_rows([tmp_path])


def test_a_damaged_report_is_named(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", [row(key(), 0.5)])
    add_files(folder, key(), [], report("bracex", [case(1, "pass")]))
    (folder / "episodes" / key().id / "report.json").write_text("{")
    with pytest.raises(ConfigError, match=r"report\.json"):
        load_rows([folder])


def test_a_run_without_an_episode_has_nothing_to_say(tmp_path: Path) -> None:
    found = summarise(load_rows([make_run(tmp_path / "run", [], unfinished=[key()])]))
    assert found.all.scored == 0
    assert {name: found.all.means[name].value for name in METRICS} == dict.fromkeys(METRICS)
    assert found.all.passes == found.all.shares == found.gaps == ()
