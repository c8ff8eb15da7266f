"""What an import could not use, so that it is told and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict


class Note(BaseModel):
    """Something of the corpus that was left out or changed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    """Path from the corpus's folder where it lies there."""
    field: str | None
    """Dotted place in the file."""
    message: str
    value: Any = None
    """What stood there, where it was left out."""


class Notes:
    """Collect notes on the files of one corpus."""

    def __init__(self, corpus: Path) -> None:
        self._corpus = corpus
        self.all: list[Note] = []

    def add(self, file: Path, field: str | None, message: str, value: Any = None) -> None:
        """Note something about a place in a file."""
        name = file.relative_to(self._corpus).as_posix() if file.is_relative_to(self._corpus) else str(file)
        self.all.append(Note(file=name, field=field, message=message, value=value))
