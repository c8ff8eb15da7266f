"""What the stages hand on. All of it is read from a model's JSON or from a stage's file, and checked before use."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from icae_env.tasks.cases import STEM
from icae_env.tasks.models import IDENTIFIER
from icae_env.user_agent.records import Examples, Witness

Line = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$")]
"""One line of text, not blank."""
Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Id = Annotated[str, StringConstraints(pattern=IDENTIFIER)]
Hidden = Literal["L1", "L2", "L3"]


class Frozen(BaseModel):
    """A value that is not changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Dropped(Frozen):
    """Something a model wrote that is not used, and why."""

    what: str
    reason: str


class Facts(Frozen):
    """What a package says of itself."""

    registry: Literal["pypi", "npm", "crates", "go", "maven", "debian", "other"]
    package: Line
    version: Line
    licence: Line
    """SPDX expression."""
    url: str = ""
    identifiers: tuple[Line, ...]
    """Names that would give the package away: its own, its authors', its functions'."""


class Evidence(Frozen):
    """A line of the source that shows a behaviour."""

    file: str
    line: int = Field(ge=1)


class Behaviour(Frozen):
    """One thing the package does that can be seen from outside."""

    id: Id
    summary: Text
    evidence: tuple[Evidence, ...] = Field(min_length=1)


class CaseInput(Frozen):
    """One case without an expectation, which only the golden can give."""

    id: Id
    input: Any
    behaviour: Id | None = None
    """The behaviour that it shows; native cases must name one."""
    public: bool = False


class CaseGroup(Frozen):
    """The cases of one file."""

    stem: Annotated[str, StringConstraints(pattern=f"^{STEM.pattern}$")]
    description: Line
    cases: tuple[CaseInput, ...] = Field(min_length=1)


class GoldenFile(Frozen):
    """One file of the golden."""

    path: str
    text: str
    executable: bool = False


class Constraint(Frozen):
    """A requirement that some levels hide."""

    id: Id
    response: Text
    """What the User Agent says."""
    triggers: tuple[Line, ...]
    hidden_down_to: Hidden
    """The most detailed level that still hides it: L1 alone, L1 and L2, or all three."""
    artefact: bool = False


class VagueReference(Frozen):
    """A phrase of a fuzzy PRD that stands for something the User Agent can tell."""

    reference: Line
    meaning: Text
    levels: tuple[Hidden, ...] = Field(min_length=1)


class ConstraintWitnesses(Frozen):
    """The cases that fail when a constraint is ignored."""

    constraint: str
    witnesses: tuple[Witness, ...] = Field(min_length=1)


class ConstraintExamples(Frozen):
    """Questions that a constraint answers."""

    constraint: str
    examples: Examples
