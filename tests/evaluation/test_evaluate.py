"""Replay and report on the fake sandbox; the same on real ones is in test_replay_real.py."""

from __future__ import annotations

import json
import threading
import time

import pytest
from double_task import doubling, make_submission, make_task, write_outputs

from icae_env.errors import SandboxDiedError, UnknownNameError
from icae_env.evaluation.evaluate import evaluate
from icae_env.evaluation.report import EvalReport
from icae_env.evaluation.submission import Submission
from icae_env.sandbox.base import MIB, WORKSPACE, Completed
from icae_env.sandbox.fake import FakeBackend, FakeCall
from icae_env.tasks.models import HiddenTask, TaskLimits

PROTOCOLS = pytest.mark.parametrize("protocol", ["rcb", "stdin"])


def outcomes(report: EvalReport) -> dict[str, str]:
    return {case.id: case.outcome for case in report.cases if case.outcome != "pass"}


@PROTOCOLS
def test_right_answers_score_one(protocol: str, submission: Submission, fake: FakeBackend) -> None:
    report = evaluate(make_task(protocol=protocol), submission, fake, level="L2")
    assert report.status == "ok"
    assert (report.reward, report.overall, report.resolved) == (1.0, 1.0, True)
    assert report.suites.native and report.suites.enhanced and report.suites.public
    assert (report.suites.native.passed, report.suites.native.total) == (5, 5)
    assert (report.suites.enhanced.passed, report.suites.public.total) == (3, 2)
    assert (report.level, report.sandbox, report.task) == ("L2", "fake", "double")
    assert report.image and report.image.digest == "fake"
    assert report.submission == submission.info
    assert not fake.live


@PROTOCOLS
def test_report_survives_json_and_fingerprint_leaves_out_time(
    protocol: str, submission: Submission, fake: FakeBackend
) -> None:
    hidden = make_task(protocol=protocol)
    report = evaluate(hidden, submission, fake)
    again = EvalReport.model_validate_json(report.model_dump_json())
    assert again == report
    assert again.fingerprint() == report.fingerprint() == evaluate(hidden, submission, fake).fingerprint()
    other = evaluate(hidden, submission, FakeBackend(lambda call: Completed(exit_code=1, stdout=b"no")))
    assert other.fingerprint() != report.fingerprint()


@PROTOCOLS
def test_nothing_scores_zero_without_starting_anything(protocol: str) -> None:
    report = evaluate(
        make_task(protocol=protocol), Submission.of({}), FakeBackend(start_error="must not start")
    )
    assert (report.status, report.reward, report.resolved) == ("ok", 0.0, False)
    assert set(outcomes(report).values()) == {"missing"}
    assert len(report.cases) == 8


def test_inputs_enter_and_expectations_do_not(submission: Submission) -> None:
    seen: list[bytes] = []

    def answer(call: FakeCall) -> Completed:
        folder = WORKSPACE / "rcb_tests" / call.argv[-1]
        seen.append(call.sandbox.files.read(folder / "double.json"))
        assert call.sandbox.files.list(WORKSPACE / "rcb_tests") == sorted(
            [call.argv[-1], "runner.py", "test.sh"]
        )
        return doubling(call)

    assert evaluate(make_task(), submission, FakeBackend(answer)).reward == 1.0
    assert len(seen) == 2
    for text in seen:
        for case in json.loads(text)["cases"]:
            assert set(case) == {"id", "input"}


def test_planted_outputs_and_inputs_are_worth_nothing() -> None:
    forged = make_submission(
        **{f"rcb_tests/stdout/native/double@{n:03d}.txt": b"%d\n" % (2 * n) for n in range(5)}
    )
    forged = Submission.of({**forged.files, "rcb_tests/native": (b"in the way", 0o644)})
    report = evaluate(make_task(), forged, FakeBackend(lambda call: Completed(exit_code=0)))
    assert report.reward == 0.0
    assert set(outcomes(report).values()) == {"missing"}


def test_outputs_of_the_other_suite_are_not_looked_at(submission: Submission) -> None:
    def answer(call: FakeCall) -> Completed:
        if call.argv[-1] == "native":
            for n in range(3):
                call.sandbox.files.write(
                    WORKSPACE / f"rcb_tests/stdout/enhanced/double@{n:03d}.txt", b"%d\n" % (200 + 2 * n)
                )
            return doubling(call)
        return Completed(exit_code=0)

    report = evaluate(make_task(), submission, FakeBackend(answer))
    assert report.overall == 5 / 8


def hang(call: FakeCall) -> Completed:
    """Hang on n = 0 under either protocol; a whole suite stops there with an empty output for it."""
    if call.argv == ("./run",):
        n = json.loads(call.stdin)["n"]
        return Completed(exit_code=124, timed_out=True) if n == 0 else doubling(call)
    text = call.sandbox.files.read(WORKSPACE / "rcb_tests" / call.argv[-1] / "double.json")
    if json.loads(text)["cases"][0]["input"]["n"] == 0:
        write_outputs(call, lambda n: b"" if n == 0 else None)
        return Completed(exit_code=124, stdout=b"all passed", timed_out=True)
    return doubling(call)


