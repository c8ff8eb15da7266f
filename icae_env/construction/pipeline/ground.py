"""The ground PRD, the interface and the inputs of the native cases."""

from __future__ import annotations

from icae_env.construction.literals import literals
from icae_env.construction.pipeline.behaviours import BEHAVIOURS, Behaviours
from icae_env.construction.pipeline.blocks import inputs_of
from icae_env.construction.pipeline.inputs import all_cases, faults_of_groups
from icae_env.construction.pipeline.leaking import told
from icae_env.construction.pipeline.models import CaseGroup, Frozen, Line, Text
from icae_env.construction.pipeline.options import BuildOptions
from icae_env.construction.pipeline.reading import of_kind, shown
from icae_env.construction.pipeline.source import SOURCE
from icae_env.construction.pipeline.stage import Stage, Work

_MOST_TESTS, _MOST_CODE = 60_000, 60_000


class Ground(Frozen):
    """The complete requirements, and inputs that show them."""

    title: Line
    domain: Line
    prd: Text
    """Markdown; its examples have inputs alone."""
    signature: Text
    """The interface: what the JSON of a case looks like and how an answer is printed."""
    native: tuple[CaseGroup, ...]


def _run(work: Work) -> Ground:
    source, known = work.output(SOURCE), work.output(BEHAVIOURS)
    values = {
        "language": work.options.language,
        "native": str(work.options.native),
        "behaviours": "\n".join(f"- {item.id}: {item.summary}" for item in known.behaviours),
        "banned": ", ".join(known.facts.identifiers),
        "tests": shown(of_kind(source.files, "test"), _MOST_TESTS),
        "code": shown(of_kind(source.files, "code"), _MOST_CODE),
    }
    return work.ask("ground.md", values, Ground, lambda ground: _faults(ground, known, work.options.native))


def _faults(ground: Ground, known: Behaviours, least: int) -> list[str]:
    facts = known.facts
    examples, faults = inputs_of(ground.prd)
    if not examples and not faults:
        faults.append("The PRD has no example: add fenced ```case blocks.")
    faults += told(
        facts, title=ground.title, domain=ground.domain, prd=ground.prd, signature=ground.signature
    )
    faults += faults_of_groups(ground.native, facts)
    cases = all_cases(ground.native)
    ids = {item.id for item in known.behaviours}
    faults += [
        f"The case '{case.id}' must name the behaviour that it shows."
        for case in cases
        if case.behaviour not in ids
    ]
    shown_ids = {case.behaviour for case in cases}
    faults += [f"No case shows the behaviour '{name}'." for name in sorted(ids - shown_ids)]
    if len(cases) < least:
        faults.append(f"There are {len(cases)} cases, not at least {least}.")
    if not any(case.public for case in cases):
        faults.append('No case is public: mark a few simple ones with "public": true.')
    if not literals(ground.prd):
        faults.append("The PRD quotes nothing exactly: put what is typed or printed into `backquotes`.")
    return faults


def _identity(options: BuildOptions) -> str:
    return f"{options.language} {options.native}"


GROUND = Stage(
    name="ground",
    number=3,
    output=Ground,
    run=_run,
    prompts=("ground.md",),
    needs=(SOURCE, BEHAVIOURS),
    identity=_identity,
)
