"""Nothing a submission does in its sandbox turns a bad score into "not measured"."""

from __future__ import annotations

import tracemalloc

import pytest
from security_task import TEST_SH, attacker, echo_task

from icae_env.evaluation.evaluate import evaluate
from icae_env.evaluation.replay import OUTPUT_LIMIT, output_limit
from icae_env.evaluation.submission import Submission, take_snapshot
from icae_env.sandbox.base import MIB, WORKSPACE, Backend, Limits, SandboxConfig

PROTOCOLS = pytest.mark.parametrize("protocol", ["rcb", "stdin"])
SMALL = Limits(memory=128 * MIB, workspace=32 * MIB, scratch=16 * MIB, shm=MIB, processes=64)
HOGS = "for i in 1 2 3 4; do python3 -c 'x=[bytearray(b\"x\")*(1<<20) for i in range(9999)]' & done 2>/dev/null; wait"
LIMIT_INIT = """python3 - 2>/dev/null <<'END'
import resource
for name in ("AS", "DATA", "STACK", "CPU", "NOFILE", "FSIZE", "NPROC"):
    resource.prlimit(1, getattr(resource, f"RLIMIT_{name}"), (0, 0))
END
for i in $(seq 100); do (sleep 0.01 &); done; sleep 0.3"""
TRACE_INIT = """python3 - 2>/dev/null <<'END'
import ctypes, os
libc = ctypes.CDLL(None)
libc.ptrace(16, 1, None, None); libc.ptrace(7, 1, None, None); libc.ptrace(8, 1, None, None)
for fd in range(16):
    try:
        os.write(os.open(f"/proc/1/fd/{fd}", os.O_WRONLY), b"0")
    except OSError:
        pass
END"""
ATTACKS = {
    "memory": HOGS,
    "memory of the init": f"echo 1000 2>/dev/null >/proc/1/oom_score_adj; {HOGS}",
    "limits of the init": LIMIT_INIT,
    "tracing the init": TRACE_INIT,
    "every signal to the init": "for s in $(seq 64); do kill -$s 1; done 2>/dev/null; sleep 0.1",
    "every signal to all": "for s in $(seq 64); do [ $s = 9 ] || kill -$s -1; done 2>/dev/null",
    "processes": "for i in $(seq 200); do sleep 60 & done 2>/dev/null",
    "disk": "for d in . /tmp /var/tmp /dev/shm /run ~; do cat /dev/zero >$d/full; done 2>/dev/null",
    "names": "for d in /tmp /run ~; do (cd $d && seq 50000 | xargs touch); done 2>/dev/null",
    "modes": "chmod 000 /workspace /run /tmp /home/agent /workspace/rcb_tests 2>/dev/null",
    "removal": "rm -rf /run /tmp /home/agent /workspace/* /dev/shm/* 2>/dev/null",
    "descriptors": 'for i in $(seq 3 1020); do eval "exec $i</dev/null"; done 2>/dev/null',
}


@PROTOCOLS
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_an_attack_costs_cases_but_is_measured(
    attacked: Backend, attacked_image: str, protocol: str, attack: str
) -> None:
    hidden = echo_task(protocol, case_seconds=3, suite_seconds=6)
    report = evaluate(hidden, attacker(attack), attacked, image=attacked_image, limits=SMALL)
    assert report.status == "ok", report.infra_error
    assert report.reward is not None
    assert len(report.cases) == 6
    passed = {case.id for case in report.cases if case.outcome == "pass"}
    if protocol == "stdin":  # each case has a sandbox of its own
        assert passed >= {f"native-{n}" for n in range(3)} | {"enhanced-4", "enhanced-5"}
    assert passed >= {f"native-{n}" for n in range(3)}  # a suite has one of its own


def test_a_graded_command_is_the_first_to_go_when_memory_runs_out(
    attacked: Backend, attacked_image: str
) -> None:
    script = "cat /proc/self/oom_score_adj; echo -900 2>/dev/null >/proc/self/oom_score_adj || echo refused"
    done = attacked.run_fresh(SandboxConfig(image=attacked_image), {}, ["bash", "-c", script])
    value, refused = done.stdout.split()
    assert int(value) >= 0
    assert refused == b"refused"


DIG = """
import os
for n in range(1900):
    os.mkdir("d"); os.chdir("d")
open("f", "w")
"""
FILLERS = {f"extra/{n}": b"" for n in range(20)}


@PROTOCOLS
@pytest.mark.parametrize("more", [{}, FILLERS], ids=["few", "many"])
def test_very_deep_folders_are_measured(
    attacked: Backend, attacked_image: str, protocol: str, more: dict[str, bytes]
) -> None:
    with attacked.create(SandboxConfig(image=attacked_image)) as sandbox:
        for path, (data, mode) in attacker("exit 1", **more).files.items():
            sandbox.files.write(WORKSPACE / path, data, mode=mode)
        assert sandbox.run(["python3", "-c", DIG]).exit_code == 0
        taken = take_snapshot(sandbox)
    assert any("deep" in entry.reason for entry in taken.refused)
    report = evaluate(echo_task(protocol), taken, attacked, image=attacked_image)
    assert (report.status, report.reward) == ("ok", 5 / 6), report.infra_error


@PROTOCOLS
def test_a_submission_that_does_not_fit_a_sandbox_is_measured(
    attacked: Backend, attacked_image: str, protocol: str
) -> None:
    """Sparse files and hard links make a submission larger than the workspace that it was taken from."""
    big = Submission.of({**attacker("").files, **{f"big/{n}": (bytes(12 * MIB), 0o644) for n in range(5)}})
    report = evaluate(echo_task(protocol), big, attacked, image=attacked_image, limits=SMALL)
    assert (report.status, report.reward) == ("ok", 0.0), report.infra_error


@PROTOCOLS
def test_large_wrong_outputs_do_not_fill_the_hosts_memory(
    attacked: Backend, attacked_image: str, protocol: str
) -> None:
    submission = Submission.of(
        {
            "run": (b"#!/bin/bash\nhead -c 4000000 /dev/zero\n", 0o755),
            "rcb_tests/test.sh": (TEST_SH, 0o644),
        }
    )
    tracemalloc.start()
    report = evaluate(echo_task(protocol), submission, attacked, image=attacked_image)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {case.outcome for case in report.cases} == {"missing"}
    assert "larger than" in report.cases[0].detail
    assert peak < 8 * MIB


def test_the_limit_of_an_output_leaves_room_for_every_right_one() -> None:
    case = echo_task().cases[0]
    for text in ("", "\n" * MIB, "\N{GRINNING FACE}" * MIB, "a\n" * 100_000):
        right = text.replace("\n", "\r\n").encode() + b"\r\n"
        limit = output_limit(case.model_copy(update={"expected_output": text}))
        assert limit >= min(len(right), OUTPUT_LIMIT)