@PROTOCOLS
def test_one_hang_costs_one_case(protocol: str, submission: Submission) -> None:
    report = evaluate(make_task(protocol=protocol), submission, FakeBackend(hang))
    assert outcomes(report) == {"native-00": "timeout"}
    assert report.suites.native and report.suites.native.rate == 4 / 5
    assert report.overall == 7 / 8
    assert report.resolved is False


def test_right_outputs_of_a_suite_that_timed_out_are_not_run_again(submission: Submission) -> None:
    runs: list[int] = []

    def answer(call: FakeCall) -> Completed:
        text = call.sandbox.files.read(WORKSPACE / "rcb_tests" / call.argv[-1] / "double.json")
        runs.append(len(json.loads(text)["cases"]))
        if runs[-1] == 5:
            write_outputs(call, lambda n: b"%d\n" % (2 * n) if n < 3 else None)
            return Completed(exit_code=124, timed_out=True)
        return doubling(call)

    report = evaluate(make_task(), submission, FakeBackend(answer), workers=1)
    assert report.reward == 1.0
    assert sorted(runs) == [1, 1, 3, 5]


def test_wrong_outputs_of_a_whole_suite_stand(submission: Submission) -> None:
    runs: list[str] = []

    def answer(call: FakeCall) -> Completed:
        runs.append(call.argv[-1])
        write_outputs(call, lambda n: b"0\n")
        return Completed(exit_code=1)

    report = evaluate(make_task(), submission, FakeBackend(answer))
    assert sorted(runs) == ["enhanced", "native"]
    assert report.overall == 1 / 8
    assert "first difference" in report.case("native-01").detail


def test_time_of_replaying_alone_is_bounded(submission: Submission) -> None:
    def answer(call: FakeCall) -> Completed:
        time.sleep(0.1)
        return Completed(exit_code=124, timed_out=True)

    limits = TaskLimits(case_seconds=0.1, suite_seconds=0.35)
    began = time.monotonic()
    report = evaluate(make_task(40, 40, limits=limits), submission, FakeBackend(answer))
    assert time.monotonic() - began < 2
    assert (report.status, report.reward) == ("ok", 0.0)
    assert set(outcomes(report).values()) == {"timeout"}
    assert "not run" in report.case("native-39").detail


@pytest.mark.parametrize(
    ("plant", "reason"),
    [
        ("link", "is a link"),
        ("special", "is a special file"),
        ("directory", "is a directory"),
        ("large", "larger than"),
        ("folder link", "is a link"),
    ],
)
def test_unacceptable_outputs_count_as_missing(plant: str, reason: str, submission: Submission) -> None:
    def answer(call: FakeCall) -> Completed:
        doubling(call)
        files = call.sandbox.files
        suite = WORKSPACE / "rcb_tests/stdout" / call.argv[-1]
        target = suite / "double@000.txt"
        right = files.read(target)
        files.remove(target)
        if plant == "link":
            files.write("/etc/passwd", right)
            files.link(target, "/etc/passwd")
        elif plant == "special":
            files.special(target)
        elif plant == "directory":
            files.mkdir(target)
        elif plant == "large":
            files.write(target, right + b" " * 4 * MIB)
        else:
            files.write("/tmp/out/double@000.txt", right)
            files.remove(suite)
            files.link(suite, "/tmp/out")
        return Completed(exit_code=0)

    report = evaluate(make_task(2, 1), submission, FakeBackend(answer))
    assert report.case("native-00").outcome == "missing"
    assert reason in report.case("native-00").detail
    assert report.case("native-00").actual is None
    assert report.case("native-01").outcome == ("missing" if plant == "folder link" else "pass")


@pytest.mark.parametrize("name", ["{stem}@{index}.txt", "{stem}@{index:05d}.txt", "{stem}@{index:03d}.txt"])
def test_compat_takes_any_padding(name: str, submission: Submission) -> None:
    def answer(call: FakeCall) -> Completed:
        write_outputs(call, lambda n: b"%d\n" % (2 * n), name)
        return Completed(exit_code=0)

    assert evaluate(make_task(comparison="compat"), submission, FakeBackend(answer)).reward == 1.0
    fixed = evaluate(make_task(), submission, FakeBackend(answer))
    assert fixed.reward == (1.0 if ":03d" in name else 0.0)


def test_compat_counts_from_the_lowest_index(submission: Submission) -> None:
    def answer(call: FakeCall) -> Completed:
        text = call.sandbox.files.read(WORKSPACE / "rcb_tests" / call.argv[-1] / "double.json")
        for index, case in enumerate(json.loads(text)["cases"], start=1):
            path = WORKSPACE / "rcb_tests/stdout" / call.argv[-1] / f"double@{index:03d}.txt"
            call.sandbox.files.write(path, b"%d\n" % (2 * case["input"]["n"]))
        return Completed(exit_code=0)

    assert evaluate(make_task(comparison="compat"), submission, FakeBackend(answer)).reward == 1.0
    assert evaluate(make_task(), submission, FakeBackend(answer)).reward == 0.0


