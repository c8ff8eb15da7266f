"""A study of two agents, four languages and three tasks, computed by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from icae_env.dependencies.instance import Instance
from icae_env.dependencies.layers import Layers, Unavailable
from icae_env.reports.dependencies import StudyReport, study_report, study_tables, write_study
from icae_env.reports.dependencies.charts import quartiles


def project(agent, task, ecosystem, layers, depth, **more) -> Instance:
    declared, installed, traced = (frozenset(part) if isinstance(part, str) else part for part in layers)
    found = Layers(ecosystem=ecosystem, declared=declared, installed=installed, traced=traced)
    domain = {"1": "Web", "2": "Data", "3": "Data"}[task]
    return Instance(
        agent=agent, task=task, ecosystem=ecosystem, layers=found, depth=depth, domain=domain,
        stdlib_sufficient=task == "3", **more,
    )  # fmt: skip


STUDY = [
    project("ada", "1", "python", ("abc", "abde", "adf"), 0),
    project("ada", "2", "python", ("a", "abcdef", "abcdef"), 2),
    project("ada", "3", "python", ("", "", ""), 0),
    project("bob", "1", "python", ("ab", "ab", "a"), 0),
    project("bob", "2", "python", ("x", "x", "x"), 5),
    project("bob", "3", "python", ("z", "z", ""), None),
    project("ada", "1", "java", ("j", "jk", "jk"), 1),
    project("bob", "1", "java", ("j", "j", "j"), 0),
    project("ada", "1", "javascript", ("y", "yabcdefg", Unavailable("no ptrace")), 0),
    project("ada", "1", "cpp", ("n", "n", ""), 3, failure="SystemLib"),
    project("ada", "2", "cpp", ("n", "n", "s"), None, failure="SystemLib"),
    project("ada", "3", "cpp", ("", "", ""), 1, failure="FetchFail"),
    project("bob", "1", "cpp", ("n", "n", ""), 0),
    project("ada", "1", "python", ("abc", "abc", "abc"), 0, trial=1),
    project("ada", "1", "python", ("ab", "ab", "ab"), 0, trial=2),
    Instance(agent="bob", task="2", ecosystem="java", infra="the registry | <was> away", domain="Data"),
]


@pytest.fixture(scope="module")
def report() -> StudyReport:
    return study_report(STUDY)


def table(report: StudyReport, name: str) -> list[tuple[str, ...]]:
    return list(next(sheet.lines for sheet in study_tables(report) if sheet.name == name))


def test_convergence(report: StudyReport) -> None:
    lines = table(report, "convergence")
    assert lines[0] == ("ada", "Python", "3", "66.7", "100.0", "33.3", "0.67", "2", "1", "0", "0", "0")
    assert lines[1] == ("bob", "Python", "3", "33.3", "66.7", "33.3", "2.50", "1", "0", "1", "0", "1")
    assert ("bob", "Java", "1", "100.0", "100.0", "0.0", "0.00", "1", "0", "0", "0", "0") in lines
    assert ("All", "Python", "6", "50.0", "83.3", "33.3", "1.40", "3", "1", "1", "0", "1") in lines
    domains = {line[:2]: line[2:5] for line in table(report, "domains")}
    assert domains["ada", "Data"] == ("4", "25.0", "75.0")


def test_accuracy_is_table_4(report: StudyReport) -> None:
    lines = {line[:2]: line[2:] for line in table(report, "accuracy")}
    # ada: 1/3 and 2/7 of F1, the third project declares and reads nothing
    assert lines["ada", "Python"] == ("0.667", "0.250", "0.310", "2")
    # bob: P 1/2 R 1 F1 2/3, and 1; the third never ran
    assert lines["bob", "Python"] == ("0.750", "1.000", "0.833", "2")
    assert lines["All", "Python"] == ("0.708", "0.625", "0.571", "4")
    assert lines["ada", "JavaScript"] == ("-", "-", "-", "0")
    assert lines["ada", "C++"] == ("0.000", "1.000", "0.000", "1")


def test_gaps_and_growth(report: StudyReport) -> None:
    lines = {line[:2]: line[2:] for line in table(report, "gaps")}
    assert lines["ada", "Python"] == ("3", "0.222", "0.500", "0.167", "3", "3.67", "3.67", "2", "2.33")
    assert lines["ada", "JavaScript"] == ("1", "-", "-", "-", "0", "8.00", "8.00", "1", "7.00")


def test_agreement_and_stability(report: StudyReport) -> None:
    lines = {line[:2]: line[2:] for line in table(report, "agreement")}
    assert lines["Python", "ada, bob"] == ("3", "0.222", "66.7")
    assert lines["Java", "All"] == ("1", "1.000", "0.0")
    assert report.mean_cdr == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert table(report, "stability") == [
        ("ada", "Python", "0.778", "0.667", "0/1 (0.0%)", "3.0", "2.0"),
    ]


def test_needless_packages_the_environments_gap_and_size(report: StudyReport) -> None:
    needless = {line[:2]: line[2:] for line in table(report, "needless")}
    assert needless == {
        ("ada", "Python"): ("1", "0", "0.0"), ("bob", "Python"): ("1", "1", "100.0"), ("ada", "C++"): ("1", "0", "0.0"),
    }  # fmt: skip
    assert table(report, "environment") == [
        ("ada", "3", "2", "1", "0", "66.7", "1", "50.0"), ("bob", "0", "0", "0", "0", "-", "0", "-"),
    ]  # fmt: skip
    size = {line[0]: line[1:] for line in table(report, "correlation")}
    assert size["Java"] == ("2", "-", "-")
    assert size["Python"][0] == "6"
    assert float(size["Python"][1]) == pytest.approx(4.5 / 209.25**0.5, abs=5e-4)


def test_frequent_packages_and_what_is_left_out(report: StudyReport) -> None:
    phantom = dict(table(report, "phantom"))
    assert phantom == {"Python": "b (2), c (1), z (1)", "C++": "n (3)"}
    assert dict(table(report, "hidden"))["Python"] == "d (2), f (2), b (1), c (1), e (1)"
    assert table(report, "left-out") == [("bob", "2", "Java", "0", "the registry | <was> away")]
    assert report.projects == 16


def test_files_of_a_study(tmp_path: Path) -> None:
    report = write_study(STUDY, tmp_path)
    assert StudyReport.model_validate_json((tmp_path / "study.json").read_text()) == report
    assert json.loads((tmp_path / "study.json").read_text())["left_out"][0]["agent"] == "bob"
    words = (tmp_path / "tables.md").read_text()
    assert "| ada | Python | 0.667 | 0.250 | 0.310 | 2 |" in words
    assert "the registry \\| &lt;was> away" in words
    cells = list(csv.reader(io.StringIO((tmp_path / "tables.csv").read_text())))
    assert ["ada", "Python", "0.667", "0.250", "0.310", "2"] in cells
    figures = sorted(path.stem for path in (tmp_path / "figures").iterdir())
    assert figures == sorted(
        ["figure-4-first-attempts", "figure-5-repairs", "figure-6-convergence", "figure-7-gaps",
         "figure-8-growth", "figure-9-agreement", "figure-10-domains"]
    )  # fmt: skip
    page = (tmp_path / "index.html").read_text()
    assert "<was>" not in page
    assert all(f'id="{name}"' in page for name in figures)


def titles(file: Path) -> list[str]:
    """What a figure's pieces say of themselves; parsing it proves that it is whole XML."""
    root = ElementTree.parse(file).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [item.text or "" for item in root.iter("{http://www.w3.org/2000/svg}title")]


