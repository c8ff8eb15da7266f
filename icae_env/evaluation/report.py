"""The result of one evaluation, as it is stored and shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from icae_env.evaluation.submission import SubmissionInfo
from icae_env.sandbox.base import ImageRef
from icae_env.tasks.models import Comparison, Level, Protocol, Suite

Outcome = Literal["pass", "mismatch", "missing", "timeout", "not_run", "infra"]
"""``missing``: no acceptable output. ``timeout``: ended by its time limit. ``not_run``: the submission could not be compiled.
``infra``: the host failed."""
ReportSuite = Literal["native", "enhanced", "public"]
REPORT_SUITES: tuple[ReportSuite, ...] = ("native", "enhanced", "public")
MAX_TEXT = 2000
"""Characters of an output or expectation that a report keeps."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CaseResult(_Frozen):
    """What came of one case."""

    id: str
    suite: Suite
    outcome: Outcome
    public: bool
    expected: str
    """Cut to MAX_TEXT characters."""
    actual: str | None = None
    """Standard output, cut to MAX_TEXT characters; None where there is none."""
    actual_sha256: str | None = None
    """Over all of the output."""
    detail: str = ""
    """Why it is no pass."""
    seconds: float | None = None
    """Wall time where the case ran alone; None where it ran within its suite."""


class Build(_Frozen):
    """What came of compiling a submission."""

    ok: bool
    exit_code: int | None = None
    """Of ``compile.sh``; None when it did not run to its end."""
    log: str
    """The end of what it printed."""
    sha256: str | None = None
    """Of ``./executable``."""
    seconds: float = 0.0


class SuiteScore(_Frozen):
    """The passed cases of one suite; ``public`` counts the native cases that are marked public."""

    passed: int = Field(ge=0)
    total: int = Field(ge=0)
    """The task's cases, answered or not."""
    rate: float | None
    """passed / total; None for a suite without cases, and when the host failed."""


class SuiteScores(_Frozen):
    """The scores by suite; None for a suite that was not run."""

    native: SuiteScore | None = None
    enhanced: SuiteScore | None = None
    public: SuiteScore | None = None


class EvalReport(_Frozen):
    """Everything that one evaluation of one submission found."""

    task: str
    level: Level | None = None
    """Level of the episode the submission comes from, where known."""
    protocol: Protocol
    comparison: Comparison
    sandbox: str
    """Name of the backend it was replayed on."""
    image: ImageRef | None
    """The image it was replayed on; None when not even that could be found out."""
    submission: SubmissionInfo
    suites: SuiteScores
    overall: float | None
    """(native + enhanced passed) / (their cases); None when not measured or a suite was not run."""
    resolved: bool | None
    """Whether every case passed; None like ``overall``."""
    status: Literal["ok", "infra"]
    infra_error: str | None = None
    """What failed on the host's side."""
    build: Build | None = None
    """What came of compiling it; None under protocols that compile nothing."""
    cases: tuple[CaseResult, ...]
    """In the task's order."""
    seconds: float
    """Wall time of the whole evaluation."""

    @property
    def reward(self) -> float | None:
        """The overall pass rate, or None when nothing was measured."""
        return self.overall

    def case(self, case_id: str) -> CaseResult:
        """Return one case's result.

        Raises:
            KeyError: No such case was run.
        """
        for result in self.cases:
            if result.id == case_id:
                return result
        raise KeyError(case_id)

    def fingerprint(self) -> str:
        """Return a digest of what was measured, without times and wording: equal for equal behaviour."""
        measured = [
            self.task,
            self.protocol,
            self.comparison,
            self.submission.sha256,
            self.status,
            [[case.id, case.suite, case.outcome, case.actual_sha256] for case in self.cases],
        ]
        return hashlib.sha256(json.dumps(measured, separators=(",", ":")).encode()).hexdigest()


def score(results: Iterable[CaseResult], *, measured: bool) -> SuiteScore:
    """Return the score of some cases; without a rate when they were not measured."""
    outcomes = [result.outcome for result in results]
    passed = outcomes.count("pass")
    rate = passed / len(outcomes) if measured and outcomes else None
    return SuiteScore(passed=passed, total=len(outcomes), rate=rate)
