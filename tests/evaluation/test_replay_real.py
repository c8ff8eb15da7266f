"""Submissions that misbehave, replayed on each real sandbox."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from double_task import HONEST, RUNNER, make_submission, make_task

from icae_env.evaluation.evaluate import evaluate
from icae_env.evaluation.report import EvalReport
from icae_env.evaluation.submission import Submission, load_submission, take_snapshot
from icae_env.sandbox.base import MIB, WORKSPACE, Backend, Limits, Sandbox, SandboxConfig
from icae_env.tasks.models import TaskLimits

PROTOCOLS = pytest.mark.parametrize("protocol", ["rcb", "stdin"])
QUICK = TaskLimits(case_seconds=2, suite_seconds=4)
ON_ZERO = b'read -r line\nn=${line//[^0-9]/}\nif [ "$n" = 0 ]; then %s\nfi\necho "$((n * 2))"\n'


def outcomes(report: EvalReport) -> dict[str, str]:
    return {case.id: case.outcome for case in report.cases if case.outcome != "pass"}


def runs_on_zero(command: bytes) -> Submission:
    """Return a submission that does something else first when its input is 0."""
    return make_submission(ON_ZERO % command)


@PROTOCOLS
def test_right_is_one_and_nothing_is_zero_three_times(real: Backend, image: str, protocol: str) -> None:
    hidden = make_task(protocol=protocol)
    right = [evaluate(hidden, make_submission(), real, image=image) for _ in range(3)]
    assert [report.reward for report in right] == [1.0] * 3, right[0].cases
    assert len({report.fingerprint() for report in right}) == 1
    assert right[0].sandbox == real.name
    nothing = [evaluate(hidden, Submission.of({}), real, image=image).reward for _ in range(3)]
    assert nothing == [0.0] * 3


def test_snapshot_of_a_live_workspace_scores_without_its_sandbox(
    real: Backend, image: str, tmp_path: Path
) -> None:
    with real.create(SandboxConfig(image=image)) as sandbox:
        for path, (data, mode) in make_submission().files.items():
            sandbox.files.write(WORKSPACE / path, data, mode=mode)
        sandbox.run(
            ["bash", "-c", "ln -s /etc/passwd l; mkfifo f; truncate -s 100M giant; mkdir empty; sleep 99 &"]
        )
        taken = take_snapshot(sandbox)
        assert sandbox.run(["pgrep", "sleep"]).exit_code == 1
    assert {entry.path for entry in taken.refused} == {"l", "f", "giant"}
    assert taken.files == make_submission().files
    assert "empty" in taken.directories
    taken.store(tmp_path / "s.tar.gz")
    hidden = make_task()
    assert evaluate(hidden, load_submission(tmp_path / "s.tar.gz"), real, image=image).reward == 1.0


@PROTOCOLS
def test_a_hang_on_case_0_costs_case_0(real: Backend, image: str, protocol: str) -> None:
    hidden = make_task(5, 1, protocol=protocol, limits=QUICK)
    report = evaluate(hidden, runs_on_zero(b"echo all passed; sleep 1000"), real, image=image)
    assert outcomes(report) == {"native-00": "timeout"}
    assert report.suites.native and report.suites.native.rate == 4 / 5


@PROTOCOLS
def test_killing_everything_costs_that_case(real: Backend, image: str, protocol: str) -> None:
    hidden = make_task(5, 1, protocol=protocol, limits=QUICK)
    report = evaluate(hidden, runs_on_zero(b"kill -9 -1; sleep 1; exit 1"), real, image=image)
    assert report.status == "ok"
    assert set(outcomes(report)) == {"native-00"}
    assert report.overall == 5 / 6


@PROTOCOLS
def test_endless_output_costs_that_case(real: Backend, image: str, protocol: str) -> None:
    hidden = make_task(3, 1, protocol=protocol, limits=QUICK)
    limits = Limits(workspace=64 * MIB, file=32 * MIB)
    report = evaluate(
        hidden, runs_on_zero(b"head -c 10G /dev/zero; exit 0"), real, image=image, limits=limits
    )
    assert report.status == "ok"
    assert set(outcomes(report)) == {"native-00"}
    assert report.case("native-00").outcome in ("missing", "timeout")


@PROTOCOLS
def test_a_full_disk_costs_that_case(real: Backend, image: str, protocol: str) -> None:
    fill = b"for i in 1 2 3 4 5 6 7 8; do head -c 16M /dev/zero > fill$i; done; exit 1"
    hidden = make_task(3, 1, protocol=protocol, limits=QUICK)
    limits = Limits(workspace=32 * MIB, file=16 * MIB)
    report = evaluate(hidden, runs_on_zero(fill), real, image=image, limits=limits)
    assert report.status == "ok"
    assert set(outcomes(report)) == {"native-00"}


@PROTOCOLS
def test_using_up_memory_and_processes_costs_that_case(real: Backend, image: str, protocol: str) -> None:
    bomb = b"python3 -c 'x = bytearray(1 << 32)' || exit 1; f() { f | f & }; f; exit 1"
    hidden = make_task(3, 1, protocol=protocol, limits=QUICK)
    limits = Limits(memory=256 * MIB, processes=64)
    report = evaluate(hidden, runs_on_zero(bomb), real, image=image, limits=limits)
    assert report.status == "ok"
    assert set(outcomes(report)) == {"native-00"}


def test_planted_and_forged_outputs_are_worth_nothing(real: Backend, image: str) -> None:
    forge = b"""
