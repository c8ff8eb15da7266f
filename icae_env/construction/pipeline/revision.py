"""Correct the ground PRD by what the golden really printed."""

from __future__ import annotations

from icae_env.construction.pipeline.behaviours import BEHAVIOURS
from icae_env.construction.pipeline.blocks import filled, inputs_of, key
from icae_env.construction.pipeline.enhanced import ENHANCED
from icae_env.construction.pipeline.golden import GOLDEN
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.leaking import told
from icae_env.construction.pipeline.models import Facts, Frozen, Text
from icae_env.construction.pipeline.recorded import listed, recorded
from icae_env.construction.pipeline.stage import Stage, Work


class Edit(Frozen):
    """A passage of the PRD, and what stands in its place."""

    old: Text
    new: str
    reason: str


class _Edits(Frozen):
    edits: tuple[Edit, ...]


class Revision(Frozen):
    """The ground PRD as it is kept."""

    prd: Text
    """With the outputs in its examples."""
    bare: Text
    """With the inputs of its examples alone."""
    edits: tuple[Edit, ...]


def _run(work: Work) -> Revision:
    ground, facts, known = work.output(GROUND), work.output(BEHAVIOURS).facts, recorded(work)
    values = {"prd": ground.prd, "signature": ground.signature, "cases": listed(known.cases, known.printed)}
    answer = work.ask(
        "revision.md", values, _Edits, lambda answer: _faults(answer, ground.prd, facts, known.shown)
    )
    bare, _ = _edited(ground.prd, answer.edits)
    return Revision(prd=filled(bare, known.shown), bare=bare, edits=answer.edits)


def _faults(answer: _Edits, prd: str, facts: Facts, shown: dict[str, str]) -> list[str]:
    bare, faults = _edited(prd, answer.edits)
    if faults:
        return faults
    inputs, faults = inputs_of(bare)
    faults += told(facts, prd=bare)
    faults += [
        f"The example {key(value)} was not run: edits may remove examples, not add them."
        for value in inputs
        if key(value) not in shown
    ]
    return faults


def _edited(prd: str, edits: tuple[Edit, ...]) -> tuple[str, list[str]]:
    for number, edit in enumerate(edits):
        count = prd.count(edit.old)
        if count != 1:
            return prd, [f"edits.{number}.old occurs {count} times in the PRD as it is by then, not once."]
        prd = prd.replace(edit.old, edit.new)
    return prd, []


REVISION = Stage(
    name="revision",
    number=6,
    output=Revision,
    run=_run,
    prompts=("revision.md",),
    needs=(BEHAVIOURS, GROUND, GOLDEN, ENHANCED),
)
