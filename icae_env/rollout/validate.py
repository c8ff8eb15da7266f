"""Prove that a task measures what it says, on one sandbox and image."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ConfigError, InfraError
from icae_env.evaluation import CaseResult, EvalReport, evaluate
from icae_env.evaluation.compare import compare
from icae_env.factory import make_env
from icae_env.rollout.agent import make_agent
from icae_env.rollout.episode import EpisodeResult, play
from icae_env.rollout.examples import ground_examples
from icae_env.rollout.golden import golden_submission
from icae_env.rollout.hidden_text import search_episode
from icae_env.selection import choose_image, open_backend
from icae_env.tasks import TaskFolder, find_task, load_hidden
from icae_env.user_agent import load_records
from icae_env.user_agent.checks import check_task

REPEATS = 3
"""Episodes of the golden, which must come out alike."""
_SEARCH_SECONDS = 1200.0


class Check(BaseModel):
    """One thing that was proved, or not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    ok: bool | None
    """None: told for information, not judged."""
    detail: str
    infra: bool = False
    """Whether the host's side failed, so that nothing was proved either way."""


class Validation(BaseModel):
    """What was proved of one task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    sandbox: str
    image: str
    checks: tuple[Check, ...]
    seconds: float
    """Wall time."""

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return all(check.ok is not False for check in self.checks)

    @property
    def infra(self) -> bool:
        """Whether the host's side failed somewhere."""
        return any(check.infra for check in self.checks)


def validate_task(
    task: str,
    sandbox: str = "auto",
    image: str = "auto",
    progress: Callable[[str], None] = lambda line: None,
) -> Validation:
    """Validate one task.

    The golden must get 1.0 three times with identical outputs, an empty submission 0.0; the folder and the records
    must be consistent, every naive output of a witness must differ from what is expected, the examples of the ground
    PRD must be true of the golden, and no hidden text may lie in an episode's sandbox. How the scripted agent does is
    told but not judged.

    Args:
        task: Id of the task.
        sandbox: Backend to prove it on, or ``auto``.
        image: Image to prove it on, or ``auto``.
        progress: Called with a line before each part.

    Raises:
        UnknownNameError: The task, the sandbox or the image is not known.
        SandboxUnavailableError: The sandbox does not work on this machine.
    """
    begun = time.monotonic()
    found = find_task(task)
    with closing(open_backend(sandbox)) as backend:
        name = backend.name
        availability = backend.availability()
        if not availability.ok:
            raise InfraError(
                f"Sandbox '{name}' cannot be used here: {availability.detail} (mend: {availability.mend})"
            )
    prover = _Prover(
        found, name if sandbox == "auto" else sandbox, choose_image(image, found.spec.image, name)
    )
    checks = []
    for title, part in prover.parts():
        progress(f"{found.id}: {title} ...")
        try:
            checks.append(Check(name=title, **part()))
        except InfraError as error:
            checks.append(Check(name=title, ok=False, detail=f"not measured: {error}", infra=True))
        except ConfigError as error:
            checks.append(Check(name=title, ok=False, detail=str(error)))
    return Validation(
        task=found.id,
        sandbox=name,
        image=prover.image,
        checks=tuple(checks),
        seconds=time.monotonic() - begun,
    )


