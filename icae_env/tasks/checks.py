"""Consistency checks of a task folder beyond what loading demands; ``icae_env.user_agent.checks`` adds the records' part."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ConfigError
from icae_env.tasks.loader import TaskFolder, load_hidden, load_public
from icae_env.tasks.models import SUITES, HiddenTask, Suite, TaskSource

LEAST_CASES: dict[Suite, int] = {"native": 40, "enhanced": 40}
"""Cases that each suite needs at least."""
L1_WORDS = (150, 250)
"""Least and most words of an L1 PRD (paper, construction of levels)."""


class Finding(BaseModel):
    """Something in a task folder that does not hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: Path
    field: str | None = None
    """Dotted place in the file."""
    message: str

    def __str__(self) -> str:
        return f"{self.file}: " + (f"field '{self.field}': " if self.field else "") + self.message


def check_folder(task: TaskFolder) -> tuple[Finding, ...]:
    """Return what does not hold in a task's own folder: PRDs, cases and golden. Empty when all is well."""
    findings: list[Finding] = []
    for part in (_check_prds, _check_cases, _check_golden):
        findings += guarded(task.folder, partial(part, task))
    return tuple(findings)


def guarded(folder: Path, check: Callable[[], list[Finding]]) -> list[Finding]:
    """Return a check's findings; a file that cannot even be read is itself the finding."""
    try:
        return check()
    except ConfigError as error:
        message = error.message + (f" Mend: {error.mend}" if error.mend else "")
        return [Finding(file=Path(error.file or folder), field=error.field, message=message)]


def leaks(text: str, source: TaskSource) -> list[str]:
    """Return which of the source's names occur in a text as whole words, casing aside."""
    names = dict.fromkeys((source.package, *source.identifiers))
    return [
        name for name in names if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    ]


def same_output(one: str, other: str) -> bool:
    """Return whether two outputs are equal but for the kind of line ends and one final newline."""
    return _lines(one) == _lines(other)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")


def _check_prds(task: TaskFolder) -> list[Finding]:
    findings: list[Finding] = []
    for level in ("ground", "L1", "L2", "L3"):
        file = task.folder / "prd" / f"{level}.md"
        try:
            prd = load_public(task, level).prd
        except ConfigError as error:
            findings.append(Finding(file=file, message=error.message))
            continue
        findings += [_leak(file, None, name) for name in leaks(prd, task.spec.source)]
        words, (least, most) = len(prd.split()), L1_WORDS
        if level == "L1" and not least <= words <= most:
            findings.append(
                Finding(file=file, message=f"The L1 PRD has {words} words, not {least} to {most}.")
            )
    return findings


def _check_cases(task: TaskFolder) -> list[Finding]:
    hidden = load_hidden(task)
    findings = [
        Finding(
            file=task.folder / "cases" / suite,
            message=f"The suite '{suite}' has {len(hidden.suite(suite))} cases, not at least {LEAST_CASES[suite]}.",
        )
        for suite in SUITES
        if len(hidden.suite(suite)) < LEAST_CASES[suite]
    ]
    if not hidden.public_cases:
        findings.append(
            Finding(
                file=task.folder / "cases" / "native",
                message='No case is public; mark a few with "public": true.',
            )
        )
    return findings + _check_case_texts(hidden)


def _check_case_texts(hidden: HiddenTask) -> list[Finding]:
    findings: list[Finding] = []
    for case in hidden.cases:
        file = hidden.folder / "cases" / case.suite / f"{case.stem}.json"
        texts = {"input": json.dumps(case.input, ensure_ascii=False), "expected_output": case.expected_output}
        for field, text in texts.items():
            place = f"cases.{case.index}.{field}"
            findings += [_leak(file, place, name) for name in leaks(text, hidden.spec.source)]
    return findings


def _check_golden(task: TaskFolder) -> list[Finding]:
    findings: list[Finding] = []
    adapter = Path("rcb_tests/test.sh") if task.spec.protocol == "rcb" else Path("run")
    for name in (Path("install.sh"), adapter):
        file = task.golden / name
        if not file.is_file() or not file.resolve().is_relative_to(task.folder.resolve()):
            findings.append(Finding(file=file, message="The golden needs this file."))
    if not (task.folder / "README.md").is_file():
        findings.append(
            Finding(
                file=task.folder / "README.md",
                message="Source, licence and the making of the cases belong here.",
            )
        )
    return findings


def _leak(file: Path, field: str | None, name: str) -> Finding:
    return Finding(file=file, field=field, message=f"The source's name '{name}' may not occur here.")
