"""Where things lie in a corpus: records by level, the alias file, tests, PRDs. Upstream: ``harness/config.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ConfigError
from icae_env.tasks.documents import read_json_object
from icae_env.user_agent.checks import STORED, Stored

RECORD_FOLDERS: dict[Stored, str] = {"L1": "prd_json", "L2": "prd_json_medium", "L3": "prd_json_easy"}
PRD_FOLDERS: dict[Stored, str] = {"L1": "fuzzy_prds", "L2": "fuzzy_prds_medium", "L3": "fuzzy_prds_easy"}
GROUND_FOLDER = "detailed_prds"
SUITE_FOLDERS = {"native": "test_cases", "enhanced": "enhanced_test_cases", "public": "public_test_cases"}
_ALIAS_FILE = "repo_alias.json"


class TaskSources(BaseModel):
    """The files of one task of a corpus."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    alias: dict[str, Any]
    """Its entry in the alias file; empty when there is none."""
    records: dict[Stored, Path]
    """Record files by level."""
    prds: dict[Stored, Path]
    """Fuzzy PRDs that lie beside the records, by level."""
    ground: Path | None
    suites: dict[str, tuple[Path, ...]]
    """Case files of native, enhanced and public."""


def find_sources(corpus: Path, tests: Path | None = None) -> tuple[TaskSources, ...]:
    """Return the tasks of a corpus in the order of their ids.

    Args:
        corpus: Folder that holds ``prd_json`` and the others, or upstream's whole checkout (``user_agent/prd_json``).
        tests: Folder with one folder of tests for each task, if they lie elsewhere.

    Raises:
        ConfigError: There are no records, or the alias file is not valid.
    """
    records = {level: _records(corpus, name) for level, name in RECORD_FOLDERS.items()}
    ids = sorted({name for files in records.values() for name in files})
    if not ids:
        raise ConfigError(
            "There are no record files here.",
            file=corpus,
            mend=f"give the folder that holds {', '.join(RECORD_FOLDERS.values())}.",
        )
    aliases = _aliases(corpus)
    return tuple(
        TaskSources(
            id=name,
            alias=aliases.get(name, {}),
            records={level: records[level][name] for level in STORED if name in records[level]},
            prds={level: file for level in STORED if (file := _start(corpus, PRD_FOLDERS[level], name))},
            ground=_start(corpus, GROUND_FOLDER, name),
            suites=_suites(corpus, tests, name, aliases.get(name, {}), alone=len(ids) == 1),
        )
        for name in ids
    )


def _records(corpus: Path, name: str) -> dict[str, Path]:
    folder = next((place for place in (corpus / name, corpus / "user_agent" / name) if place.is_dir()), None)
    return {file.stem: file for file in sorted(folder.glob("*.json"))} if folder else {}


def _aliases(corpus: Path) -> dict[str, dict[str, Any]]:
    file = corpus / _ALIAS_FILE
    if not file.is_file():
        return {}
    entries = read_json_object(file, within=corpus)
    for name, entry in entries.items():
        if not isinstance(entry, dict):
            raise ConfigError("This must be an object.", file=file, field=name, mend="write an object.")
    return entries


def _start(corpus: Path, folder: str, name: str) -> Path | None:
    file = corpus / folder / name / "start.md"
    return file if file.is_file() else None


def _suites(
    corpus: Path, tests: Path | None, name: str, alias: dict[str, Any], *, alone: bool
) -> dict[str, tuple[Path, ...]]:
    for place in _test_places(corpus, tests, name, alias):
        if any((place / folder).is_dir() for folder in SUITE_FOLDERS.values()):
            return {
                suite: tuple(sorted((place / folder).glob("*.json")))
                for suite, folder in SUITE_FOLDERS.items()
            }
    shared = tests or corpus / "rcb_tests"
    # One folder for all tasks: a file belongs to the task it is named after, or to the only one.
    pattern = "*.json" if alone else f"{name}.json"
    return {suite: tuple(sorted((shared / folder).glob(pattern))) for suite, folder in SUITE_FOLDERS.items()}


def _test_places(corpus: Path, tests: Path | None, name: str, alias: dict[str, Any]) -> Iterator[Path]:
    """Yield where a task's tests may lie; upstream's own place is ``rcb_tests_repos/<username__repo>/rcb_tests``."""
    user, repo = alias.get("username"), alias.get("repo_name")
    names = [alias.get("key"), name, f"{user}__{repo}" if user and repo else None]
    known = [item for item in dict.fromkeys(names) if isinstance(item, str) and _is_one_name(item)]
    roots = [tests] if tests else [corpus / "rcb_tests_repos", corpus / "rcb_tests", corpus]
    for root in roots:
        for item in known:
            yield from (root / item / "rcb_tests", root / item)


def _is_one_name(text: str) -> bool:
    return text not in ("", ".", "..") and "/" not in text and "\0" not in text
