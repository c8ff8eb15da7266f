"""Reports of dependency studies: measures by stratum, tables, figures."""

from icae_env.reports.dependencies.figures import study_figures
from icae_env.reports.dependencies.page import study_page
from icae_env.reports.dependencies.study import StudyReport, study_report
from icae_env.reports.dependencies.tables import study_tables
from icae_env.reports.dependencies.writing import write_study

__all__ = ["StudyReport", "study_figures", "study_page", "study_report", "study_tables", "write_study"]
