"""The protocol ``program`` on real sandboxes: compile once, run every case alone, compare what the program did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from icae_env.errors import ConfigError
from icae_env.evaluation import Submission, evaluate
from icae_env.sandbox.base import Backend
from icae_env.tasks import load_hidden, load_public
from icae_env.tasks.models import Case, HiddenTask, OracleSpec, TaskLimits, TaskSource, TaskSpec
from icae_env.tasks.program_cases import ProgramInput, ProgramResult

PROGRAM = b"""#!/bin/bash
case "$1" in
    -u) tr a-z A-Z ;;
    -f) cat "$2"; printf 'seen\\n' > "$2.log" ;;
    -b) printf '\\xff\\xfe' ;;
    -s) sleep 60 ;;
    "") cat ;;
    *) echo "$0: unknown option $1" >&2; exit 2 ;;
esac
"""
COMPILE = b"cp main.sh executable\nchmod +x executable\n"


def case(
    name: str, args: list[str], stdin: str = "", files: dict[str, str] | None = None, **expected: Any
) -> Case:
    given = ProgramInput(args=tuple(args), stdin=stdin, files=files or {})
    result = ProgramResult(**{"stdout": "", "exit_code": 0, **expected})
    return Case(
        id=name,
        suite="native",
        stem="all",
        index=0,
        input=given.model_dump(mode="json"),
        expected_output=result.text(),
    )


CASES = (
    case("plain-01", [], "abc\n", stdout="abc\n"),
    case("upper-01", ["-u"], "abc\n", stdout="ABC\n"),
    case("file-01", ["-f", "in.txt"], files={"in.txt": "text\n"}, stdout="text\n"),
    case("bytes-01", ["-b"], stdout={"base64": "//4="}),
    case("error-01", ["-q"], exit_code=2, stderr="./executable: unknown option -q\n"),
)


def task(stderr: str = "ignore", cases: tuple[Case, ...] = CASES) -> HiddenTask:
    spec = TaskSpec(
        id="shout", title="Shout", kind="oracle", domain="text", language="python", image="base", protocol="program",
        limits=TaskLimits(case_seconds=3), oracle=OracleSpec(stderr=stderr),
        source=TaskSource(registry="other", package="none", version="1", licence="MIT"),
    )  # fmt: skip
    return HiddenTask(spec=spec, folder=Path("/nowhere"), cases=cases)


def submission(program: bytes = PROGRAM, compile_sh: bytes = COMPILE) -> Submission:
    return Submission.of({"main.sh": (program, 0o644), "compile.sh": (compile_sh, 0o644)})


def outcomes(hidden: HiddenTask, handed_in: Submission, real: Backend, image: str) -> dict[str, str]:
    report = evaluate(hidden, handed_in, real, image=image)
    assert report.status == "ok", report.infra_error
    return {result.id: result.outcome for result in report.cases}


def test_a_program_that_does_the_same_scores_one(real: Backend, image: str) -> None:
    report = evaluate(task("text"), submission(), real, image=image)
    assert report.reward == 1.0, [result for result in report.cases if result.outcome != "pass"]
    assert report.build is not None and report.build.ok and report.build.sha256 is not None


def test_what_is_compared_is_what_the_task_says(real: Backend, image: str) -> None:
    other_words = submission(PROGRAM.replace(b"unknown option", b"strange option"))
    silent = submission(PROGRAM.replace(b'echo "$0: unknown option $1" >&2; ', b""))
    assert outcomes(task("text"), other_words, real, image)["error-01"] == "mismatch"
    assert outcomes(task("presence"), other_words, real, image)["error-01"] == "pass"
    assert outcomes(task("presence"), silent, real, image)["error-01"] == "mismatch"
    assert outcomes(task("ignore"), silent, real, image)["error-01"] == "pass"


def test_files_that_the_program_leaves_are_compared(real: Backend, image: str) -> None:
    given: dict[str, Any] = {"args": ["-f", "in.txt"], "files": {"in.txt": "text\n"}}
    cases = tuple(
        CASES[0].model_copy(
            update={
                "id": name, "input": given,
                "expected_output": ProgramResult(stdout="text\n", exit_code=0, files={"in.txt.log": left}).text(),
            }
        )
        for name, left in {"same": "seen\n", "other": "gone\n", "none": None}.items()
    )  # fmt: skip
    found = outcomes(task(cases=cases), submission(), real, image)
    assert found == {"same": "pass", "other": "mismatch", "none": "mismatch"}


def test_a_failed_compilation_is_not_run_and_scores_zero_with_its_log(real: Backend, image: str) -> None:
    report = evaluate(task(), submission(compile_sh=b"echo no such compiler; exit 7\n"), real, image=image)
    assert (report.status, report.reward) == ("ok", 0.0)
    assert {result.outcome for result in report.cases} == {"not_run"}
    assert report.build is not None and report.build.exit_code == 7 and "no such compiler" in report.build.log


def test_an_executable_handed_in_ready_made_does_not_count(real: Backend, image: str) -> None:
    handed_in = Submission.of({"executable": (PROGRAM, 0o755), "compile.sh": (b"true\n", 0o644)})
    report = evaluate(task(), handed_in, real, image=image)
    assert report.reward == 0.0 and report.build is not None and not report.build.ok


def test_a_program_that_hangs_costs_its_own_case(real: Backend, image: str) -> None:
    cases = (case("hang-01", ["-s"]), *CASES)
    found = outcomes(task(cases=cases), submission(), real, image)
    assert found.pop("hang-01") == "timeout"
    assert set(found.values()) == {"pass"}


def test_a_case_sees_nothing_of_another(real: Backend, image: str) -> None:
    program = b"#!/bin/bash\nls -A . ~ /tmp | grep -c trace\ntouch trace ~/trace /tmp/trace\n"
    cases = tuple(case(f"alone-{number}", [], stdout="0\n") for number in range(4))
    assert set(outcomes(task(cases=cases), submission(program), real, image).values()) == {"pass"}


def test_an_oracle_task_is_read_from_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "shout"
    (folder / "prd").mkdir(parents=True)
    for suite in ("native", "enhanced"):
        (folder / "cases" / suite).mkdir(parents=True)
        (folder / "cases" / suite / "plain.json").write_text(
            '{"description": "d", "cases": [{"id": "%s-01", "args": ["-u"], "stdin": {"base64": "/w=="},'
            ' "expected": {"stdout": "x", "exit_code": 1}}]}' % suite
        )
    (folder / "prd" / "ground.md").write_text("It shouts.\n")
    head = 'id = "shout"\ntitle = "t"\ndomain = "d"\nlanguage = "go"\nimage = "base"\nkind = "oracle"\n'
    tail = '[source]\nregistry = "other"\npackage = "p"\nversion = "1"\nlicence = "MIT"\n'
    (folder / "task.toml").write_text(f'{head}protocol = "program"\n[oracle]\nstderr = "presence"\n{tail}')
    hidden = load_hidden(folder)
    assert [case.id for case in hidden.cases] == ["native-01", "enhanced-01"]
    assert ProgramInput.model_validate(hidden.cases[0].input).args == ("-u",)
    assert load_public(folder, "ground").spec.oracle == OracleSpec(stderr="presence")
    with pytest.raises(ConfigError, match="level"):
        load_public(folder, "L1")
    (folder / "task.toml").write_text(f'{head}protocol = "rcb"\n{tail}')
    with pytest.raises(ConfigError, match=r"task\.toml.*oracle"):
        load_hidden(folder)


@pytest.mark.parametrize("path", ["/etc/passwd", "../up", "executable", "a/../../b", ""])
def test_a_case_places_files_beside_the_program_only(path: str) -> None:
    with pytest.raises(ValidationError, match="no path"):
        ProgramInput(files={path: "x"})
