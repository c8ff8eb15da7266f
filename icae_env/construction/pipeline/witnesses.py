"""The cases that prove a constraint: what a program prints there that does not know of it."""

from __future__ import annotations

import json

from icae_env.construction.completeness import LEAST_WITNESSED
from icae_env.construction.pipeline.constraints import CONSTRAINTS, Constraints
from icae_env.construction.pipeline.enhanced import ENHANCED
from icae_env.construction.pipeline.golden import GOLDEN
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.levels import LEVELS
from icae_env.construction.pipeline.models import ConstraintWitnesses, Frozen
from icae_env.construction.pipeline.recorded import Recorded, listed, recorded
from icae_env.construction.pipeline.stage import Stage, Work
from icae_env.tasks.checks import same_output


class Witnesses(Frozen):
    """By constraint, its witnesses."""

    constraints: tuple[ConstraintWitnesses, ...]


def _run(work: Work) -> Witnesses:
    chosen, known = work.output(CONSTRAINTS), recorded(work)
    values = {
        "prd": work.output(LEVELS).L1,
        "signature": work.output(GROUND).signature,
        "constraints": "\n".join(f"- {item.id}: {item.response}" for item in chosen.constraints),
        "cases": listed(known.cases, known.printed),
        "half": str(_least(known)),
    }
    return work.ask("witnesses.md", values, Witnesses, lambda answer: _faults(answer, chosen, known))


def _least(known: Recorded) -> int:
    return int(-(-LEAST_WITNESSED * len(known.cases) // 1))


def _faults(answer: Witnesses, chosen: Constraints, known: Recorded) -> list[str]:
    given = [item.constraint for item in answer.constraints]
    faults = faults_of_ids(given, chosen)
    for item in answer.constraints:
        if all(witness.naive_output is None for witness in item.witnesses):
            faults.append(f"'{item.constraint}' has no witness with a naive_output.")
        for witness in item.witnesses:
            place = f"'{item.constraint}', case '{witness.case}'"
            if witness.case not in known.printed:
                faults.append(f"{place}: there is no such case.")
            elif witness.naive_output is not None and same_output(
                witness.naive_output, known.printed[witness.case]
            ):
                faults.append(f"{place}: {json.dumps(witness.naive_output)} is what the package prints, too.")
    named = {witness.case for item in answer.constraints for witness in item.witnesses}
    least, left = _least(known), [case.id for case in known.cases if case.id not in named]
    if len(known.cases) - len(left) < least:
        faults.append(
            f"{len(known.cases) - len(left)} cases are witnesses, not at least {least}. None of these is: {', '.join(left)}."
        )
    return faults


def faults_of_ids(given: list[str], chosen: Constraints) -> list[str]:
    """Return what is wrong with a list that must name every constraint once."""
    wanted = [item.id for item in chosen.constraints]
    faults = [f"There is no constraint '{name}'." for name in dict.fromkeys(given) if name not in wanted]
    faults += [
        f"'{name}' is given {given.count(name)} times, not once." for name in wanted if given.count(name) != 1
    ]
    return faults


WITNESSES = Stage(
    name="witnesses",
    number=9,
    output=Witnesses,
    run=_run,
    prompts=("witnesses.md",),
    needs=(GROUND, GOLDEN, ENHANCED, CONSTRAINTS, LEVELS),
)
