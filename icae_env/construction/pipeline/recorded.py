"""All inputs of a task with what the golden printed for them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from icae_env.construction.pipeline.blocks import key
from icae_env.construction.pipeline.enhanced import ENHANCED
from icae_env.construction.pipeline.golden import GOLDEN
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.inputs import all_cases, kept
from icae_env.construction.pipeline.models import CaseGroup, CaseInput, Frozen
from icae_env.construction.pipeline.stage import Work


class Recorded(Frozen):
    """Both suites as the golden answers them."""

    native: tuple[CaseGroup, ...]
    enhanced: tuple[CaseGroup, ...]
    printed: dict[str, str]
    """By case id."""
    examples: dict[str, str]
    """By key of the input: what the examples of the ground PRD give."""

    @property
    def cases(self) -> list[CaseInput]:
        """All cases, native ones first."""
        return all_cases((*self.native, *self.enhanced))

    @property
    def shown(self) -> dict[str, str]:
        """What a PRD may show, by key of the input: examples, and cases that are public."""
        public = {key(case.input): self.printed[case.id] for case in self.cases if case.public}
        return {**public, **self.examples}


def recorded(work: Work) -> Recorded:
    """Return what was recorded before this stage."""
    golden, enhanced = work.output(GOLDEN), work.output(ENHANCED)
    return Recorded(
        native=kept(work.output(GROUND).native, golden.printed),
        enhanced=enhanced.groups,
        printed={**golden.printed, **enhanced.printed},
        examples=golden.examples,
    )


def listed(cases: Iterable[CaseInput], printed: dict[str, str]) -> str:
    """Return cases for a prompt: id, input and what was printed, on a line each."""
    return "\n".join(
        f"{case.id}: {key(case.input)} -> {json.dumps(printed[case.id], ensure_ascii=False)}"
        for case in cases
    )
