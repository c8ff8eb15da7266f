"""Run the stages one after the other; what is kept and still holds is not made again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from icae_env.construction.gate import GateReport, check_gate
from icae_env.construction.pipeline.assembly import assemble, write_spec
from icae_env.construction.pipeline.behaviours import BEHAVIOURS
from icae_env.construction.pipeline.constraints import CONSTRAINTS
from icae_env.construction.pipeline.enhanced import ENHANCED
from icae_env.construction.pipeline.golden import GOLDEN
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.ledger import Ledger, StageFile, digest, digest_of, dropped_in
from icae_env.construction.pipeline.levels import LEVELS
from icae_env.construction.pipeline.options import BuildOptions
from icae_env.construction.pipeline.prompts import Prompts
from icae_env.construction.pipeline.questions import AUDIT, EXAMPLES
from icae_env.construction.pipeline.report import BuildReport, Rejection, StageReport
from icae_env.construction.pipeline.revision import REVISION
from icae_env.construction.pipeline.running import GOLDEN_ROOT
from icae_env.construction.pipeline.source import SOURCE
from icae_env.construction.pipeline.stage import Out, Rejected, Stage, Work
from icae_env.construction.pipeline.witnesses import WITNESSES
from icae_env.construction.placing import check_free, made, move_all
from icae_env.errors import ConfigError, InfraError
from icae_env.llm.base import ChatModel
from icae_env.llm.limits import ModelUse
from icae_env.llm.meter import Meter, total
from icae_env.llm.prices import Prices
from icae_env.tasks import task_ids

STAGES: tuple[Stage[Any], ...] = (
    SOURCE, BEHAVIOURS, GROUND, GOLDEN, ENHANCED, REVISION, CONSTRAINTS, LEVELS, WITNESSES, EXAMPLES, AUDIT,
)  # fmt: skip

MADE = "made"
"""Folder, in the build's own, where the finished task lies until the gate has seen it."""


