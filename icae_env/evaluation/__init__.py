"""Score submissions: snapshot, replay in fresh sandboxes, comparison on the host, report, gaps."""

from icae_env.evaluation.evaluate import evaluate
from icae_env.evaluation.gaps import GapReport, find_gaps
from icae_env.evaluation.report import CaseResult, EvalReport
from icae_env.evaluation.submission import Submission, load_submission, take_snapshot

__all__ = [
    "CaseResult",
    "EvalReport",
    "GapReport",
    "Submission",
    "evaluate",
    "find_gaps",
    "load_submission",
    "take_snapshot",
]
