"""A tiny task (double a number) and honest submissions for it, for the evaluation tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from icae_env.evaluation.submission import Submission
from icae_env.sandbox.base import WORKSPACE, Completed
from icae_env.sandbox.fake import FakeCall
from icae_env.tasks.models import Case, HiddenTask, TaskLimits, TaskSource, TaskSpec

SOURCE = TaskSource(registry="other", package="double", version="1", licence="MIT")

TEST_SH = b'#!/bin/bash\ncd "$(dirname "$0")/.." && exec python3 rcb_tests/runner.py "$2"\n'
RUNNER = b"""
import json, pathlib, subprocess, sys

suite = sys.argv[1]
out = pathlib.Path("rcb_tests/stdout", suite)
out.mkdir(parents=True, exist_ok=True)
for file in sorted(pathlib.Path("rcb_tests", suite).glob("*.json")):
    for index, case in enumerate(json.loads(file.read_text())["cases"]):
        text = json.dumps(case["input"]) + "\\n"
        with open(out / f"{file.stem}@{index:03d}.txt", "wb") as stream:
            subprocess.run(["./run"], input=text.encode(), stdout=stream)
print("all passed")
"""
HONEST = b'read -r line\nn=${line//[^0-9]/}\necho "$((n * 2))"\n'


def make_task(
    native: int = 5, enhanced: int = 3, *, expected: Callable[[int], str] | None = None, **spec: Any
) -> HiddenTask:
    """Return a task whose case ``n`` wants ``2 n``; native cases 0 and 1 are public."""
    wanted = expected or (lambda n: f"{2 * n}\n")
    limits = spec.pop("limits", TaskLimits(case_seconds=5, suite_seconds=30))
    cases = []
    for suite, count, base in (("native", native, 0), ("enhanced", enhanced, 100)):
        for index in range(count):
            n = base + index
            cases.append(
                Case.model_validate(
                    {
                        "id": f"{suite}-{index:02d}",
                        "suite": suite,
                        "stem": "double",
                        "index": index,
                        "input": {"n": n},
                        "expected_output": wanted(n),
                        "public": suite == "native" and index < 2,
                    }
                )
            )
    settings = {
        "id": "double",
        "title": "Double",
        "domain": "arithmetic",
        "language": "bash",
        "image": "host",
    }
    made = TaskSpec.model_validate({**settings, "limits": limits, "source": SOURCE, **spec})
    return HiddenTask(spec=made, folder=Path("/nonexistent"), cases=tuple(cases))


def make_submission(run: bytes = HONEST, **files: bytes) -> Submission:
    """Return a submission that serves both protocols with the bash program ``run``; more files by path."""
    content = {
        "run": (b"#!/bin/bash\n" + run, 0o755),
        "rcb_tests/test.sh": (TEST_SH, 0o644),
        "rcb_tests/runner.py": (RUNNER, 0o644),
    }
    content.update({path: (data, 0o755) for path, data in files.items()})
    return Submission.of(content)


def doubling(call: FakeCall) -> Completed:
    """Answer like the honest submission would, on a fake sandbox."""
    if call.argv == ("./run",):
        return Completed(exit_code=0, stdout=b"%d\n" % (2 * json.loads(call.stdin)["n"]), seconds=0.01)
    write_outputs(call, lambda n: b"%d\n" % (2 * n))
    return Completed(exit_code=0, stdout=b"all passed\n")


def write_outputs(
    call: FakeCall, answer: Callable[[int], bytes | None], name: str = "{stem}@{index:03d}.txt"
) -> None:
    """Do what test.sh does: one output for every case, none where ``answer`` gives None."""
    suite, files = call.argv[-1], call.sandbox.files
    for file in files.list(WORKSPACE / "rcb_tests" / suite):
        cases = json.loads(files.read(WORKSPACE / "rcb_tests" / suite / file))["cases"]
        for index, case in enumerate(cases):
            output = answer(case["input"]["n"])
            if output is not None:
                path = name.format(stem=file.removesuffix(".json"), index=index)
                files.write(WORKSPACE / "rcb_tests/stdout" / suite / path, output)