@PROTOCOLS
def test_sandbox_that_dies_is_infra_and_grading_again_works(protocol: str, submission: Submission) -> None:
    calls: list[str] = []

    def dying(call: FakeCall) -> Completed:
        calls.append(call.argv[-1])
        if len(calls) == 2:
            call.sandbox.die()
            raise SandboxDiedError("killed from outside")
        return doubling(call)

    backend = FakeBackend(dying)
    hidden = make_task(protocol=protocol)
    report = evaluate(hidden, submission, backend, workers=1)
    assert (report.status, report.reward, report.resolved) == ("infra", None, None)
    assert "killed from outside" in (report.infra_error or "")
    assert report.suites.native and report.suites.native.rate is None
    assert len(calls) == 2
    assert evaluate(hidden, submission, backend, workers=1).reward == 1.0


def test_sandbox_found_dead_after_the_run_is_infra(submission: Submission) -> None:
    def answer(call: FakeCall) -> Completed:
        done = doubling(call)
        call.sandbox.die()
        return done

    report = evaluate(make_task(), submission, FakeBackend(answer))
    assert (report.status, report.reward) == ("infra", None)


def test_sandbox_that_cannot_start_is_infra(submission: Submission, task: HiddenTask) -> None:
    report = evaluate(task, submission, FakeBackend(start_error="no memory on the host"))
    assert (report.status, report.reward) == ("infra", None)
    assert report.infra_error == "no memory on the host"
    assert {case.outcome for case in report.cases} == {"infra"}


def test_submission_that_does_not_fit_is_its_own_fault(task: HiddenTask) -> None:
    """By sparse files or hard links it can be larger than the workspace that it was taken from."""
    from icae_env.sandbox.base import Limits

    big = make_submission(**{"big": bytes(2 * MIB)})
    report = evaluate(task, big, FakeBackend(doubling), limits=Limits(workspace=MIB, file=4 * MIB))
    assert (report.status, report.reward) == ("ok", 0.0)
    assert "does not fit" in report.cases[0].detail


def test_stdin_exit_code_and_stderr_do_not_matter_but_output_does(submission: Submission) -> None:
    def answer(call: FakeCall) -> Completed:
        n = json.loads(call.stdin)["n"]
        if n == 1:
            return Completed(exit_code=3, stderr=b"Traceback\nValueError: 1\n")
        if n == 2:
            return Completed(exit_code=0, stdout=b"x" * 5 * MIB)
        if n == 3:
            return Completed(exit_code=0)
        return doubling(call).model_copy(update={"exit_code": 9, "stderr": b"x" * 5 * MIB})

    report = evaluate(make_task(protocol="stdin"), submission, FakeBackend(answer))
    assert outcomes(report) == {"native-01": "missing", "native-02": "missing", "native-03": "mismatch"}
    assert "exit code 3" in report.case("native-01").detail
    assert "ValueError: 1" in report.case("native-01").detail


def test_public_alone_runs_only_public_cases(submission: Submission, fake: FakeBackend) -> None:
    report = evaluate(make_task(), submission, fake, suites=("public",))
    assert [case.id for case in report.cases] == ["native-00", "native-01"]
    assert report.suites.public and report.suites.public.rate == 1.0
    assert report.suites.native is None
    assert (report.overall, report.reward, report.status) == (None, None, "ok")


def test_one_suite_has_no_overall(submission: Submission, fake: FakeBackend) -> None:
    report = evaluate(make_task(), submission, fake, suites=("native",))
    assert report.suites.native and report.suites.native.rate == 1.0
    assert report.suites.enhanced is None
    assert report.overall is None


def test_unknown_suite_is_refused(submission: Submission, fake: FakeBackend, task: HiddenTask) -> None:
    with pytest.raises(UnknownNameError, match="native"):
        evaluate(task, submission, fake, suites=("hidden",))  # type: ignore[arg-type]


def test_long_and_strange_outputs_are_cut_and_stay_valid(submission: Submission) -> None:
    backend = FakeBackend(lambda call: Completed(exit_code=0, stdout=b"\xff\xfe" + b"a" * 9000))
    hidden = make_task(protocol="stdin", expected=lambda n: "e" * 9000)
    report = evaluate(hidden, submission, backend)
    case = report.case("native-00")
    assert case.actual is not None
    assert (len(case.actual), len(case.expected)) == (2000, 2000)
    assert "not UTF-8" in case.detail
    assert EvalReport.model_validate_json(report.model_dump_json()) == report
    with pytest.raises(KeyError):
        report.case("nothing")


@PROTOCOLS
def test_workers_bound_what_runs_at_once(protocol: str, submission: Submission) -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def answer(call: FakeCall) -> Completed:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return doubling(call)

    assert evaluate(make_task(protocol=protocol), submission, FakeBackend(answer), workers=2).reward == 1.0
    assert most[0] == 2
