"""Which files of a package tell what it does, and how they are shown to a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Literal

Kind = Literal["test", "document", "metadata", "code"]
MOST_BYTES = 400_000
"""Larger files are data."""
_SKIPPED = {
    "node_modules", "vendor", "third_party", "build", "dist", "target", "__pycache__", "site-packages", "bin", "obj",
}  # fmt: skip
_TEST_FOLDERS = {"test", "tests", "spec", "specs", "__tests__", "testing", "t"}
_TEST_NAME = re.compile(r"^tests?[_.-]|[_.-](?:test|tests|spec)\.|^tests?\.|(?:Test|Tests|Spec)\.\w+$")
_METADATA = re.compile(
    r"^(?:pyproject\.toml|setup\.(?:py|cfg)|PKG-INFO|package\.json|Cargo\.toml|go\.mod|pom\.xml|composer\.json|"
    r"(?:LICEN[CS]E|COPYING|AUTHORS)(?:\..*)?|.*\.gemspec|.*\.csproj)$"
)
_DOCUMENT = {".md", ".rst", ".txt", ".adoc"}
_CODE = {
    ".py", ".js", ".mjs", ".cjs", ".ts", ".go", ".rs", ".java", ".kt", ".c", ".cc", ".cpp", ".h", ".hpp", ".cs", ".php", ".rb",
}  # fmt: skip
_HISTORY = re.compile(r"^(?:change|history|news|release|contributing|code_of_conduct)", re.IGNORECASE)
_DEFINED = re.compile(
    r"(?m)^[ \t]*(?:export\s+|public\s+|pub\s+|static\s+|async\s+|default\s+)*"
    r"(?:def|class|func|function|fn|interface|struct|trait|enum|module)\s+(?:\([^)]*\)\s*)?([A-Za-z]\w*)"
)


def kind_of(path: str) -> Kind | None:
    """Return what a file is good for, by its path; None for what is not read."""
    place = PurePosixPath(path)
    folders = [part.casefold() for part in place.parts[:-1]]
    if any(part in _SKIPPED or part.startswith(".") or part.endswith(".egg-info") for part in folders):
        return None
    if place.name.startswith(".") or _HISTORY.match(place.name):
        return None
    if _METADATA.match(place.name):
        return "metadata"
    known = place.suffix.casefold() in _CODE | _DOCUMENT | {".json", ".yaml", ".yml", ".toml"}
    if known and (_TEST_FOLDERS.intersection(folders) or _TEST_NAME.search(place.name)):
        return "test"
    if place.suffix.casefold() in _DOCUMENT or place.stem.casefold() == "readme":
        return "document"
    return "code" if place.suffix.casefold() in _CODE else None


def of_kind(files: Mapping[str, str], *kinds: Kind) -> dict[str, str]:
    """Return the files of some kinds, kind by kind in the order given."""
    return {path: text for kind in kinds for path, text in files.items() if kind_of(path) == kind}


def parts(files: Mapping[str, str], most: int) -> list[str]:
    """Return files with numbered lines, in as few texts of at most ``most`` characters as their order allows."""
    found: list[str] = []
    current: list[str] = []
    size = 0
    for path, text in files.items():
        for piece in _pieces(path, text, most):
            if current and size + len(piece) > most:
                found.append("\n".join(current))
                current, size = [], 0
            current.append(piece)
            size += len(piece)
    return [*found, "\n".join(current)] if current else found


def shown(files: Mapping[str, str], most: int) -> str:
    """Return files one after the other, cut to ``most`` characters; what is left out is named."""
    texts: list[str] = []
    left_out: list[str] = []
    room = most
    for path, text in files.items():
        if len(text) > room:
            left_out.append(path)
            continue
        texts.append(f"=== {path}\n{text.rstrip()}\n")
        room -= len(text)
    if left_out:
        texts.append(f"(Left out for their size: {', '.join(left_out)})")
    return "\n".join(texts) or "(none)"


def telling_names(code: Iterable[str]) -> tuple[str, ...]:
    """Return the names that code defines and that no text would hold by chance: those with a ``_`` or inner capitals."""
    names = dict.fromkeys(name for text in code for name in _DEFINED.findall(text))
    return tuple(name for name in names if "_" in name.strip("_") or re.search(r"[a-z][A-Z]", name))


def _pieces(path: str, text: str, most: int) -> list[str]:
    lines = [f"{number}| {line}" for number, line in enumerate(text.splitlines(), 1)]
    pieces: list[str] = []
    current = f"=== {path}"
    for line in lines:
        if len(current) + len(line) > most and "\n" in current:
            pieces.append(current)
            current = f"=== {path} (continued)"
        current += "\n" + line[:most]
    return [*pieces, current + "\n"]