mkdir -p rcb_tests/stdout/native rcb_tests/stdout/enhanced
if [ "$2" = native ]; then
  for i in 0 1 2; do echo $((200 + 2 * i)) > rcb_tests/stdout/enhanced/double@00$i.txt; done
fi
echo all passed
"""
    planted = {f"rcb_tests/stdout/native/double@{n:03d}.txt": b"%d\n" % (2 * n) for n in range(5)}
    submission = make_submission(**planted, **{"rcb_tests/test.sh": forge})
    report = evaluate(make_task(), submission, real, image=image)
    assert (report.status, report.reward) == ("ok", 0.0)
    assert {case.outcome for case in report.cases} == {"missing"}


@pytest.mark.parametrize(
    ("trick", "reason"),
    [
        ("rm {out}; echo 0 > right; ln -s /workspace/right {out}", "is a link"),
        ("rm {out}; ln -s /etc/passwd {out}", "is a link"),
        ("rm {out}; mkfifo {out}", "is a special file"),
        ("rm {out}; mkdir {out}", "is a directory"),
        ("chmod 000 {out}", "cannot be read"),
        ("mv rcb_tests/stdout /dev/shm/o; ln -s /dev/shm/o rcb_tests/stdout", "is a link"),
    ],
)
def test_what_is_no_plain_output_file_is_missing(real: Backend, image: str, trick: str, reason: str) -> None:
    command = trick.format(out="rcb_tests/stdout/native/double@000.txt")
    test_sh = f"#!/bin/bash\npython3 rcb_tests/runner.py $2\n[ $2 = native ] && {{ {command}; }}\n".encode()
    submission = make_submission(**{"rcb_tests/test.sh": test_sh})
    report = evaluate(make_task(1, 1), submission, real, image=image)
    assert outcomes(report) == {"native-00": "missing"}, report.cases
    assert reason in report.case("native-00").detail
    assert report.case("native-00").actual is None


def test_what_is_left_running_cannot_change_outputs(real: Backend, image: str) -> None:
    late = b"""
import os, pathlib, time

for file in pathlib.Path("rcb_tests/stdout").glob("*/*"):
    right = file.read_bytes()
    file.write_bytes(b"wrong")
if os.fork() == 0:
    os.setsid()
    while True:
        for file in pathlib.Path("rcb_tests/stdout/native").glob("*"):
            try:
                file.unlink(); os.mkfifo(file); time.sleep(0.001)
            except OSError:
                pass
"""
    submission = make_submission(**{"rcb_tests/runner.py": RUNNER + late})
    report = evaluate(make_task(3, 1, limits=QUICK), submission, real, image=image)
    assert (report.status, report.reward) == ("ok", 0.0)
    assert report.seconds < 30


@PROTOCOLS
def test_expected_outputs_are_nowhere_inside(real: Backend, image: str, protocol: str) -> None:
    search = b"grep -rhos 'canary-[0-9]*' /workspace /tmp /home /run /proc/[0-9]*/environ /proc/[0-9]*/cmdline; env"
    hidden = make_task(1, 1, protocol=protocol, expected=lambda n: f"canary-{n}")
    report = evaluate(hidden, make_submission(search), real, image=image)
    assert report.reward == 0.0
    for case in report.cases:
        assert case.actual is not None
        assert "PATH=" in case.actual
        assert "canary-0" not in case.actual
        assert "canary-1" not in case.actual


def test_a_sandbox_killed_from_outside_is_infra_and_grading_again_works(real: Backend, image: str) -> None:
    submission = make_submission(b"sleep 1\n" + HONEST)
    hidden = make_task(2, 1)
    killer = _Killer(real)
    report = evaluate(hidden, submission, killer, image=image)
    assert (report.status, report.reward) == ("infra", None)
    assert report.infra_error
    assert evaluate(hidden, submission, real, image=image).reward == 1.0


class _Killer:
    """A backend whose started sandboxes are killed by the host while they work."""

    def __init__(self, inner: Backend) -> None:
        self._inner, self.name = inner, inner.name  # type: ignore[misc]

    def create(self, config: SandboxConfig) -> Sandbox:
        sandbox = self._inner.create(config)
        threading.Thread(target=self._kill, args=(sandbox,), daemon=True).start()
        return sandbox

    @staticmethod
    def _kill(sandbox: Sandbox) -> None:
        for _ in range(100):
            time.sleep(0.05)
            if sandbox.alive():
                break
        else:
            return  # only looked at, never started
        time.sleep(0.5)
        inner = getattr(sandbox, "_container", sandbox)
        os.kill(inner.init, signal.SIGKILL)
