"""Replay by the ``rcb`` protocol: ``rcb_tests/test.sh --cases-dir SUITE`` answers a whole suite.

Rules:

1. Each suite runs once in a sandbox of its own that holds the submission (without anything at
   ``rcb_tests/stdout``, ``rcb_tests/native`` and ``rcb_tests/enhanced``) and that suite's inputs; it may take
   ``suite_seconds``.
2. Outputs are read when everything inside has been killed. An output counts only as a regular file of at most
   ``output_limit`` bytes that is reached without a link.
3. If the suite ran into its limit or filled its disk, or an output is missing or refused, the run is not
   trusted where it is not right: every case that has not passed (refused ones apart) is replayed alone, in a
   fresh sandbox whose suite holds that case as index 0, within ``case_seconds``. So one hang, crash or full
   disk costs one case.
4. These replays may take ``suite_seconds`` for each suite; cases not started by then are timeouts. A suite
   thus takes at most twice ``suite_seconds`` and one ``case_seconds``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from icae_env.errors import SandboxError, SandboxStartError
from icae_env.evaluation.collect import collect, disk_full
from icae_env.evaluation.compare import compare
from icae_env.evaluation.replay import Answer, Replay, all_missing, each_case, ending, misfit
from icae_env.evaluation.walk import OUTPUTS
from icae_env.sandbox.base import MIB, WORKSPACE, Completed, Sandbox
from icae_env.tasks.models import SUITES, Case, Suite

ENTRY = "rcb_tests/test.sh"
_REPLACED = (OUTPUTS, *(f"rcb_tests/{suite}" for suite in SUITES))
_LOG_LIMIT = MIB
"""Bytes kept of what test.sh itself prints; nothing is judged by it."""


def replay_rcb(replay: Replay, suites: Mapping[Suite, Sequence[Case]]) -> dict[str, Answer]:
    """Run the suites and return the answers of all their cases by case id."""
    if ENTRY not in replay.submission.files:
        return all_missing(
            [case for cases in suites.values() for case in cases], f"the submission has no file '{ENTRY}'"
        )
    with (
        ThreadPoolExecutor(max_workers=max(1, min(replay.workers, len(suites)))) as pool,
        replay.interruptible(),
    ):
        runs = list(pool.map(lambda suite: _whole_suite(replay, suite, suites[suite]), suites))
    answers: dict[str, Answer] = {}
    for _, found in runs:
        answers |= found
    if any(answer.kind == "infra" for answer in answers.values()):
        return answers  # no reward will come of it, so nothing more is run
    for suite, (trusted, found) in zip(suites, runs, strict=True):
        if not trusted:
            answers |= _alone(
                replay, suite, [case for case in suites[suite] if _open(replay, case, found[case.id])]
            )
    return answers


def _whole_suite(replay: Replay, suite: Suite, cases: Sequence[Case]) -> tuple[bool, dict[str, Answer]]:
    """Return whether every case came to an end, and the answers."""
    if not cases:
        return True, {}
    try:
        run = _run(replay, suite, cases, replay.limits.suite_seconds)
    except SandboxError as error:
        return True, {case.id: Answer(kind="infra", detail=str(error)) for case in cases}
    whole = all(answer.kind == "output" for answer in run.answers.values())
    return whole and not run.done.timed_out and not run.disk_full, run.answers


def _open(replay: Replay, case: Case, answer: Answer) -> bool:
    if answer.kind == "output":
        return not compare(replay.comparison, case.expected_output, answer.output).equal
    return answer.kind == "missing"


def _alone(replay: Replay, suite: Suite, cases: Sequence[Case]) -> dict[str, Answer]:
    limit = replay.limits.case_seconds

    def work(case: Case) -> Answer:
        began = time.monotonic()
        run = _run(replay, suite, [case], limit)
        answer = run.answers[case.id]
        if run.done.timed_out:
            answer = Answer(kind="timeout", detail=f"ended after {limit:g} s")
        elif answer.kind == "missing":
            answer = Answer(kind="missing", detail=f"{answer.detail}; test.sh: {ending(run.done)}")
        return answer.model_copy(update={"seconds": time.monotonic() - began})

    return each_case(work, cases, workers=replay.workers, seconds=replay.limits.suite_seconds)


@dataclass(frozen=True)
class _Run:
    done: Completed
    answers: dict[str, Answer]
    disk_full: bool


def _run(replay: Replay, suite: Suite, cases: Sequence[Case], seconds: float) -> _Run:
    """Run test.sh on some cases of a suite in a fresh sandbox.

    Raises:
        SandboxError: The host failed.
    """
    with replay.backend.create(replay.config) as sandbox, replay.tracked(sandbox):
        if problem := place(sandbox, replay, suite, cases):
            refused = {case.id: Answer(kind="refused", detail=problem) for case in cases}
            return _Run(Completed(exit_code=1), refused, disk_full=False)
        done = sandbox.run(["bash", ENTRY, "--cases-dir", suite], timeout=seconds, output_limit=_LOG_LIMIT)
        answers = collect(
            sandbox, suite, cases, any_index=replay.comparison == "compat", ended_well=done.exit_code == 0
        )
        return _Run(done, answers, sandbox.alive() and disk_full(sandbox))


def place(sandbox: Sandbox, replay: Replay, suite: Suite, cases: Sequence[Case]) -> str | None:
    """Put the submission and the inputs into a sandbox in which nothing of the submission has run yet.

    Returns:
        Why they do not fit, or None.

    Raises:
        SandboxStartError: They cannot be written, which is the host's affair.
    """
    submission = replay.submission
    try:
        for path in submission.directories:
            if not _is_replaced(path):
                sandbox.files.mkdir(WORKSPACE / path)
        for path, (data, mode) in submission.files.items():
            if not _is_replaced(path):
                sandbox.files.write(WORKSPACE / path, data, mode=mode)
        for stem, group in by_stem(cases).items():
            sandbox.files.write(WORKSPACE / "rcb_tests" / suite / f"{stem}.json", suite_file(group))
    except OSError as error:
        if problem := misfit(error):
            return problem
        raise SandboxStartError(f"The submission could not be put into a fresh sandbox: {error}.") from error
    return None


def by_stem(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """Group cases by file; the position in a group is the index of the output."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.stem, []).append(case)
    return groups


def suite_file(cases: Sequence[Case]) -> bytes:
    """Return an input file: ids and inputs, no expectation."""
    content = {"cases": [{"id": case.id, "input": case.input} for case in cases]}
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogatepass")


def _is_replaced(path: str) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in _REPLACED)
