"""What a task is: the public part an environment may hold, and the hidden part only scorers get.

A task folder is described in CONTRIBUTING.md ("A task of your own"). All models are frozen and reject unknown fields.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Level = Literal["L1", "L2", "L3", "ground", "recovered"]
"""How much the PRD says: L1 is the fuzziest, ``ground`` the complete PRD, ``recovered`` the L1 PRD plus all its records."""

LEVELS: tuple[Level, ...] = ("L1", "L2", "L3", "ground", "recovered")
Suite = Literal["native", "enhanced"]
SUITES: tuple[Suite, ...] = ("native", "enhanced")
Kind = Literal["prd", "oracle", "envspec"]
"""``prd``: build what a fuzzy PRD asks for. ``oracle``: rebuild a program that can be run but not read. ``envspec``: solve a
problem and declare what the solution depends on."""
Protocol = Literal["rcb", "stdin", "program"]
"""``rcb``: ``rcb_tests/test.sh --cases-dir SUITE`` answers a whole suite. ``stdin``: ``./run`` answers one case. ``program``:
``compile.sh`` makes ``./executable``, which is run with each case's arguments, input and files."""
Comparison = Literal["text", "exact", "compat"]
IDENTIFIER = r"^[a-z0-9][a-z0-9_.@-]*$"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TaskLimits(_Frozen):
    """The default limits of an episode and of its replay."""

    steps: int = Field(200, ge=1)
    """Actions per episode."""
    questions: int = Field(16, ge=0)
    """Questions that the User Agent answers (upstream's budget: 16)."""
    seconds: float = Field(3600.0, gt=0)
    """Wall time of an episode."""
    command_seconds: float = Field(180.0, gt=0)
    """Wall time of one bash action."""
    case_seconds: float = Field(10.0, gt=0)
    """Wall time of one case when it is replayed alone."""
    suite_seconds: float = Field(300.0, gt=0)
    """Wall time of one suite under the ``rcb`` protocol."""
    output_chars: int = Field(16_000, ge=200)
    """Characters of one observation's text."""


class OracleSpec(_Frozen):
    """How the reference program of an oracle task is served and compared with (table ``[oracle]``)."""

    mode: Literal["proxy", "direct"] = "proxy"
    """``proxy``: ``./executable`` in the workspace is a client of a reference that runs in a sandbox of its own. ``direct``: the
    reference itself lies there, with mode 0111."""
    allow_dynamic: bool = False
    """Whether a dynamically linked reference is served in mode ``direct`` all the same, although an agent can then read it by its
    loader: for images that come with such programs."""
    stderr: Literal["ignore", "presence", "text"] = "ignore"
    """What of standard error a case compares: nothing, whether there is any, or its text."""
    interactive: bool = False
    """Whether the reference is a full-screen or line-by-line program, to be driven with the terminal action."""
    coverage: Literal["go", "c", "rust"] | None = None
    """How ``reference/coverage.sh`` builds it to measure which of its lines probes run; None: there is no such build."""
    build_seconds: float = Field(900.0, gt=0)
    """Wall time of a submission's ``compile.sh``."""
    clean_hashes: tuple[str, ...] = ()
    """SHA-256 of files that are removed from a submission before it is compiled."""


class TaskSource(_Frozen):
    """The real package whose behaviour the task was taken from (the golden)."""

    registry: Literal["pypi", "npm", "crates", "go", "maven", "debian", "other"]
    package: str
    version: str
    licence: str
    """SPDX expression."""
    url: str = ""
    identifiers: tuple[str, ...] = ()
    """Names (package, author, functions) that may not occur in any text an agent can read."""


class TaskSpec(_Frozen):
    """The content of ``task.toml``."""

    id: str = Field(pattern=IDENTIFIER)
    title: str
    kind: Kind = "prd"
    domain: str
    language: str
    """Language the submission is expected in."""
    image: str
    """Image that episode and replay run on."""
    protocol: Protocol = "rcb"
    comparison: Comparison = "text"
    limits: TaskLimits = TaskLimits()
    source: TaskSource
    draft: bool = False
    """Drafts are kept out of selections."""
    oracle: OracleSpec | None = None
    """Only, and always, of tasks of that kind."""

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels that the task can be played at; the first is its default."""
        return LEVELS if self.kind == "prd" else ("ground",)

    @model_validator(mode="after")
    def _kind_fits(self) -> TaskSpec:
        if (self.kind == "oracle") != (self.oracle is not None):
            raise ValueError("the table [oracle] belongs to tasks of kind 'oracle', and to no other")
        if (self.kind == "oracle") != (self.protocol == "program"):
            raise ValueError("tasks of kind 'oracle' have the protocol 'program', and no others have it")
        return self


class PublicTask(_Frozen):
    """All that an environment may show or act on at one level."""

    spec: TaskSpec
    level: Level
    prd: str
    """The PRD's Markdown at this level."""

    @property
    def id(self) -> str:
        """The task's id."""
        return self.spec.id


class Case(_Frozen):
    """One black-box case: an input and the golden's recorded output."""

    id: str = Field(pattern=IDENTIFIER)
    """Unique in the task, over both suites."""
    suite: Suite
    stem: str
    """File name without ``.json``."""
    index: int
    """Position in its file from 0; names the output ``{stem}@{index:03d}.txt``."""
    input: Any
    """Any JSON value."""
    expected_output: str
    public: bool = False

    @property
    def output_name(self) -> str:
        """File name of this case's output under the ``rcb`` protocol."""
        return f"{self.stem}@{self.index:03d}.txt"

    @property
    def input_text(self) -> str:
        """The input as one line of JSON, as ``./run`` gets it on stdin."""
        return json.dumps(self.input, ensure_ascii=False) + "\n"


class HiddenTask(_Frozen):
    """All that scoring needs. Never handed to an environment's observation or a sandbox."""

    spec: TaskSpec
    folder: Path
    cases: tuple[Case, ...]
    """Both suites, in file order."""

    def suite(self, name: Suite) -> tuple[Case, ...]:
        """Return one suite's cases in file order."""
        return tuple(case for case in self.cases if case.suite == name)

    @property
    def public_cases(self) -> tuple[Case, ...]:
        """The native cases marked public."""
        return tuple(case for case in self.cases if case.public)
