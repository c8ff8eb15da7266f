"""What a build reports."""

from __future__ import annotations

from pathlib import Path

from icae_env.construction.gate import GateReport
from icae_env.construction.pipeline.ledger import StageFile
from icae_env.construction.pipeline.models import Dropped, Frozen
from icae_env.llm.limits import ModelUse


class StageReport(Frozen):
    """One stage of a build."""

    name: str
    file: Path
    """Where its output is kept."""
    kept: bool
    """Whether an earlier process had made it already."""
    model: str
    """The model that was asked."""
    answers: int
    """Answers of the model, faulty ones among them."""
    use: ModelUse
    """Tokens, cost and time, also of attempts that came to nothing."""
    dropped: tuple[Dropped, ...]

    @classmethod
    def of(cls, file: Path, stage: StageFile, *, kept: bool) -> StageReport:
        """Return the report on a stage's file."""
        return cls(
            name=stage.stage, file=file, kept=kept, model=stage.model, answers=len(stage.attempts), use=stage.use,
            dropped=stage.dropped,
        )  # fmt: skip


class Rejection(Frozen):
    """Why a stage came to nothing: the model gave no answer that can be used."""

    stage: str
    prompt: str
    faults: tuple[str, ...]
    """Of the last answer."""
    file: Path
    """The whole conversation."""


class BuildReport(Frozen):
    """What a build came to."""

    task: str
    folder: Path | None
    """The finished task; None: a stage was rejected."""
    user_agent: Path | None
    stages: tuple[StageReport, ...]
    rejected: Rejection | None = None
    gate: GateReport | None = None
    use: ModelUse
    """All stages together."""

    @property
    def ok(self) -> bool:
        """Whether the task is made and the gate finds nothing."""
        return self.gate is not None and self.gate.ok