class _Prover:
    """The single proofs; each returns the fields ``ok`` and ``detail`` of its check."""

    def __init__(self, task: TaskFolder, sandbox: str, image: str) -> None:
        self.task, self.sandbox, self.image = task, sandbox, image

    def parts(self) -> Iterator[tuple[str, Callable[[], dict[str, object]]]]:
        yield "folder and records", self.folder
        yield "witnesses", self.witnesses
        yield f"golden, {REPEATS} times", self.golden
        yield "doing nothing", self.nothing
        yield "examples of the ground PRD", self.examples
        yield "no hidden text in the sandbox", self.hidden
        yield "scripted agent", self.scripted

    def folder(self) -> dict[str, object]:
        findings = check_task(self.task)
        detail = "; ".join(str(finding) for finding in findings[:3])
        more = f" and {len(findings) - 3} more" if len(findings) > 3 else ""
        return {"ok": not findings, "detail": detail + more if findings else "consistent"}

    def witnesses(self) -> dict[str, object]:
        expected = {case.id: case.expected_output for case in load_hidden(self.task).cases}
        rule = self.task.spec.comparison
        naive = equal = 0
        for level in ("L1", "L2", "L3"):
            for record in load_records(self.task.user_agent / f"{level}.json").records:
                for witness in record.witnesses:
                    if witness.naive_output is None:
                        continue
                    naive += 1
                    output = witness.naive_output.encode()
                    equal += (
                        witness.case not in expected or compare(rule, expected[witness.case], output).equal
                    )
        return {
            "ok": naive > 0 and equal == 0,
            "detail": f"{naive - equal} of {naive} naive outputs differ from the expected ones",
        }

    def golden(self) -> dict[str, object]:
        results = [self._play("golden") for _ in range(REPEATS)]
        rewards = [result.reward for result in results]
        prints = {result.report.fingerprint() for result in results if result.report}
        detail = f"rewards {_list(rewards)}, " + (
            "identical outputs" if len(prints) == 1 else "outputs differ"
        )
        failed = [case.id for result in results[:1] for case in _failed(result.report)]
        if failed:
            detail += f"; failed: {', '.join(failed[:5])}"
        return {"ok": rewards == [1.0] * REPEATS and len(prints) == 1, "detail": detail}

    def nothing(self) -> dict[str, object]:
        result = self._play("noop")
        return {"ok": result.reward == 0.0, "detail": f"reward {result.reward}"}

    def examples(self) -> dict[str, object]:
        examples = ground_examples(self.task)
        if not examples:
            return {"ok": False, "detail": "the ground PRD has no ```case``` example"}
        hidden = load_hidden(self.task).model_copy(update={"cases": examples})
        golden = golden_submission(self.task.id, self.sandbox, self.image)
        with closing(open_backend(self.sandbox)) as backend:
            report = evaluate(hidden, golden, backend, image=self.image, suites=("native",))
        if report.status == "infra":
            raise InfraError(report.infra_error or "the examples could not be run")
        false = [f"{case.id}: {case.detail}" for case in _failed(report)]
        detail = f"{len(examples) - len(false)} of {len(examples)} are true of the golden"
        return {"ok": not false, "detail": "; ".join([detail, *false[:3]])}

    def hidden(self) -> dict[str, object]:
        env = make_env(
            self.task.id,
            "L1",
            self.sandbox,
            self.image,
            command_seconds=_SEARCH_SECONDS,
            seconds=2 * _SEARCH_SECONDS,
        )
        with closing(env):
            search = search_episode(env, self.task.id)
        if not search.works:
            return {"ok": False, "detail": "the search did not find its own control text"}
        where = f"found in {', '.join(search.found[:5])}" if search.found else "none found"
        return {"ok": not search.found, "detail": f"{search.texts} texts searched for, {where}"}

    def scripted(self) -> dict[str, object]:
        try:
            result = self._play("scripted")
        except ConfigError as error:
            return {"ok": None, "detail": f"not played: {error}"}
        return {
            "ok": None,
            "detail": f"reward {result.reward}, {result.steps} actions, {result.questions} questions",
        }

    def _play(self, agent: str) -> EpisodeResult:
        env = make_env(self.task.id, "L1", self.sandbox, self.image)
        with closing(env):
            result = play(make_agent(agent), env)
        if result.status == "infra":
            raise InfraError(result.error or "the episode could not be measured")
        return result


def _failed(report: EvalReport | None) -> list[CaseResult]:
    return [case for case in report.cases if case.outcome != "pass"] if report else []


def _list(rewards: list[float | None]) -> str:
    return ", ".join("none" if reward is None else f"{reward:.3f}" for reward in rewards)
