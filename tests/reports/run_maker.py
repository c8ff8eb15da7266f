"""Run directories made from the store's own models, for what no real episode can be made to show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from icae_env.env.trajectory import ModelLine, ResetLine, StepLine, encode
from icae_env.evaluation import EvalReport, GapReport
from icae_env.evaluation.gaps import ConstraintGap, GapStatus
from icae_env.evaluation.report import CaseResult, Outcome, SuiteScores, score
from icae_env.evaluation.submission import SubmissionInfo
from icae_env.llm.base import Usage
from icae_env.llm.limits import ModelUse
from icae_env.rollout.store import (
    EPISODE,
    EPISODES,
    REPORT,
    RUN_FILE,
    TRAJECTORY,
    EpisodeKey,
    EpisodeRow,
    RunConfig,
)

WHEN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def key(
    task: str = "bracex", level: str = "L1", agent: str = "react", seed: int = 0, **more: Any
) -> EpisodeKey:
    return EpisodeKey(task=task, level=level, agent=agent, seed=seed, **more)


def row(episode: EpisodeKey, reward: float | None, **more: Any) -> EpisodeRow:
    """A row of an episode that was handed in; what is not told is as an agent without a model leaves it."""
    fields: dict[str, Any] = {
        "key": episode, "status": "infra" if reward is None else "ok", "reward": reward,
        "end": None if reward is None else "submit", "steps": 10, "questions": 2, "seconds": 30.0, "started": WHEN,
        "resolved": None if reward is None else reward == 1.0, "language": "Python", "domain": "matching",
        "error": "SandboxDiedError: gone" if reward is None else None,
    }  # fmt: skip
    return EpisodeRow(**{**fields, **more})


def use(tokens: tuple[int, int] | None = (1000, 100), cost: float | None = 0.01, calls: int = 5) -> ModelUse:
    usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1]) if tokens else Usage()
    return ModelUse(calls=calls, usage=usage, cost=cost, seconds=4.0)


def gaps(task: str, statuses: dict[str, GapStatus], asked: Sequence[str] = ()) -> GapReport:
    told = ("implemented", "not_implemented")
    return GapReport(
        task=task,
        constraints=tuple(
            ConstraintGap(
                id=name, asked=name in asked or status in told, answered=status in told, status=status, witnesses=(),
                implemented=None if status == "not_measured" else status in ("implemented", "guessed"),
            )
            for name, status in statuses.items()
        ),
    )  # fmt: skip


def case(number: int, outcome: Outcome, expected: str = "yes\n", actual: str | None = None) -> CaseResult:
    printed = expected if outcome == "pass" and actual is None else actual
    return CaseResult(
        id=f"case-{number:03d}", suite="native" if number % 2 else "enhanced", outcome=outcome, public=False,
        expected=expected, actual=printed, detail="" if outcome == "pass" else "it differs",
    )  # fmt: skip


def report(task: str, cases: Sequence[CaseResult]) -> EvalReport:
    native, enhanced = ([item for item in cases if item.suite == suite] for suite in ("native", "enhanced"))
    passed = sum(item.outcome == "pass" for item in cases)
    return EvalReport(
        task=task, level="L1", protocol="rcb", comparison="text", sandbox="bubblewrap", image=None,
        submission=SubmissionInfo(sha256="0" * 64, size=10, file_count=1),
        suites=SuiteScores(native=score(native, measured=True), enhanced=score(enhanced, measured=True)),
        overall=passed / len(cases), resolved=passed == len(cases), status="ok", cases=tuple(cases), seconds=1.0,
    )  # fmt: skip


def make_run(folder: Path, rows: Iterable[EpisodeRow], unfinished: Iterable[EpisodeKey] = ()) -> Path:
    """Write a run directory and return it."""
    kept = list(rows)
    config = RunConfig(
        created=WHEN, episodes=(*(item.key for item in kept), *unfinished), sandbox="bubblewrap", image="host"
    )
    folder.mkdir(parents=True)
    (folder / RUN_FILE).write_text(config.model_dump_json())
    for item in kept:
        own = folder / EPISODES / item.key.id
        own.mkdir(parents=True)
        (own / EPISODE).write_text(item.model_dump_json())
    return folder


def add_files(
    folder: Path,
    episode: EpisodeKey,
    lines: Iterable[ResetLine | StepLine | ModelLine],
    scored: EvalReport | None,
) -> None:
    """Add a trajectory and a report to an episode of a run directory."""
    own = folder / EPISODES / episode.id
    own.mkdir(parents=True, exist_ok=True)
    (own / TRAJECTORY).write_bytes(b"".join(map(encode, lines)))
    if scored is not None:
        (own / REPORT).write_text(scored.model_dump_json())
