"""Upstream's case files as this package writes them: with ids, and with the public cases marked."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from icae_env.construction.icae_bench.notes import Notes
from icae_env.errors import ConfigError
from icae_env.tasks.cases import expected_text
from icae_env.tasks.documents import read_json_object


class SourceGroup(BaseModel):
    """The cases of one file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stem: str
    description: str
    cases: tuple[dict[str, Any], ...]
    """``input`` and ``expected_output`` of each."""


class CaseFiles(BaseModel):
    """The case files of a task, ready to be written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: dict[str, dict[str, Any]]
    """Path from the task's ``cases`` folder -> content."""
    native: int
    """Cases of the suite, those that only the public files have included."""
    enhanced: int
    public: int
    """Native cases that are marked public."""
    added: int
    """Public cases that no native case equals, so that they were added to the native ones."""


def read_groups(files: Iterable[Path], notes: Notes) -> list[SourceGroup]:
    """Return the cases of the files that can be read, under stems that differ."""
    groups: list[SourceGroup] = []
    for file in files:
        try:
            data = read_json_object(file, within=file.parent)
        except ConfigError as error:
            notes.add(file, error.field, f"This file was left out: {error.message}")
            continue
        groups.append(_group(data, file, _stem(file.stem, {group.stem for group in groups}), notes))
    return [group for group in groups if group.cases]


def public_in_record(data: Any, file: Path, notes: Notes) -> list[SourceGroup]:
    """Return the public cases that a record file carries: a list of cases, or files by stem."""
    if isinstance(data, list):
        data = {"public": {"cases": data}}
    if not isinstance(data, dict):
        if data is not None:
            notes.add(file, "public_test_cases", "These are no cases and were left out.", data)
        return []
    groups: list[SourceGroup] = []
    for name, value in data.items():
        content = {"cases": value} if isinstance(value, list) else value
        if isinstance(content, dict):
            stem = _stem(name.removesuffix(".json"), {group.stem for group in groups})
            groups.append(_group(content, file, stem, notes, place=f"public_test_cases.{name}"))
        else:
            notes.add(file, f"public_test_cases.{name}", "These are no cases and were left out.", value)
    return [group for group in groups if group.cases]


def join_cases(
    native: Iterable[SourceGroup], enhanced: Iterable[SourceGroup], public: Iterable[SourceGroup]
) -> CaseFiles:
    """Return the case files of a task.

    A native case that equals a public one in input and expectation is marked; a public case that equals none is
    added, marked, at the end of the native file of its stem.
    """
    shown = {_key(case): (group, case) for group in public for case in group.cases}
    counter: Counter[str] = Counter()
    files: dict[str, dict[str, Any]] = {}
    unseen = dict(shown)
    for group in native:
        entries = []
        for case in group.cases:
            unseen.pop(_key(case), None)
            entries.append(_entry(case, group.stem, counter, public=_key(case) in shown))
        files[f"native/{group.stem}.json"] = {"description": group.description, "cases": entries}
    for group, case in unseen.values():
        place = files.setdefault(f"native/{group.stem}.json", {"description": group.description, "cases": []})
        place["cases"].append(_entry(case, group.stem, counter, public=True))
    for group in enhanced:
        entries = [_entry(case, group.stem, counter) for case in group.cases]
        files[f"enhanced/{group.stem}.json"] = {"description": group.description, "cases": entries}
    return CaseFiles(
        files=files,
        native=_count(files, "native/"),
        enhanced=_count(files, "enhanced/"),
        public=sum(case.get("public", False) for content in files.values() for case in content["cases"]),
        added=len(unseen),
    )


def _group(data: Mapping[str, Any], file: Path, stem: str, notes: Notes, place: str = "") -> SourceGroup:
    for key, value in data.items():
        if key not in ("description", "cases"):
            notes.add(file, f"{place}.{key}".lstrip("."), "This key is unknown.", value)
    entries = data.get("cases")
    where = f"{place}.cases".lstrip(".")
    if not isinstance(entries, list):
        notes.add(file, where, "This is no list of cases and was left out.", entries)
        entries = []
    if stem != file.stem and not place:
        notes.add(file, None, f"The file is called '{stem}.json' here.")
    cases = []
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or not {"input", "expected_output"} <= set(entry):
            notes.add(
                file, f"{where}.{index}", "A case without input or expected_output was left out.", entry
            )
            continue
        for key in entry.keys() - {"input", "expected_output"}:
            notes.add(file, f"{where}.{index}.{key}", "This key is unknown.", entry[key])
        cases.append({"input": entry["input"], "expected_output": entry["expected_output"]})
    described = data.get("description")
    return SourceGroup(
        stem=stem, description=described if isinstance(described, str) else stem, cases=tuple(cases)
    )


def _stem(name: str, taken: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.-]", "-", name).lstrip("_.-") or "cases"
    own, number = plain, 2
    while own in taken:
        own, number = f"{plain}-{number}", number + 1
    return own


def _entry(case: dict[str, Any], stem: str, counter: Counter[str], *, public: bool = False) -> dict[str, Any]:
    # Ids are unique over the suites, so a stem that occurs in both counts on.
    name = stem.lower()
    counter[name] += 1
    return {"id": f"{name}-{counter[name]:03d}", **case, **({"public": True} if public else {})}


def _key(case: dict[str, Any]) -> str:
    return json.dumps([case["input"], expected_text(case["expected_output"])], sort_keys=True)


def _count(files: Mapping[str, dict[str, Any]], prefix: str) -> int:
    return sum(len(content["cases"]) for path, content in files.items() if path.startswith(prefix))
