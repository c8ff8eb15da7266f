"""icae report and icae compare: every format, and what they say of wrong input."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from icae_program import document, icae, process

from icae_env.llm.base import Usage
from icae_env.llm.limits import ModelUse
from icae_env.reports import Comparison, RunReport
from icae_env.rollout.store import EPISODE, EPISODES, RUN_FILE, EpisodeKey, EpisodeRow, RunConfig

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


def episode(task: str, level: str, seed: int, reward: float | None, model: str) -> EpisodeRow:
    use = ModelUse(
        calls=3, usage=Usage(input_tokens=900, output_tokens=90), cost=0.02 if seed else None, seconds=2.0
    )
    return EpisodeRow(
        key=EpisodeKey(task=task, level=level, agent="react", model=model, seed=seed), reward=reward, started=WHEN,
        status="infra" if reward is None else "ok", end=None if reward is None else "submit", steps=9, questions=3,
        seconds=20.0, resolved=None if reward is None else reward == 1.0, language="Python", domain="text | <b>",
        model_use=use, coverage=0.5,
    )  # fmt: skip


def write_run(folder: Path, rows: list[EpisodeRow]) -> Path:
    config = RunConfig(
        created=WHEN, episodes=tuple(row.key for row in rows), sandbox="bubblewrap", image="host"
    )
    folder.mkdir()
    (folder / RUN_FILE).write_text(config.model_dump_json())
    for row in rows:
        own = folder / EPISODES / row.key.id
        own.mkdir(parents=True)
        (own / EPISODE).write_text(row.model_dump_json())
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    settings = [
        (task, level, seed)
        for task in ("bracex", "ssf", "stockholm")
        for level in ("L1", "L3")
        for seed in (0, 1)
    ]
    first = [episode(task, level, seed, 0.5 + 0.1 * seed, "openai/a") for task, level, seed in settings]
    better = {"bracex": 0.9, "ssf": 0.75, "stockholm": 0.25}
    second = [episode(task, level, seed, better[task], "openai/b") for task, level, seed in settings[:-1]]
    second.append(episode(*settings[-1], None, "openai/b"))
    return str(write_run(tmp_path / "first", first)), str(write_run(tmp_path / "second", second))


def test_the_table_has_each_model_and_its_counts(runs: tuple[str, str]) -> None:
    done = icae("report", *runs)
    assert done.exit_code == 0, done.stderr
    lines = [
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in done.stdout.splitlines()
        if "openai/b" in line
    ]
    assert lines[0][:5] == ["react", "openai/b", "11", "1", "0"]
    assert lines[0][6].startswith("63.3 [")
    assert "at least 0.1" in done.stdout
    assert "Elicitation" not in done.stdout  # no episode has gaps: an empty table is left out


def test_json_is_the_whole_report(runs: tuple[str, str]) -> None:
    for options in (["--json"], ["--format", "json"]):
        done = icae("report", runs[1], "--by", "level", "--by", "task", *options)
        found = RunReport.model_validate(document(done))
        assert found.by == ("level", "task")
        assert [group.label for group in found.groups][:2] == ["L1 / bracex", "L1 / ssf"]
        assert (found.all.scored, found.all.infra) == (11, 1)
        assert found.all.means["overall"].value == pytest.approx((0.9 + 0.75 + 0.25) / 3)
        assert found.all.means["cost"].unknown == 6


def test_csv_has_plain_numbers_and_leaves_unknown_ones_empty(runs: tuple[str, str]) -> None:
    done = icae("report", runs[0], "--format", "csv", "--by", "episode")
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(lines) == 12
    assert {line["cost"] for line in lines} == {"", "0.02"}
    assert float(lines[0]["overall"]) == 0.5
    assert lines[0]["native"] == ""


def test_markdown_keeps_its_columns_whatever_a_name_holds(runs: tuple[str, str]) -> None:
    done = icae("report", runs[0], "--format", "markdown", "--by", "domain")
    lines = [line for line in done.stdout.splitlines() if line.startswith("| text")]
    assert lines[0].startswith("| text \\| &lt;b> | 12 | 0 |")
    head = next(line for line in done.stdout.splitlines() if line.startswith("| domain"))
    assert lines[0].replace("\\|", "").count("|") == head.count("|")


def test_files_are_written_where_they_are_wanted(runs: tuple[str, str], tmp_path: Path) -> None:
    done = icae("report", *runs, "--format", "html")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    page = (Path(runs[0]) / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "first, second" in page
    out = tmp_path / "deep" / "report.txt"
    assert icae("report", runs[0], "--out", str(out)).exit_code == 0
    assert "Pass rates in percent" in out.read_text("utf-8")


def test_a_comparison_tells_wins_losses_and_what_moved(runs: tuple[str, str]) -> None:
    found = Comparison.model_validate(document(icae("compare", *runs, "--json")))
    assert (found.episodes.wins, found.episodes.losses, found.episodes.ties) == (8, 3, 0)
    assert (found.tasks.wins, found.tasks.losses) == (2, 1)
    assert [move.task for move in found.moves][:2] == ["stockholm", "stockholm"]
    assert len(found.only_first) == 1
    assert found.infra_second == 1
    shown = icae("compare", *runs).stdout
    for part in ("second against first", "Wilcoxon", "What moved", "without a partner", found.only_first[0]):
        assert part in shown, part
    written = icae("compare", *runs, "--format", "markdown").stdout
    assert "| stockholm | L1 | Python |" in written
    assert "What moved" in icae("compare", *runs, "--format", "csv").stdout


def test_two_players_of_one_run(runs: tuple[str, str], tmp_path: Path) -> None:
    rows = [episode("bracex", "L1", seed, 0.25, "openai/a") for seed in range(3)]
    rows += [episode("bracex", "L1", seed, 0.75, "openai/b") for seed in range(3)]
    run = str(write_run(tmp_path / "both", rows))
    done = icae("compare", run, run, "--model-a", "openai/a", "--model-b", "openai/b", "--json")
    assert document(done)["difference"] == 0.5
    assert icae("compare", run, runs[0]).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "nowhere"], "no run directory"),
        (["report", "RUN", "--format", "pdf"], "There is no format 'pdf'"),
        (["report", "RUN", "--by", "colour"], "There is no grouping 'colour'"),
        (["report", "RUN", "RUN"], "given twice"),
        (["compare", "RUN", "RUN", "--format", "html"], "There is no format 'html'"),
        (["compare", "RUN", "RUN", "--agent-a", "nobody"], "react / openai/a"),
    ],
)
def test_wrong_input_is_named(runs: tuple[str, str], arguments: list[str], said: str) -> None:
    done = icae(*(runs[0] if part == "RUN" else part for part in arguments))
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_reports_need_no_sandbox_and_no_terminal(runs: tuple[str, str]) -> None:
    done = process(
        "report", runs[0], "--by", "model", "--json", env={"PATH": "", "TERM": "dumb", "LANG": "C"}
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["groups"][0]["name"] == {"model": "openai/a"}
