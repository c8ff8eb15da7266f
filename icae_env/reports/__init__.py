"""Reports of runs: statistics, tables, a page, and trajectories in other programs' formats."""

from icae_env.reports.comparison import Comparison, Move, Pair, chosen, compare
from icae_env.reports.elicitation import ConstraintLine, gap_table
from icae_env.reports.failures import FAILURE_CLASSES, FailureClass, classify
from icae_env.reports.intervals import Interval, bootstrap, mean_of_clusters, wilson
from icae_env.reports.metrics import METRICS, TOTALS, Metric
from icae_env.reports.paired import Tally, Wilcoxon, tally, wilcoxon
from icae_env.reports.passing import (
    PassK,
    Share,
    Tier,
    pass_at_k,
    pass_hat_k,
    passes,
    shares,
    tiers,
)
from icae_env.reports.rows import Entry, Rows, load_rows
from icae_env.reports.summary import BY, By, Group, Mean, RunReport, Total, grouped, summarise

__all__ = [
    "BY",
    "FAILURE_CLASSES",
    "METRICS",
    "TOTALS",
    "By",
    "Comparison",
    "ConstraintLine",
    "Entry",
    "FailureClass",
    "Group",
    "Interval",
    "Mean",
    "Metric",
    "Move",
    "Pair",
    "PassK",
    "Rows",
    "RunReport",
    "Share",
    "Tally",
    "Tier",
    "Total",
    "Wilcoxon",
    "bootstrap",
    "chosen",
    "classify",
    "compare",
    "gap_table",
    "grouped",
    "load_rows",
    "mean_of_clusters",
    "pass_at_k",
    "pass_hat_k",
    "passes",
    "shares",
    "summarise",
    "tally",
    "tiers",
    "wilcoxon",
    "wilson",
]
