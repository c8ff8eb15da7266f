"""Import a corpus task by task; a task that cannot be used is told and does not keep the others out."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from icae_env.construction.icae_bench.cases import CaseFiles, join_cases, public_in_record, read_groups
from icae_env.construction.icae_bench.layout import TaskSources, find_sources
from icae_env.construction.icae_bench.notes import Note, Notes
from icae_env.construction.icae_bench.records import clean_records
from icae_env.construction.icae_bench.spec import spec_text
from icae_env.construction.placing import check_free, made, move_all
from icae_env.errors import ConfigError
from icae_env.tasks import find_task, load_hidden, load_public
from icae_env.tasks.documents import read_json_object, read_text
from icae_env.tasks.models import IDENTIFIER, Comparison
from icae_env.user_agent import load_records
from icae_env.user_agent.checks import Stored

SIDE_FILE = "imported.json"
"""In a task's folder: its entry in the alias file, and everything that has no effect."""


class Imported(BaseModel):
    """A task that was imported."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    folder: Path
    language: str
    levels: tuple[Stored, ...]
    native: int
    """Cases."""
    enhanced: int
    public: int
    """Native cases that are public."""
    notes: tuple[Note, ...]
    """What was left out or changed; also in the task's side file."""


class Skipped(BaseModel):
    """A task that was not imported."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    reason: str


class ImportReport(BaseModel):
    """What became of a corpus."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: Path
    """Data root that the tasks lie in."""
    imported: tuple[Imported, ...]
    skipped: tuple[Skipped, ...]


def import_corpus(
    corpus: Path, root: Path, *, tests: Path | None = None, comparison: Comparison = "exact"
) -> ImportReport:
    """Write the tasks of a corpus into a data root. Existing tasks are left alone.

    Imported tasks have no golden, no witnesses and no audit questions, so they play but do not pass the gate.

    Args:
        corpus: Folder in upstream's layout.
        root: Data root that gets ``tasks/<id>`` and ``user_agent_data/<id>``; made if it is missing.
        tests: Folder with the tests of each task, if they lie elsewhere.
        comparison: How outputs are compared; upstream takes them byte for byte.

    Raises:
        ConfigError: The corpus has no records, or its alias file is not valid.
    """
    imported: list[Imported] = []
    skipped: list[Skipped] = []
    for sources in find_sources(corpus, tests):
        try:
            imported.append(_import(sources, corpus, root, comparison))
        except ConfigError as error:
            skipped.append(Skipped(task=sources.id, reason=str(error)))
    return ImportReport(root=root, imported=tuple(imported), skipped=tuple(skipped))


def _import(sources: TaskSources, corpus: Path, root: Path, comparison: Comparison) -> Imported:
    if not re.fullmatch(IDENTIFIER.strip("^$"), sources.id):
        raise ConfigError(f"'{sources.id}' is no id for a task.", mend="rename its files in lower case.")
    targets = {part: root / part / sources.id for part in ("tasks", "user_agent_data")}
    check_free(*targets.values())
    notes = Notes(corpus)
    with (
        made(root, *(folder.parent for folder in targets.values())),
        tempfile.TemporaryDirectory(prefix=".icae-import-", dir=root) as place,
    ):
        parts = {part: Path(place) / part / sources.id for part in targets}
        levels = _write_levels(sources, parts["tasks"], parts["user_agent_data"], notes)
        cases = _write_cases(sources, parts["tasks"], notes)
        language = _write_folder(sources, parts["tasks"], comparison, notes)
        _check(parts["tasks"], parts["user_agent_data"], levels)
        move_all({parts[part]: folder for part, folder in targets.items()})
    return Imported(
        task=sources.id,
        folder=targets["tasks"],
        language=language,
        levels=levels,
        native=cases.native,
        enhanced=cases.enhanced,
        public=cases.public,
        notes=tuple(notes.all),
    )


def _write_levels(sources: TaskSources, folder: Path, data: Path, notes: Notes) -> tuple[Stored, ...]:
    levels: list[Stored] = []
    for level, file in sources.records.items():
        try:
            content = read_json_object(file, within=file.parent)
            prd = _prd(content, sources.prds.get(level))
        except ConfigError as error:
            notes.add(file, error.field, f"This level was left out: {error.message}")
            continue
        if not prd.strip():
            notes.add(file, "fuzzy_prd", "This level was left out: it has no PRD.")
            continue
        levels.append(level)
        _write(folder / "prd" / f"{level}.md", prd.rstrip("\n") + "\n")
        _write_json(data / f"{level}.json", clean_records(content, file, notes))
    if not levels:
        raise ConfigError("No level has both records and a PRD.", mend="see that 'fuzzy_prd' is there.")
    if sources.ground is not None:
        _write(folder / "prd" / "ground.md", read_text(sources.ground, within=sources.ground.parent))
    return tuple(levels)


def _prd(content: dict[str, Any], beside: Path | None) -> str:
    prd = content.get("fuzzy_prd")
    if isinstance(prd, str) and prd.strip():
        return prd
    return read_text(beside, within=beside.parent) if beside else ""


def _write_cases(sources: TaskSources, folder: Path, notes: Notes) -> CaseFiles:
    groups = {suite: read_groups(files, notes) for suite, files in sources.suites.items()}
    public = groups["public"]
    for file in sources.records.values():
        try:
            carried = read_json_object(file, within=file.parent).get("public_test_cases")
        except ConfigError:
            continue  # noted where its records were read
        public = [*public, *public_in_record(carried, file, notes)]
    cases = join_cases(groups["native"], groups["enhanced"], public)
    for suite, count in (("native", cases.native), ("enhanced", cases.enhanced)):
        if not count:
            raise ConfigError(
                f"There are no {suite} cases.", mend="give the folder of the tests with --tests."
            )
    if cases.added:
        notes.all.append(
            Note(
                file="public_test_cases",
                field=None,
                message=f"{cases.added} public cases equal no native one and were added to the native suite.",
            )
        )
    for path, content in cases.files.items():
        _write_json(folder / "cases" / path, content)
    return cases


def _write_folder(sources: TaskSources, folder: Path, comparison: Comparison, notes: Notes) -> str:
    text, language, problem = spec_text(sources, comparison)
    if problem:
        notes.all.append(Note(file="repo_alias.json", field=f"{sources.id}.language", message=problem))
    _write(folder / "task.toml", text)
    said = f"# {sources.id}\n\nImported from a corpus in the layout of ICAE-Bench. It has no golden, no witnesses and no\n"
    _write(folder / "README.md", f"{said}audit questions. `{SIDE_FILE}` holds what has no effect here.\n")
    kept = [note.model_dump(mode="json") for note in notes.all]
    _write_json(folder / SIDE_FILE, {"alias": sources.alias, "notes": kept})
    return language


def _check(folder: Path, data: Path, levels: tuple[Stored, ...]) -> None:
    """Read everything back as an environment would.

    Raises:
        ConfigError: Something cannot be read.
    """
    load_hidden(find_task(folder))
    for level in levels:
        load_public(folder, level)
        load_records(data / f"{level}.json")


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8"))


def _write_json(file: Path, content: Any) -> None:
    _write(file, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
