"""Scores: real tasks and cases, misbehaving submissions, dying sandboxes; through the environment and ``evaluate``."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from real_sandboxes import place_or_skip
from scenario_tools import SUBMIT, TASK, Play, bash, create, eventually, marker, on_host

import icae_env
from icae_env import registry
from icae_env.errors import EpisodeStateError, InfraError
from icae_env.evaluation import Submission, evaluate
from icae_env.rollout import make_agent, play
from icae_env.sandbox.base import MIB, Limits
from icae_env.tasks import load_hidden
from icae_env.tasks.models import Case, TaskLimits

ANSWERS = """
import json, pathlib, subprocess, sys
suite = sys.argv[sys.argv.index("--cases-dir") + 1]
out = pathlib.Path("rcb_tests/stdout", suite)
out.mkdir(parents=True, exist_ok=True)
for file in sorted(pathlib.Path("rcb_tests", suite).glob("*.json")):
    for index, case in enumerate(json.loads(file.read_text())["cases"]):
        with open(out / f"{file.stem}@{index:03d}.txt", "wb") as stream:
            subprocess.run(["bash", "-c", pathlib.Path("answer").read_text()], stdout=stream, env={"N": str(case["input"]["n"]), "PATH": "/usr/bin:/bin"})
print("all passed")
"""
TRUE = "echo $((N * N))"


def squares(native: int = 5, enhanced: int = 1, protocol: str = "rcb"):
    """Return a task that wants squares; native case 0 has the input 0."""
    model = load_hidden(TASK)
    limits = TaskLimits(case_seconds=1.5, suite_seconds=3)
    spec = model.spec.model_copy(
        update={"id": "squares", "protocol": protocol, "comparison": "text", "limits": limits}
    )
    cases = tuple(
        Case(id=f"{suite}-{index:02d}", suite=suite, stem="squares", index=index, input={"n": base + index},
             expected_output=f"{(base + index) ** 2}\n", public=False)
        for suite, count, base in (("native", native, 0), ("enhanced", enhanced, 100)) for index in range(count)
    )  # fmt: skip
    return model.model_copy(update={"spec": spec, "cases": cases})


def program(answer: str) -> Submission:
    """Return a submission, for both protocols, that answers each case with a bash script about $N."""
    run = "#!/bin/bash\nread -r line\nexport N=${line//[^0-9]/}\n. ./answer\n"
    return Submission.of({
        "rcb_tests/test.sh": (b"#!/bin/bash\npython3 rcb_tests/answers.py \"$@\"\n", 0o755), "rcb_tests/answers.py": (ANSWERS.encode(), 0o644),
        "answer": (answer.encode(), 0o644), "run": (run.encode(), 0o755),
    })  # fmt: skip


@pytest.fixture(scope="session")
def backend(where):
    made = registry.resolve("sandbox", where["sandbox"])()
    yield made
    made.close()


def outcomes(report):
    return {case.id: case.outcome for case in report.cases if case.outcome != "pass"}


@pytest.mark.parametrize("protocol", ["rcb", "stdin"])
@pytest.mark.parametrize(
    ("trick", "outcome"),
    [("sleep 1000", "timeout"), ("while :; do :; done", "timeout"), ("exec 1>&-; sleep 1000", "timeout"), ("trap '' TERM INT HUP; sleep 1000", "timeout"), ("cat /dev/zero >/dev/null", "timeout"),
     ("echo wrong; setsid sleep 3000 & exit", "mismatch"), ("exit 1", "mismatch"), ("printf '\\xff\\xfe'", "mismatch")],
)  # fmt: skip
def test_a_bad_case_0_costs_exactly_case_0(backend, where, protocol, trick, outcome):
    submission = program(f"if [ $N = 0 ]; then echo all passed; {trick}; exit; fi; {TRUE}")
    report = evaluate(squares(protocol=protocol), submission, backend, image=where["image"])
    assert report.status == "ok"
    assert outcomes(report) == {"native-00": outcome}
    assert report.suites.native.rate == 4 / 5
    assert report.overall == 5 / 6


@pytest.mark.parametrize("text", ["all passed\n", "1.0", '{"reward": 1.0}', "PASS\n" * 100])
def test_claims_are_worth_nothing(backend, where, text):
    report = evaluate(squares(2), program(f"cat <<'EOF'\n{text}\nEOF"), backend, image=where["image"])
    assert (report.status, report.overall) == ("ok", 0.0)


@pytest.mark.parametrize("protocol", ["rcb", "stdin"])
@pytest.mark.parametrize("trick", ["kill -9 -1; sleep 5", ":(){ :|:& };:; sleep 10", "head -c 1G /dev/zero > fill; head -c 1G /dev/zero > fill2", "python3 -c 'x = bytearray(1 << 33)'",
                                   "rm -rf /workspace /tmp 2>/dev/null; sleep 10", "chmod 000 /workspace; sleep 10", "kill -9 $PPID; kill -STOP $PPID; sleep 10", "yes", "ulimit -u 1; kill -STOP $$"])  # fmt: skip
def test_what_a_program_destroys_is_its_own_loss(backend, where, protocol, trick):
    limits = Limits(memory=512 * MIB, workspace=64 * MIB, processes=64)
    report = evaluate(
        squares(3, 1, protocol),
        program(f"if [ $N = 0 ]; then {trick}; exit 1; fi; {TRUE}"),
        backend,
        image=where["image"],
        limits=limits,
    )
    assert report.status == "ok", report.infra_error
    assert set(outcomes(report)) == {"native-00"}


def test_a_sandbox_that_dies_while_grading_is_infra_and_can_be_graded_again(where, backend, tmp_path):
    env = icae_env.make_env(TASK, **where)
    try:
        scene = Play(env)
        word = marker()
        scene.do(create("rcb_tests/test.sh", f"#!/bin/bash\nbash -c 'sleep 5; true' {word}\n"))
        killer = threading.Thread(target=_kill_sandboxes_of, args=(word,), daemon=True)
        killer.start()
        with pytest.raises(InfraError):
            env.step(SUBMIT)
        killer.join()
        report = env.report
        assert report.reward is None and report.status == "infra" and report.infra_error
        kept = env.submission
        kept.store(tmp_path / "kept.tar.gz")
        with pytest.raises(EpisodeStateError, match="reset"):
            env.step(SUBMIT)
        env.reset(seed=0)
        assert env.step(bash("echo fine"))[0]["text"] == "fine\n"
    finally:
        env.close()
    from icae_env.evaluation import load_submission

    quick = load_hidden(TASK)
    quick = quick.model_copy(
        update={"spec": quick.spec.model_copy(update={"limits": TaskLimits(case_seconds=1, suite_seconds=1)})}
    )
    again = evaluate(quick, load_submission(tmp_path / "kept.tar.gz"), backend, image=where["image"])
    assert (again.status, again.reward) == ("ok", 0.0)


def _kill_sandboxes_of(word: str) -> None:
    """Kill, as the host, the init above every process with this word, until none of them is left."""
    killed = 0
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not killed:
        for pid in on_host(word):
            init = _init_of(pid)
            if init is not None:
                os.kill(init, signal.SIGKILL)
                killed += 1
        time.sleep(0.05)


def _init_of(pid: int) -> int | None:
    """Return the init of the PID namespace that a process is in, or None for the machine's own."""
    space = _space(pid)
    if space in ("", _space(os.getpid())):
        return None
    inside = [
        int(folder.name) for folder in Path("/proc").glob("[0-9]*") if _space(int(folder.name)) == space
    ]
    return min(inside, default=None, key=_started)


