"""Score a submission: replay its cases in fresh sandboxes, compare on the host, report."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

from icae_env.errors import InfraError, UnknownNameError
from icae_env.evaluation.compare import Verdict, compare, readable
from icae_env.evaluation.program import compare_results, replay_program
from icae_env.evaluation.rcb import replay_rcb
from icae_env.evaluation.replay import Answer, Replay
from icae_env.evaluation.report import (
    MAX_TEXT,
    REPORT_SUITES,
    Build,
    CaseResult,
    EvalReport,
    Outcome,
    ReportSuite,
    SuiteScores,
    score,
)
from icae_env.evaluation.stdin import replay_stdin
from icae_env.evaluation.submission import Submission
from icae_env.sandbox.base import Backend, ImageRef, Limits, SandboxConfig
from icae_env.tasks.models import SUITES, Case, HiddenTask, Level, TaskSpec

_DEFAULT_LIMITS = Limits()


def evaluate(
    hidden: HiddenTask,
    submission: Submission,
    backend: Backend,
    *,
    image: str | None = None,
    suites: Sequence[ReportSuite] = REPORT_SUITES,
    workers: int = 2,
    level: Level | None = None,
    limits: Limits = _DEFAULT_LIMITS,
) -> EvalReport:
    """Replay a submission and return its report.

    Args:
        hidden: The task with its expected outputs, which stay on the host.
        submission: A snapshot, fresh or loaded.
        backend: Where it is replayed.
        image: Image of the sandboxes; the task's own by default.
        suites: What to run. ``public`` is part of ``native`` and costs nothing beside it; alone, it runs only
            the public cases. Without both ``native`` and ``enhanced`` the report has no overall.
        workers: Sandboxes at the same time.
        level: Noted in the report.
        limits: Of each sandbox.

    Returns:
        The report; status ``infra`` and no reward where the host failed.

    Raises:
        UnknownNameError: There is no such suite.
        ConfigError: There is no such image.
    """
    for name in suites:
        if name not in REPORT_SUITES:
            raise UnknownNameError("suite", name, REPORT_SUITES)
    began = time.monotonic()
    cases = _selected(hidden, suites)
    config = SandboxConfig(image=hidden.spec.image if image is None else image, limits=limits)
    replay = Replay(backend, config, submission, hidden.spec.limits, hidden.spec.comparison, workers)
    found: ImageRef | None = None
    build: Build | None = None
    try:
        found = _image(replay)
        answers, build = _replayed(hidden, replay, cases)
    except InfraError as error:
        answers = {case.id: Answer(kind="infra", detail=str(error)) for case in cases}
    results = tuple(_result(case, answers[case.id], hidden.spec) for case in cases)
    report = _report(hidden, replay, results, image=found, suites=suites)
    return report.model_copy(update={"level": level, "build": build, "seconds": time.monotonic() - began})


def _selected(hidden: HiddenTask, suites: Sequence[ReportSuite]) -> list[Case]:
    return [
        case
        for case in hidden.cases
        if case.suite in suites or (case.public and case.suite == "native" and "public" in suites)
    ]


def _image(replay: Replay) -> ImageRef:
    sandbox = replay.backend.create(replay.config)
    try:
        return sandbox.image
    finally:
        sandbox.close()


def _replayed(
    hidden: HiddenTask, replay: Replay, cases: Sequence[Case]
) -> tuple[dict[str, Answer], Build | None]:
    if hidden.spec.oracle is not None:
        return replay_program(replay, cases, hidden.spec.oracle)
    if hidden.spec.protocol == "stdin":
        return replay_stdin(replay, cases), None
    groups = {suite: [case for case in cases if case.suite == suite] for suite in SUITES}
    return replay_rcb(replay, {suite: group for suite, group in groups.items() if group}), None


def _result(case: Case, answer: Answer, spec: TaskSpec) -> CaseResult:
    outcome: Outcome
    detail, output = answer.detail, None
    if answer.kind == "output":
        output = answer.output
        verdict = _compared(case, output, spec)
        outcome, detail = ("pass" if verdict.equal else "mismatch"), verdict.detail
    else:
        outcome = "missing" if answer.kind == "refused" else answer.kind
    return CaseResult(
        id=case.id,
        suite=case.suite,
        outcome=outcome,
        public=case.public,
        expected=case.expected_output[:MAX_TEXT].encode("utf-8", "backslashreplace").decode(),
        actual=None if output is None else readable(output[: 4 * MAX_TEXT])[:MAX_TEXT],
        actual_sha256=None if output is None else hashlib.sha256(output).hexdigest(),
        detail=detail,
        seconds=answer.seconds,
    )


def _compared(case: Case, output: bytes, spec: TaskSpec) -> Verdict:
    if spec.oracle is not None:
        return compare_results(case.expected_output, output, oracle=spec.oracle, comparison=spec.comparison)
    return compare(spec.comparison, case.expected_output, output)


def _report(
    hidden: HiddenTask,
    replay: Replay,
    results: tuple[CaseResult, ...],
    *,
    image: ImageRef | None,
    suites: Sequence[ReportSuite],
) -> EvalReport:
    failed = next((result.detail for result in results if result.outcome == "infra"), None)
    measured = failed is None and image is not None
    groups = {
        "native": [result for result in results if result.suite == "native"],
        "enhanced": [result for result in results if result.suite == "enhanced"],
        "public": [result for result in results if result.public],
    }
    whole = measured and bool(results) and all(suite in suites for suite in SUITES)
    passed = sum(result.outcome == "pass" for result in results)
    return EvalReport(
        task=hidden.spec.id,
        protocol=hidden.spec.protocol,
        comparison=hidden.spec.comparison,
        sandbox=replay.backend.name,
        image=image,
        submission=replay.submission.info,
        suites=SuiteScores(**{name: score(groups[name], measured=measured) for name in suites}),
        overall=passed / len(results) if whole else None,
        resolved=passed == len(results) if whole else None,
        status="ok" if measured else "infra",
        infra_error=failed,
        cases=results,
        seconds=0.0,
    )
