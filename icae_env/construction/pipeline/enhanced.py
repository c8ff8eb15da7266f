"""The enhanced cases: inputs beyond the package's own tests, kept when the golden answers them steadily."""

from __future__ import annotations

from icae_env.construction.pipeline.behaviours import BEHAVIOURS
from icae_env.construction.pipeline.blocks import key
from icae_env.construction.pipeline.golden import GOLDEN
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.inputs import all_cases, faults_of_groups, kept, runnable
from icae_env.construction.pipeline.models import CaseGroup, Frozen
from icae_env.construction.pipeline.options import BuildOptions
from icae_env.construction.pipeline.running import Golden, Printed
from icae_env.construction.pipeline.stage import Stage, Work


class _Written(Frozen):
    files: tuple[CaseGroup, ...]


class Enhanced(Frozen):
    """The enhanced suite as far as the golden answers it."""

    groups: tuple[CaseGroup, ...]
    printed: dict[str, str]
    """By case id."""


def _run(work: Work) -> Enhanced:
    ground, facts = work.output(GROUND), work.output(BEHAVIOURS).facts
    golden = Golden(work.options, facts, work.output(GOLDEN).files)
    values = {
        "enhanced": str(work.options.enhanced),
        "prd": ground.prd,
        "signature": ground.signature,
        "inputs": "\n".join(f"{case.id}: {key(case.input)}" for case in all_cases(ground.native)),
        "banned": ", ".join(facts.identifiers),
    }
    last: list[tuple[Printed, dict[str, str]]] = []
    written = work.ask("enhanced.md", values, _Written, lambda answer: _faults(work, answer, golden, last))
    printed, repeats = last[-1]
    for name, reason in {**repeats, **printed.refused}.items():
        work.drop(f"enhanced case {name}", reason)
    return Enhanced(groups=kept(written.files, printed.outputs), printed=printed.outputs)


def _faults(
    work: Work, written: _Written, golden: Golden, last: list[tuple[Printed, dict[str, str]]]
) -> list[str]:
    ground, facts = work.output(GROUND), work.output(BEHAVIOURS).facts
    faults = faults_of_groups(written.files, facts, ground.native)
    if any(case.public for case in all_cases(written.files)):
        faults.append("An enhanced case cannot be public.")
    if faults:
        return faults
    native = {key(case.input): case.id for case in all_cases(ground.native)}
    cases = runnable(written.files, "enhanced")
    repeats = {
        case.id: f"its input is that of the native case {native[key(case.input)]}"
        for case in cases
        if key(case.input) in native
    }
    work.say(f"  running the golden twice on {len(cases) - len(repeats)} inputs ...")
    printed = golden.print([case for case in cases if case.id not in repeats])
    last.append((printed, repeats))
    if len(printed.outputs) >= work.options.enhanced:
        return []
    told = [f"{name}: {reason}" for name, reason in {**repeats, **printed.refused}.items()]
    return [
        f"Of these cases {len(printed.outputs)} can be used, not at least {work.options.enhanced}. Replace the others:",
        *told,
    ]


def _identity(options: BuildOptions) -> str:
    return f"{options.enhanced}"


ENHANCED = Stage(
    name="enhanced",
    number=5,
    output=Enhanced,
    run=_run,
    prompts=("enhanced.md",),
    needs=(BEHAVIOURS, GROUND, GOLDEN),
    identity=_identity,
)
