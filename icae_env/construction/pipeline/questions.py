"""Questions: examples that the router learns from, and, from a conversation that does not see them, those that measure it."""

from __future__ import annotations

from icae_env.construction.pipeline.blocks import key
from icae_env.construction.pipeline.constraints import CONSTRAINTS, Constraints
from icae_env.construction.pipeline.enhanced import ENHANCED
from icae_env.construction.pipeline.golden import GOLDEN
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.levels import LEVELS
from icae_env.construction.pipeline.models import ConstraintExamples, Frozen
from icae_env.construction.pipeline.recorded import recorded
from icae_env.construction.pipeline.stage import Stage, Work
from icae_env.construction.pipeline.witnesses import WITNESSES, faults_of_ids
from icae_env.construction.questions import (
    LEAST_CHEATS,
    LEAST_DISTRACTORS,
    LEAST_EXAMPLES,
    LEAST_QUESTIONS,
    plain,
)
from icae_env.user_agent.checks import Audit

_STYLES = {"precise", "wordy", "colloquial"}
_MOST_INPUTS = 4


class ExampleQuestions(Frozen):
    """By constraint, questions that it answers."""

    constraints: tuple[ConstraintExamples, ...]

    @property
    def all(self) -> list[str]:
        """Every question."""
        return [text for item in self.constraints for text in item.examples.all]


def _run_examples(work: Work) -> ExampleQuestions:
    chosen, known = work.output(CONSTRAINTS), recorded(work)
    inputs = {case.id: key(case.input) for case in known.cases}
    lines = []
    for item, proof in zip(chosen.constraints, _in_order(work), strict=True):
        shown = [inputs[name] for name in proof[:_MOST_INPUTS]]
        lines.append(f"- {item.id}: {item.response}\n  inputs that depend on it: {'; '.join(shown)}")
    values = {"prd": work.output(LEVELS).L1, "constraints": "\n".join(lines), "least": str(LEAST_EXAMPLES)}
    return work.ask(
        "examples.md", values, ExampleQuestions, lambda answer: _faults_of_examples(answer, chosen)
    )


def _in_order(work: Work) -> list[list[str]]:
    proofs = {
        item.constraint: [w.case for w in item.witnesses] for item in work.output(WITNESSES).constraints
    }
    return [proofs[item.id] for item in work.output(CONSTRAINTS).constraints]


def _faults_of_examples(answer: ExampleQuestions, chosen: Constraints) -> list[str]:
    faults = faults_of_ids([item.constraint for item in answer.constraints], chosen)
    for item in answer.constraints:
        manners = item.examples
        if len(manners.all) < LEAST_EXAMPLES or not all((manners.precise, manners.wordy, manners.colloquial)):
            faults.append(
                f"'{item.constraint}' has {len(manners.all)} questions, not at least {LEAST_EXAMPLES} with some in each manner."
            )
    return [*faults, *_repeated(answer.all)]


def _run_audit(work: Work) -> Audit:
    chosen, examples = work.output(CONSTRAINTS), work.output(EXAMPLES)
    values = {
        "prd": work.output(LEVELS).L1,
        "signature": work.output(GROUND).signature,
        # Neither triggers nor examples: who measures may not know what is measured with.
        "constraints": "\n".join(f"- {item.id}: {item.response}" for item in chosen.constraints),
        "references": "\n".join(f'- "{item.reference}": {item.meaning}' for item in chosen.references),
        "least": str(LEAST_QUESTIONS),
        "distractors": str(LEAST_DISTRACTORS),
        "cheats": str(LEAST_CHEATS),
    }
    return work.ask("audit.md", values, Audit, lambda answer: _faults_of_audit(answer, chosen, examples))


def _faults_of_audit(answer: Audit, chosen: Constraints, examples: ExampleQuestions) -> list[str]:
    faults = faults_of_ids(list(answer.records), chosen)
    for name, items in answer.records.items():
        if len(items) < LEAST_QUESTIONS or {item.style for item in items} != _STYLES:
            faults.append(
                f"'{name}' has {len(items)} questions, not at least {LEAST_QUESTIONS} in all three styles."
            )
    counts = (
        ("distractors", answer.distractors, LEAST_DISTRACTORS),
        ("cheating", answer.cheating, LEAST_CHEATS),
    )
    for field, texts, least in (*counts, ("api", answer.api, 1)):
        if len(texts) < least:
            faults.append(f"{field}: there are {len(texts)}, not at least {least}.")
    ids, references = {item.id for item in chosen.constraints}, {item.reference for item in chosen.references}
    unknown = [name for item in answer.multi for name in item.records if name not in ids]
    unknown += [item.reference for item in answer.pointers if item.reference not in references]
    faults += [f"There is no '{name}'." for name in unknown]
    targeted = [item.question for items in answer.records.values() for item in items]
    asked = [*targeted, *(item.question for item in answer.multi)]
    taken = {plain(text) for text in examples.all}
    faults += [
        f"'{text}' is in use already: word it in another way." for text in asked if plain(text) in taken
    ]
    return [*faults, *_repeated(asked)]


def _repeated(texts: list[str]) -> list[str]:
    known = [plain(text) for text in texts]
    return [f"'{text}' occurs twice." for text in dict.fromkeys(known) if known.count(text) > 1]


EXAMPLES = Stage(
    name="examples",
    number=10,
    output=ExampleQuestions,
    run=_run_examples,
    prompts=("examples.md",),
    needs=(GROUND, GOLDEN, ENHANCED, CONSTRAINTS, LEVELS, WITNESSES),
)
AUDIT = Stage(
    name="audit",
    number=11,
    output=Audit,
    run=_run_audit,
    prompts=("audit.md",),
    needs=(GROUND, CONSTRAINTS, LEVELS, EXAMPLES),
)
