"""Check the inputs that a model wrote, and make cases of them that a golden can be run on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from icae_env.construction.pipeline.blocks import key
from icae_env.construction.pipeline.leaking import told
from icae_env.construction.pipeline.models import CaseGroup, CaseInput, Facts
from icae_env.rollout.examples import STEM as EXAMPLES
from icae_env.tasks.models import Case, Suite


def all_cases(groups: Iterable[CaseGroup]) -> list[CaseInput]:
    """Return the cases of all groups in order."""
    return [case for group in groups for case in group.cases]


def faults_of_groups(
    groups: Sequence[CaseGroup], facts: Facts, others: Sequence[CaseGroup] = ()
) -> list[str]:
    """Return what is wrong with groups of inputs.

    Args:
        groups: The model's groups.
        facts: The source, which no input may name.
        others: Groups of the task that exist already; ids may not occur again.
    """
    cases = all_cases(groups)
    faults = [
        f"The id '{name}' is used twice." for name in _twice([c.id for c in (*all_cases(others), *cases)])
    ]
    stems = [group.stem for group in (*others, *groups)]
    faults += [f"The file name '{name}' is used twice." for name in _twice(stems)]
    if EXAMPLES in stems:
        faults.append(f"The file name '{EXAMPLES}' is kept for the examples of the PRD.")
    inputs = Counter(key(case.input) for case in cases)
    faults += [f"The input of '{case.id}' occurs twice." for case in cases if inputs[key(case.input)] > 1]
    for group in groups:
        faults += told(facts, **{f"description of '{group.stem}'": group.description})
    for case in cases:
        faults += told(facts, **{f"input of '{case.id}'": case.input})
    return faults


def runnable(groups: Iterable[CaseGroup], suite: Suite) -> list[Case]:
    """Return the groups' cases with an empty expectation, to be run on the golden."""
    return [
        Case(id=case.id, suite=suite, stem=group.stem, index=index, input=case.input, expected_output="")
        for group in groups
        for index, case in enumerate(group.cases)
    ]


def kept(groups: Iterable[CaseGroup], ids: Iterable[str]) -> tuple[CaseGroup, ...]:
    """Return the groups with some of their cases alone, without those that are then empty."""
    wanted = set(ids)
    left = [
        group.model_copy(update={"cases": tuple(case for case in group.cases if case.id in wanted)})
        for group in groups
    ]
    return tuple(group for group in left if group.cases)


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]