def build_task(
    options: BuildOptions,
    model: ChatModel,
    *,
    prices: Prices | None = None,
    resume: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> BuildReport:
    """Make a task from a package.

    ``tasks/<id>`` and ``user_agent_data/<id>`` appear at the end, whole, also when the gate finds something: then as a draft.

    Args:
        options: What is to be made.
        model: The model, which stays open.
        prices: What it costs; None: unknown.
        resume: Whether to go on with what an earlier process left.
        progress: Called with a line before each part.

    Raises:
        ConfigError: The source, the id or a prompt is not valid, the task exists, or a build of it was begun and
            ``resume`` is not set.
        InfraError: The host or the model failed; ``resume`` goes on from there.
    """
    ledger = Ledger(options.folder)
    if resume:
        _finish_halfway(options)
    _check_free(options)
    if ledger.started() and not resume:
        raise ConfigError(
            "A build of this task was begun.",
            file=options.folder,
            mend="give --resume, or remove the folder.",
        )
    with ledger.held():
        return _Build(options, Meter(model, prices=prices), ledger, progress).run()


def _finish_halfway(options: BuildOptions) -> None:
    """Take back what a process that was killed between the two moves has moved already."""
    halves = {part: options.folder / MADE / part / options.id for part in ("tasks", "user_agent_data")}
    moved = options.root / "user_agent_data" / options.id
    if halves["tasks"].is_dir() and not halves["user_agent_data"].exists() and moved.is_dir():
        moved.rename(halves["user_agent_data"])


def _check_free(options: BuildOptions) -> None:
    check_free(options.root / "tasks" / options.id, options.root / "user_agent_data" / options.id)
    if options.id in task_ids(include_drafts=True):
        raise ConfigError(f"There is a task '{options.id}' already.", field="id", mend="choose another id.")


class _Build:
    def __init__(
        self, options: BuildOptions, meter: Meter, ledger: Ledger, say: Callable[[str], None]
    ) -> None:
        self.options, self.meter, self.ledger, self.say = options, meter, ledger, say
        self.prompts = Prompts(options.prompts)
        self.outputs: dict[str, BaseModel] = {}
        self.files: list[StageFile] = []
        self.reports: list[StageReport] = []

    def run(self) -> BuildReport:
        for stage in STAGES:
            try:
                self.outputs[stage.name] = self._stage(stage)
            except Rejected as error:
                file = self.ledger.unfinished(stage)
                return self._report(
                    Rejection(stage=stage.name, prompt=error.prompt, faults=error.faults, file=file)
                )
        return self._finish()

    def _stage(self, stage: Stage[Out]) -> Out:
        inputs = self._inputs(stage)
        found = self.ledger.read(stage, inputs)
        if found is not None:
            self._note(stage, found[0], kept=True)
            return found[1]
        self.say(f"{stage.file.removesuffix('.json')} ...")
        work, prior = self._work(), self.ledger.unfinished_use(stage)
        self.meter.phase(stage.name)
        output: Out | None = None
        try:
            output = stage.run(work)
            return output
        finally:
            # Also when it came to nothing, so that its costs and the conversation are not lost.
            if output is not None or work.attempts:
                kept = StageFile(
                    stage=stage.name,
                    inputs=inputs,
                    model=self.meter.name,
                    use=total(prior, self.meter.use_by_phase.get(stage.name, ModelUse())),
                    dropped=tuple(work.dropped),
                    attempts=tuple(work.attempts),
                    output=None if output is None else output.model_dump(mode="json"),
                )
                self.ledger.write(stage, kept)
                self._note(stage, kept, kept=False)

    def _inputs(self, stage: Stage[Any]) -> str:
        prompts = self.prompts.digest(stage.prompts) if stage.prompts else ""
        needed = [digest_of(self.outputs[need.name]) for need in stage.needs]
        return digest(stage.name, str(stage.version), prompts, stage.identity(self.options), *needed)

    def _work(self) -> Work:
        return Work(self.options, self.meter, self.prompts, self.say, self.outputs)

    def _note(self, stage: Stage[Any], file: StageFile, *, kept: bool) -> None:
        self.files.append(file)
        self.reports.append(StageReport.of(self.ledger.folder / stage.file, file, kept=kept))

    def _finish(self) -> BuildReport:
        """Assemble the task, check it, and move it into place."""
        work, name = self._work(), self.options.id
        place = self.options.folder / MADE
        models = dict.fromkeys(file.model for file in self.files if file.attempts)
        folder = assemble(work, place, ", ".join(models), dropped_in(self.files))
        gate = check_gate(
            folder,
            sandbox=self.options.sandbox,
            image=self.options.image,
            progress=lambda line: self.say(f"  {line}"),
        )
        if gate.infra:
            raise InfraError(
                f"The gate could not measure '{name}': "
                + "; ".join(check.detail for check in gate.replayed if check.infra)
            )
        write_spec(work, folder, draft=not gate.ok)
        # The task last: it is found by its folder in tasks/, and then all of it is there.
        targets = {
            place / part / name: self.options.root / part / name for part in ("user_agent_data", "tasks")
        }
        with made(*(target.parent for target in targets.values())):
            move_all(targets)
        for left in (place, self.options.folder / GOLDEN_ROOT):
            shutil.rmtree(left, ignore_errors=True)  # the golden's is missing where its stages were kept
        return self._report(None, gate)

    def _report(self, rejected: Rejection | None, gate: GateReport | None = None) -> BuildReport:
        use = ModelUse()
        for report in self.reports:
            use = total(use, report.use)
        folders: list[Path | None] = [None, None]
        if gate is not None:
            folders = [self.options.root / part / self.options.id for part in ("tasks", "user_agent_data")]
        return BuildReport(
            task=self.options.id,
            folder=folders[0],
            user_agent=folders[1],
            stages=tuple(self.reports),
            rejected=rejected,
            gate=gate,
            use=use,
        )
