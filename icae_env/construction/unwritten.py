"""What a scaffolded task still lacks: the places that say so themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from icae_env.tasks import TaskFolder
from icae_env.tasks.checks import Finding

MARK = "TO WRITE:"
"""Stands before the description of what belongs in its place."""


def check_written(task: TaskFolder) -> tuple[Finding, ...]:
    """Return every place of a task that still describes what is to be written there."""
    findings: list[Finding] = []
    for file in _files(task):
        try:
            lines = file.read_bytes().decode("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue  # the checks of such a file's content say what is wrong with it
        findings += [
            Finding(
                file=file,
                field=f"line {number}",
                message=f"This is still to be written: {_wish(line, file)} Mend: write it and remove the mark.",
            )
            for number, line in enumerate(lines, 1)
            if MARK in line
        ]
    return tuple(findings)


def _wish(line: str, file: Path) -> str:
    wish = line.partition(MARK)[2].strip()
    if file.suffix == ".json":
        wish = wish.partition('"')[0]  # the end of the string that holds it
    return wish if wish.endswith((".", "?", "!")) else f"{wish}."


def _files(task: TaskFolder) -> Iterator[Path]:
    folder = task.folder
    yield from (folder / "task.toml", folder / "README.md")
    for part in (folder / "prd", folder / "cases", task.golden, task.user_agent):
        yield from (file for file in sorted(part.rglob("*")) if file.is_file() and not file.is_symlink())
