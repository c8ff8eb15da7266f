"""What the levels hide: requirements of the ground PRD, and vague references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from icae_env.construction.literals import literals, unsaid
from icae_env.construction.pipeline.behaviours import BEHAVIOURS
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.leaking import told
from icae_env.construction.pipeline.models import Constraint, Facts, Frozen, Hidden, Line, VagueReference
from icae_env.construction.pipeline.revision import REVISION
from icae_env.construction.pipeline.stage import Stage, Work
from icae_env.user_agent.checks import CONSTRAINTS as BOUNDS
from icae_env.user_agent.checks import LEAST_TRIGGERS, STORED


class Constraints(Frozen):
    """All that the User Agent knows, but for examples and witnesses."""

    constraints: tuple[Constraint, ...]
    references: tuple[VagueReference, ...]
    fallback: Line
    """What the user says to what nothing answers."""

    def hidden_at(self, level: Hidden) -> tuple[Constraint, ...]:
        """Return what a level hides; each level hides a part of what the level before hides."""
        return tuple(
            item for item in self.constraints if STORED.index(item.hidden_down_to) >= STORED.index(level)
        )

    def vague_at(self, level: Hidden) -> tuple[VagueReference, ...]:
        """Return a level's vague references."""
        return tuple(item for item in self.references if level in item.levels)


def _run(work: Work) -> Constraints:
    ground, facts, prd = work.output(GROUND), work.output(BEHAVIOURS).facts, work.output(REVISION).prd
    values = {
        "prd": prd,
        "signature": ground.signature,
        "banned": ", ".join(facts.identifiers),
        "triggers": str(LEAST_TRIGGERS),
        **{f"least_{level}": str(BOUNDS[level][0]) for level in STORED},
        **{f"most_{level}": str(BOUNDS[level][1]) for level in STORED},
    }
    said = (prd, ground.signature)
    return work.ask("constraints.md", values, Constraints, lambda answer: _faults(answer, facts, said))


def _faults(answer: Constraints, facts: Facts, said: Sequence[str]) -> list[str]:
    faults = []
    for level in STORED:
        count, (least, most) = len(answer.hidden_at(level)), BOUNDS[level]
        if not least <= count <= most:
            faults.append(f"{level} hides {count} constraints, not {least} to {most}.")
        if not answer.vague_at(level):
            faults.append(f"{level} has no vague reference.")
    for name, count in Counter(item.id for item in answer.constraints).items():
        faults += [f"The id '{name}' is used twice."] if count > 1 else []
    for item in answer.constraints:
        triggers = {trigger.casefold().strip() for trigger in item.triggers}
        if len(triggers) < LEAST_TRIGGERS:
            faults.append(
                f"'{item.id}' has {len(triggers)} different triggers, not at least {LEAST_TRIGGERS}."
            )
        faults += told(facts, **{f"'{item.id}'": "\n".join((item.response, *item.triggers))})
        faults += [
            f"'{item.id}' says {literal}, which the requirements do not say. Answers may add nothing."
            for literal in unsaid(literals(item.response), said)
        ]
    for reference in answer.references:
        faults += told(facts, **{f"'{reference.reference}'": f"{reference.reference}\n{reference.meaning}"})
        faults += [
            f"The meaning of '{reference.reference}' says {literal}, which the requirements do not say."
            for literal in unsaid(literals(reference.meaning), said)
        ]
    return [*faults, *told(facts, fallback=answer.fallback)]


CONSTRAINTS = Stage(
    name="constraints",
    number=7,
    output=Constraints,
    run=_run,
    prompts=("constraints.md",),
    needs=(BEHAVIOURS, GROUND, REVISION),
)
