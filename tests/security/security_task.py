"""A tiny task whose submission is one bash program, for attacks from inside a graded submission."""

from __future__ import annotations

from pathlib import Path

from icae_env.evaluation.submission import Submission
from icae_env.tasks.models import Case, HiddenTask, TaskLimits, TaskSource, TaskSpec

TEST_SH = b"""#!/bin/bash
out=rcb_tests/stdout/$2; mkdir -p "$out"; index=0
grep -o '"n": [0-9]*' "rcb_tests/$2/echo.json" | while read -r _ n; do
  echo "$n" | ./run >"$out/$(printf 'echo@%03d.txt' "$index")"; index=$((index + 1))
done
"""
HONEST = 'read -r line; n=${line//[^0-9]/}; echo "$n"\n'
ON_THREE = 'if [ "$n" = 3 ]; then\n%s\nfi\n'


def echo_task(protocol: str = "rcb", *, case_seconds: float = 4, suite_seconds: float = 20) -> HiddenTask:
    """Return a task of six cases, each of which wants its own number back."""
    cases = [
        Case.model_validate(
            {
                "id": f"{suite}-{n}", "suite": suite, "stem": "echo", "index": n % 3, "input": {"n": n},
                "expected_output": f"{n}\n", "public": False,
            }
        )
        for n, suite in enumerate(["native"] * 3 + ["enhanced"] * 3)
    ]  # fmt: skip
    spec = TaskSpec.model_validate(
        {
            "id": "echo", "title": "Echo", "domain": "text", "language": "bash", "image": "host", "protocol": protocol,
            "limits": TaskLimits(case_seconds=case_seconds, suite_seconds=suite_seconds),
            "source": TaskSource(registry="other", package="echo", version="1", licence="MIT"),
        }
    )  # fmt: skip
    return HiddenTask(spec=spec, folder=Path("/nonexistent"), cases=tuple(cases))


def attacker(attack: str, **files: bytes) -> Submission:
    """Return a submission that answers rightly and runs ``attack`` (bash) before it answers the number 3."""
    program = "#!/bin/bash\nread -r line; n=${line//[^0-9]/}\n" + ON_THREE % attack + 'echo "$n"\n'
    content = {"run": (program.encode(), 0o755), "rcb_tests/test.sh": (TEST_SH, 0o644)}
    return Submission.of({**content, **{path: (data, 0o644) for path, data in files.items()}})
