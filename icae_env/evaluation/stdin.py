"""Replay by the ``stdin`` protocol: ``./run`` gets one case on standard input and prints the answer.

Every case has a sandbox of its own. Only standard output counts: a right answer passes whatever the exit
code.
"""

from __future__ import annotations

from collections.abc import Sequence

from icae_env.errors import SandboxStartError
from icae_env.evaluation.replay import Answer, Replay, all_missing, each_case, ending, misfit, output_limit
from icae_env.sandbox.base import Completed
from icae_env.tasks.models import Case

ENTRY = "run"


def replay_stdin(replay: Replay, cases: Sequence[Case]) -> dict[str, Answer]:
    """Run every case alone and return the answers by case id.

    It takes at most ``case_seconds`` for each case, divided by the number of workers.
    """
    files = replay.submission.files  # one mapping for all cases, so that a backend may pack it once
    if ENTRY not in files:
        return all_missing(cases, f"the submission has no file '{ENTRY}'")

    def work(case: Case) -> Answer:
        try:
            done = replay.backend.run_fresh(
                replay.config,
                files,
                [f"./{ENTRY}"],
                stdin=case.input_text.encode("utf-8", "surrogatepass"),
                timeout=replay.limits.case_seconds,
                output_limit=output_limit(case),
            )
        except OSError as error:
            if problem := misfit(error):
                return Answer(kind="refused", detail=problem)
            raise SandboxStartError(
                f"The submission could not be put into a fresh sandbox: {error}."
            ) from error
        return _answer(done, replay.limits.case_seconds, output_limit(case))

    return each_case(work, cases, workers=replay.workers)


def _answer(done: Completed, limit: float, most: int) -> Answer:
    if done.timed_out:
        return Answer(kind="timeout", detail=f"ended after {limit:g} s", seconds=done.seconds)
    if done.truncated and len(done.stdout) >= most:
        return Answer(kind="refused", detail=f"output larger than {most} bytes", seconds=done.seconds)
    if done.exit_code != 0 and not done.stdout:
        return Answer(kind="missing", detail=f"no output, {ending(done)}", seconds=done.seconds)
    return Answer(kind="output", output=done.stdout, seconds=done.seconds)
