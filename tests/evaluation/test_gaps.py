from __future__ import annotations

from double_task import make_submission, make_task, write_outputs

from icae_env.evaluation.evaluate import evaluate
from icae_env.evaluation.gaps import GapConstraint, GapReport, GapWitness, find_gaps
from icae_env.sandbox.base import Completed
from icae_env.sandbox.fake import FakeBackend, FakeCall


def constraint(name: str, *cases: str, naive: str | None = None) -> GapConstraint:
    return GapConstraint(
        id=name, witnesses=tuple(GapWitness(case=case, naive_output=naive) for case in cases)
    )


def test_each_constraint_gets_its_status() -> None:
    def answer(call: FakeCall) -> Completed:
        write_outputs(call, lambda n: b"%d\n" % (2 * n if n < 3 else 7))
        return Completed(exit_code=0)

    report = evaluate(make_task(), make_submission(), FakeBackend(answer))
    constraints = [
        constraint("told-done", "native-00", "native-01"),
        constraint("told-not", "native-00", "native-03", naive="7"),
        constraint("guessed", "native-02"),
        constraint("missed", "native-04", naive="8\n"),
        constraint("asked-only", "native-03"),
        constraint("bare"),
        constraint("elsewhere", "not-a-case"),
    ]
    gaps = find_gaps(constraints, report, asked={"asked-only"}, answered={"told-done", "told-not", "bare"})
    assert {gap.id: gap.status for gap in gaps.constraints} == {
        "told-done": "implemented",
        "told-not": "not_implemented",
        "guessed": "guessed",
        "missed": "missed",
        "asked-only": "missed",
        "bare": "not_measured",
        "elsewhere": "not_measured",
    }
    by_id = {gap.id: gap for gap in gaps.constraints}
    assert by_id["asked-only"].asked
    assert not by_id["asked-only"].answered
    assert by_id["told-not"].asked
    assert [witness.naive for witness in by_id["told-not"].witnesses] == [False, True]
    assert by_id["missed"].witnesses[0].naive is False
    assert by_id["told-done"].witnesses[0].naive is None
    assert gaps.counts == {
        "implemented": 1,
        "not_implemented": 1,
        "guessed": 1,
        "missed": 2,
        "not_measured": 2,
    }
    assert GapReport.model_validate_json(gaps.model_dump_json()) == gaps


def test_host_failure_is_not_measured() -> None:
    report = evaluate(make_task(), make_submission(), FakeBackend(start_error="down"))
    gaps = find_gaps([constraint("c", "native-00")], report, asked=(), answered=())
    assert gaps.constraints[0].status == "not_measured"
    assert gaps.constraints[0].implemented is None
