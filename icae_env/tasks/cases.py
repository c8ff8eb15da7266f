"""Case files: ``cases/<suite>/<stem>.json`` as written by a task's author, read into ``Case`` models."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from icae_env.errors import ConfigError
from icae_env.tasks.documents import read_json_object, validated
from icae_env.tasks.models import IDENTIFIER, SUITES, Case, Protocol, Suite
from icae_env.tasks.program_cases import ProgramCaseEntry, ProgramCaseFile

STEM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""A stem names output files inside a sandbox, and ``@`` parts it from the index there."""


class CaseEntry(BaseModel):
    """One case as it stands in a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=IDENTIFIER)
    input: Any
    expected_output: Any
    """Text; any other value stands for its ``json.dumps`` text, as upstream has it."""
    public: bool = False


class CaseFile(BaseModel):
    """The content of one case file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    description: str
    """What the file's cases have in common."""
    cases: tuple[CaseEntry, ...] = Field(min_length=1)


def read_cases(folder: Path, protocol: Protocol = "rcb") -> tuple[Case, ...]:
    """Return a task's cases, suite by suite and in each file by file in the order of their names.

    Args:
        folder: The task's folder.
        protocol: The task's protocol; under ``program``, an entry says how a program is started and what it is to do.

    Raises:
        ConfigError: A suite is missing or empty, a file is not valid, or an id occurs twice.
    """
    cases: list[Case] = []
    seen: dict[str, Path] = {}
    for suite in SUITES:
        for file in _suite_files(folder, suite):
            for case in read_case_file(file, suite=suite, within=folder, protocol=protocol):
                if case.id in seen:
                    where = "this file" if seen[case.id] == file else str(seen[case.id])
                    raise ConfigError(
                        f"The case id '{case.id}' occurs already in {where}.",
                        file=file,
                        field=f"cases.{case.index}.id",
                        mend="give each case of the task its own id.",
                    )
                seen[case.id] = file
                cases.append(case)
    return tuple(cases)


def read_case_file(file: Path, *, suite: Suite, within: Path, protocol: Protocol = "rcb") -> tuple[Case, ...]:
    """Return the cases of one file.

    Args:
        file: The case file; its stem becomes the cases' stem.
        suite: The suite it belongs to.
        within: Folder that the file, links followed, must lie in.
        protocol: The task's protocol.

    Raises:
        ConfigError: The file is not a valid case file.
    """
    if file.suffix != ".json" or not STEM.fullmatch(file.stem):
        raise ConfigError(
            "This is no name for a case file.",
            file=file,
            mend="use letters, digits, '_', '-' and '.', and the ending .json; keep other files elsewhere.",
        )
    if protocol == "program":
        runs = validated(ProgramCaseFile, read_json_object(file, within=within), file=file).cases
        entries = tuple(_program_entry(entry) for entry in runs)
    else:
        entries = validated(CaseFile, read_json_object(file, within=within), file=file).cases
    return tuple(_case(entry, index, file, suite) for index, entry in enumerate(entries))


def expected_text(value: Any) -> str:
    """Return an expectation as text: a string as it is, anything else as ``json.dumps`` writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def _program_entry(entry: ProgramCaseEntry) -> CaseEntry:
    return CaseEntry(
        id=entry.id,
        input=entry.input.model_dump(mode="json"),
        expected_output=entry.expected.text(),
        public=entry.public,
    )


def _suite_files(folder: Path, suite: Suite) -> list[Path]:
    suite_folder = folder / "cases" / suite
    if not suite_folder.is_dir():
        raise ConfigError(
            f"The suite '{suite}' is missing.",
            file=suite_folder,
            mend="make this folder and put case files into it.",
        )
    if not suite_folder.resolve().is_relative_to(folder.resolve()):
        raise ConfigError(
            "This is a link that leads out of its folder.", file=suite_folder, mend="put a copy there."
        )
    files = sorted(suite_folder.iterdir())
    if not files:
        raise ConfigError(
            f"The suite '{suite}' has no case file.", file=suite_folder, mend="add <stem>.json files."
        )
    return files


def _case(entry: CaseEntry, index: int, file: Path, suite: Suite) -> Case:
    if entry.public and suite != "native":
        raise ConfigError(
            "Only native cases can be public.",
            file=file,
            field=f"cases.{index}.public",
            mend="remove the mark.",
        )
    return Case(
        id=entry.id,
        suite=suite,
        stem=file.stem,
        index=index,
        input=entry.input,
        expected_output=expected_text(entry.expected_output),
        public=entry.public,
    )