def _space(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:  # it has ended, or is a zombie
        return ""


def _started(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 1 << 62


def test_the_disk_of_the_grader_filled_by_a_submission(backend, where):
    """A submission that just fits leaves no room for its outputs: its own loss, with every case named."""
    files = {f"fill{n}": (os.urandom(MIB), 0o644) for n in range(15)}
    base = program(TRUE).files
    report = evaluate(
        squares(2),
        Submission.of({**base, **files}),
        backend,
        image=where["image"],
        limits=Limits(workspace=16 * MIB, scratch=16 * MIB),
    )
    assert report.status == "ok" or "fit" in report.infra_error


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("task", "times"), [("bracex", 3), ("ssf", 1)])
def test_golden_is_one_every_time_and_nothing_is_zero(task, times, where):
    image = load_hidden(task).spec.image
    place = place_or_skip(where["sandbox"], image)
    prints = set()
    for _ in range(times):
        env = icae_env.make_env(task, **place)
        try:
            result = play(make_agent("golden"), env)
        finally:
            env.close()
        if result.status == "infra" and "could not be installed" in (result.error or ""):
            pytest.skip(f"no package registry: {result.error[:200]}")
        assert (result.status, result.reward) == ("ok", 1.0), result.error or outcomes(result.report)
        prints.add(result.report.fingerprint())
    assert len(prints) == 1
    env = icae_env.make_env(task, **place)
    try:
        nothing = play(make_agent("noop"), env)
    finally:
        env.close()
    assert (nothing.status, nothing.reward) == ("ok", 0.0)


@pytest.mark.timeout(600)
@pytest.mark.slow
@pytest.mark.parametrize("task", ["bracex", "stockholm"])
def test_the_honest_agent_earns_its_reward_alike_every_time(task, where):
    place = place_or_skip(where["sandbox"], load_hidden(task).spec.image)
    results = []
    for _ in range(2):
        env = icae_env.make_env(task, **place)
        try:
            results.append(play(make_agent("scripted"), env))
        finally:
            env.close()
    assert [result.status for result in results] == ["ok", "ok"]
    assert 0.5 < results[0].reward <= 1.0
    assert results[0].report.fingerprint() == results[1].report.fingerprint()
    assert json.loads(results[0].model_dump_json())["reward"] == results[0].reward


def test_nothing_is_left_by_grading(backend, where):
    word = marker()
    evaluate(
        squares(2),
        program(f"setsid nohup sleep {word} >/dev/null 2>&1 & {TRUE}"),
        backend,
        image=where["image"],
    )
    assert eventually(lambda: not on_host(word))
