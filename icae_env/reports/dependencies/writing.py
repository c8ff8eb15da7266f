"""A study's report as files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from icae_env.dependencies.instance import BUDGET, Instance
from icae_env.reports.dependencies.figures import study_figures
from icae_env.reports.dependencies.page import study_page
from icae_env.reports.dependencies.study import StudyReport, study_report
from icae_env.reports.dependencies.tables import study_tables
from icae_env.reports.files import write_whole
from icae_env.reports.layout import markdown, sheet_csv


def write_study(instances: Iterable[Instance], folder: Path, *, budget: int = BUDGET) -> StudyReport:
    """Write ``study.json``, ``tables.md``, ``tables.csv``, ``figures/*.svg`` and ``index.html``, and return the measures.

    Args:
        instances: The study's projects.
        folder: Where the files go; it is made.
        budget: Repairs that a project could have.

    Raises:
        MissingDependencyError: SciPy is not installed.
    """
    items = list(instances)
    report = study_report(items, budget=budget)
    tables, figures = study_tables(report), study_figures(report, items)
    write_whole(folder / "study.json", report.model_dump_json(indent=2) + "\n")
    write_whole(folder / "tables.md", markdown(tables))
    write_whole(folder / "tables.csv", sheet_csv(tables))
    for name, drawing in figures.items():
        write_whole(folder / "figures" / f"{name}.svg", f"{drawing}\n")
    write_whole(folder / "index.html", study_page(report, tables, figures))
    return report