def test_figures_show_the_numbers(tmp_path: Path) -> None:
    write_study(STUDY, tmp_path)
    said = {path.stem: titles(path) for path in (tmp_path / "figures").iterdir()}
    assert "ada, Python, 2: failure" in said["figure-4-first-attempts"]
    assert "bob, Java, 1: success" in said["figure-4-first-attempts"]
    assert not [text for text in said["figure-4-first-attempts"] if text.startswith("bob, Java, 2")]
    assert "4-7: 1 of 3" in said["figure-5-repairs"]
    assert "ada: SR(0) 66.7 %" in said["figure-6-convergence"]
    assert "ada: gain 33.3 %" in said["figure-6-convergence"]
    assert "hidden: 30.0 %" in said["figure-7-gaps"]
    assert any(text.startswith("Python: median 1.17") for text in said["figure-8-growth"])
    assert "ada, bob: 0.222" in said["figure-9-agreement"]
    assert "ada: SR(0) 25.0 %" in said["figure-10-domains"]


def test_bars_are_as_high_as_their_numbers(tmp_path: Path) -> None:
    write_study(STUDY, tmp_path)
    root = ElementTree.parse(tmp_path / "figures" / "figure-6-convergence.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    heights = {
        (rect.find(f"{space}title").text): float(rect.get("height"))  # type: ignore[union-attr, arg-type]
        for rect in root.iter(f"{space}rect")
        if rect.find(f"{space}title") is not None
    }
    assert heights["bob: SR(0) 100.0 %"] / heights["ada: SR(0) 66.7 %"] == pytest.approx(1.5, abs=0.01)


def test_a_study_of_nothing(tmp_path: Path) -> None:
    report = write_study([], tmp_path)
    assert report.projects == 0
    assert study_tables(report) == []
    assert not (tmp_path / "figures").exists()


def test_names_of_agents_are_no_markup(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\u202e"
    write_study([project(evil, "1", "python", ("a", "a", "a"), 0)], tmp_path)
    for path in [tmp_path / "index.html", *(tmp_path / "figures").iterdir()]:
        assert "<script>" not in path.read_text()
        assert "\u202e" not in path.read_text()


def test_quartiles() -> None:
    assert quartiles([3.0]) == (3, 3, 3)
    assert quartiles([1.0, 2.0, 3.0, 4.0, 5.0]) == (2, 3, 4)
    assert quartiles([1.0, 2.0]) == (1.25, 1.5, 1.75)
