"""The fuzzy PRDs: the ground PRD without what a level hides."""

from __future__ import annotations

from icae_env.construction.literals import literals, unsaid
from icae_env.construction.pipeline.behaviours import BEHAVIOURS
from icae_env.construction.pipeline.blocks import filled, inputs_of, key
from icae_env.construction.pipeline.constraints import CONSTRAINTS
from icae_env.construction.pipeline.enhanced import ENHANCED
from icae_env.construction.pipeline.golden import GOLDEN
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.leaking import told
from icae_env.construction.pipeline.models import Constraint, Frozen, Hidden, Text
from icae_env.construction.pipeline.recorded import recorded
from icae_env.construction.pipeline.revision import REVISION
from icae_env.construction.pipeline.stage import Stage, Work
from icae_env.tasks.checks import L1_WORDS
from icae_env.user_agent.checks import STORED

_LENGTH = {
    "L1": f"It has {L1_WORDS[0]} to {L1_WORDS[1]} words, examples and code included: aim at the middle.",
    "L2": "It is about half as long as the complete one.",
    "L3": "It is as long as the complete one, but for what it hides.",
}


class _Written(Frozen):
    prd: Text


class Levels(Frozen):
    """The PRD of each level, with the outputs in their examples."""

    L1: Text
    L2: Text
    L3: Text


def _run(work: Work) -> Levels:
    return Levels(**{level: _level(work, level) for level in STORED})


def _level(work: Work, level: Hidden) -> str:
    chosen, revision = work.output(CONSTRAINTS), work.output(REVISION)
    hidden, vague = chosen.hidden_at(level), chosen.vague_at(level)
    stated = [item for item in chosen.constraints if item not in hidden]
    values = {
        "level": level,
        "length": _LENGTH[level],
        "prd": revision.bare,
        "signature": work.output(GROUND).signature,
        "hidden": "\n".join(f"- {item.id}: {item.response}" for item in hidden),
        "stated": "\n".join(f"- {item.id}: {item.response}" for item in stated) or "(nothing more)",
        "references": "\n".join(f'- "{item.reference}", in place of: {item.meaning}' for item in vague),
        "banned": ", ".join(work.output(BEHAVIOURS).facts.identifiers),
    }
    shown = recorded(work).shown
    answer = work.ask("level.md", values, _Written, lambda answer: _faults(work, level, answer.prd, shown))
    return filled(answer.prd, shown)


def _faults(work: Work, level: Hidden, prd: str, shown: dict[str, str]) -> list[str]:
    chosen, revision = work.output(CONSTRAINTS), work.output(REVISION)
    hidden, vague = chosen.hidden_at(level), chosen.vague_at(level)
    inputs, faults = inputs_of(prd)
    if faults:
        return faults
    faults += [
        f"The example {key(value)} is none of the complete PRD's."
        for value in inputs
        if key(value) not in shown
    ]
    faults += told(work.output(BEHAVIOURS).facts, prd=prd)
    # As it will be stored, with the outputs that a model writing no outputs cannot count.
    words, (least, most) = len(filled(prd, shown).split()), L1_WORDS
    if level == "L1" and not least <= words <= most:
        faults.append(f"With the outputs of its examples the PRD has {words} words, not {least} to {most}.")
    faults += [
        f'The vague reference "{item.reference}" does not occur.'
        for item in vague
        if item.reference not in _line(prd)
    ]
    faults += [
        f"'{item.id}' is to be hidden, and all that is exact in it is said."
        for item in hidden
        if _is_said(item, prd, revision.bare)
    ]
    known = [
        prd,
        *(item.response for item in hidden),
        *(item.meaning for item in vague),
        work.output(GROUND).signature,
    ]
    faults += [
        f"{literal} of the complete PRD is said neither here nor by what is hidden: say it."
        for literal in unsaid(literals(revision.prd), known)
    ]
    return faults


def _is_said(item: Constraint, prd: str, complete: str) -> bool:
    """Return whether a PRD gives a constraint away: it says it word for word, or all its own literals."""
    if _line(item.response) in _line(prd):
        return True
    # What other rules say too, such as the name of a field, gives nothing away.
    own = [literal for literal in literals(item.response) if _line(complete).count(str(literal)) <= 1]
    return bool(own) and not unsaid(own, [prd])


def _line(text: str) -> str:
    return " ".join(text.split())


LEVELS = Stage(
    name="levels",
    number=8,
    output=Levels,
    run=_run,
    prompts=("level.md",),
    needs=(BEHAVIOURS, GROUND, GOLDEN, ENHANCED, REVISION, CONSTRAINTS),
)
