"""Replay by the protocol ``program``: ``compile.sh`` makes ``./executable``, which is then run on every case.

It is compiled once, without network, in a sandbox of its own. Each case has a fresh sandbox, whose ``/workspace`` holds what the
compilation left there and the case's files, and is started in it as agents start the reference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath

from icae_env.errors import SandboxStartError
from icae_env.evaluation.archive import FileMap
from icae_env.evaluation.compare import Verdict, compare
from icae_env.evaluation.replay import OUTPUT_LIMIT, Answer, Replay, each_case, misfit
from icae_env.evaluation.report import Build
from icae_env.evaluation.submission import take_snapshot
from icae_env.sandbox.base import WORKSPACE, Completed, Sandbox
from icae_env.tasks.models import Case, Comparison, OracleSpec
from icae_env.tasks.program_cases import Data, ProgramInput, ProgramResult, bytes_of, data_of

COMPILE, EXECUTABLE = "compile.sh", "executable"
NOT_BUILT = "compile.sh made no executable"
_LOG = 16_000
"""Characters of a log that are kept."""


def replay_program(
    replay: Replay, cases: Sequence[Case], oracle: OracleSpec
) -> tuple[dict[str, Answer], Build]:
    """Compile the submission and run every case.

    Args:
        replay: What is replayed, and where.
        cases: The cases.
        oracle: The task's rules.

    Returns:
        The answers by case id (``not_run`` where there is nothing to run), and what came of the compilation.
    """
    build, files = compiled(replay, oracle)
    if not build.ok:
        return {case.id: Answer(kind="not_run", detail=NOT_BUILT) for case in cases}, build
    return each_case(lambda case: _answer(replay, files, case), cases, workers=replay.workers), build


def compiled(replay: Replay, oracle: OracleSpec) -> tuple[Build, FileMap]:
    """Compile a submission in a fresh sandbox.

    Returns:
        What came of it, and the workspace afterwards.

    Raises:
        SandboxError: The host failed.
    """
    files = _without(replay.submission.files, oracle.clean_hashes)
    if COMPILE not in files:
        return Build(ok=False, log=f"the submission has no file '{COMPILE}'"), {}
    with replay.backend.create(replay.config) as box, replay.tracked(box):
        try:
            _put(box, files)
        except OSError as error:
            return Build(ok=False, log=_placing(error)), {}
        done = box.run(["/bin/bash", f"./{COMPILE}"], timeout=oracle.build_seconds)
        log = (done.stdout + done.stderr).decode("utf-8", "replace")[-_LOG:]
        if done.timed_out:
            log += f"\n[ended after {oracle.build_seconds:g} s]"
        built = take_snapshot(box).files
    made = built.get(EXECUTABLE)
    ok = done.exit_code == 0 and not done.timed_out and made is not None
    if done.exit_code == 0 and made is None:
        log += f"\n[{COMPILE} left no file '{EXECUTABLE}']"
    build = Build(
        ok=ok,
        exit_code=None if done.timed_out else done.exit_code,
        log=log,
        sha256=None if made is None else hashlib.sha256(made[0]).hexdigest(),
        seconds=done.seconds,
    )
    return build, {**built, EXECUTABLE: (made[0], made[1] | 0o111)} if made is not None else {}


def compare_results(expected: str, actual: bytes, *, oracle: OracleSpec, comparison: Comparison) -> Verdict:
    """Compare what a program did with what the reference did: exit code, standard output, files, standard error.

    Args:
        expected: The reference's ``ProgramResult`` as JSON.
        actual: The program's.
        oracle: Its ``stderr`` says what of standard error counts.
        comparison: How texts are compared.
    """
    wanted, found = (ProgramResult.model_validate_json(text) for text in (expected, actual))
    if wanted.exit_code != found.exit_code:
        return Verdict(equal=False, detail=f"exit code {found.exit_code}, not {wanted.exit_code}")
    pairs: dict[str, tuple[Data | None, Data | None]] = {"standard output": (wanted.stdout, found.stdout)}
    if oracle.stderr == "text" and wanted.stderr is not None:
        pairs["standard error"] = (wanted.stderr, found.stderr)
    for path, content in wanted.files.items():
        pairs[f"file '{path}'"] = (content, found.files.get(path))
    for name, (one, other) in pairs.items():
        verdict = _compared(comparison, one, other)
        if not verdict.equal:
            return Verdict(equal=False, detail=f"{name}: {verdict.detail}")
    if oracle.stderr == "presence" and bool(wanted.stderr) != bool(found.stderr):
        return Verdict(equal=False, detail="standard error: " + ("nothing" if wanted.stderr else "not empty"))
    return Verdict(equal=True)


def _compared(comparison: Comparison, wanted: Data | None, found: Data | None) -> Verdict:
    if wanted is None or found is None:
        same = wanted is None and found is None
        return Verdict(
            equal=same, detail="" if same else "missing" if found is None else "should not be there"
        )
    if isinstance(wanted, str):
        return compare(comparison, wanted, bytes_of(found))
    equal = bytes_of(wanted) == bytes_of(found)
    return Verdict(equal=equal, detail="" if equal else "other bytes")


def _answer(replay: Replay, files: FileMap, case: Case) -> Answer:
    given = ProgramInput.model_validate(case.input)
    wanted = ProgramResult.model_validate_json(case.expected_output)
    try:
        done, left = _run(replay, files, given, tuple(wanted.files))
    except OSError as error:
        return Answer(kind="refused", detail=_placing(error))
    if done.timed_out:
        limit = replay.limits.case_seconds
        return Answer(kind="timeout", detail=f"ended after {limit:g} s", seconds=done.seconds)
    if done.truncated:
        return Answer(kind="refused", detail="output too large", seconds=done.seconds)
    result = ProgramResult(
        stdout=data_of(done.stdout), stderr=data_of(done.stderr), exit_code=done.exit_code, files=left
    )
    return Answer(kind="output", output=result.text().encode(), seconds=done.seconds)


def _run(
    replay: Replay, files: FileMap, given: ProgramInput, wanted: Sequence[str]
) -> tuple[Completed, dict[str, Data | None]]:
    argv, stdin, limit = start_argv(given), bytes_of(given.stdin), replay.limits.case_seconds
    if not given.files and not wanted:
        return replay.backend.run_fresh(
            replay.config, files, argv, stdin=stdin, timeout=limit, output_limit=OUTPUT_LIMIT
        ), {}
    with replay.backend.create(replay.config) as box, replay.tracked(box):
        _put(box, files)
        for path, content in given.files.items():
            box.files.write(WORKSPACE / path, bytes_of(content))
        done = box.run(argv, stdin=stdin, timeout=limit, output_limit=OUTPUT_LIMIT)
        box.kill_all()
        return done, {path: _left(box, WORKSPACE / path) for path in wanted}


def start_argv(given: ProgramInput) -> list[str]:
    """Return the command that runs the program on one case, from the workspace."""
    return [f"./{EXECUTABLE}", *given.args]


def _left(box: Sandbox, path: PurePosixPath) -> Data | None:
    try:
        return data_of(box.files.read(path, limit=OUTPUT_LIMIT))
    except OSError:
        return None


def _put(box: Sandbox, files: FileMap) -> None:
    for path, (content, mode) in files.items():
        box.files.write(WORKSPACE / path, content, mode=mode)


def _without(files: FileMap, hashes: Sequence[str]) -> FileMap:
    """Return a submission without an executable that was handed in ready-made, and without files that are known."""
    known = set(hashes)
    return {
        path: (content, mode)
        for path, (content, mode) in files.items()
        if path != EXECUTABLE and not (known and hashlib.sha256(content).hexdigest() in known)
    }


def _placing(error: OSError) -> str:
    """Return why a submission does not fit into a sandbox.

    Raises:
        SandboxStartError: The host is to blame.
    """
    if problem := misfit(error):
        return problem
    raise SandboxStartError(f"The submission could not be put into a fresh sandbox: {error}.") from error
