"""Cases of the protocol ``program``: how a program is started, and what it is to do.

    {"description": "...", "cases": [{"id": "empty-01", "args": ["-s"], "stdin": "[]", "files": {"a.json": "{}"},
                                      "expected": {"stdout": "...", "exit_code": 0, "files": {"out.txt": "..."}}}]}

What is not UTF-8 stands as ``{"base64": "..."}`` in place of the text.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from icae_env.tasks.models import IDENTIFIER


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Base64(_Frozen):
    """Bytes that are not UTF-8."""

    base64: str

    @field_validator("base64")
    @classmethod
    def _decodes(cls, value: str) -> str:
        try:
            base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise ValueError(f"not base64: {error}") from error
        return value


Data = str | Base64
"""Bytes as JSON: their text where they are UTF-8."""


def data_of(content: bytes) -> Data:
    """Return bytes as they stand in a case."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return Base64(base64=base64.b64encode(content).decode("ascii"))


def bytes_of(data: Data) -> bytes:
    """Return the bytes that a case means."""
    return data.encode("utf-8") if isinstance(data, str) else base64.b64decode(data.base64)


def _inside(paths: Mapping[str, Data | None]) -> Mapping[str, Data | None]:
    for path in paths:
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or parts[0] == "executable":
            raise ValueError(
                f"'{path}' is no path for a case's file: it must lie below the directory, beside the program"
            )
    return paths


Files = Annotated[Mapping[str, Data], AfterValidator(_inside)]
FilesAfter = Annotated[Mapping[str, Data | None], AfterValidator(_inside)]


class ProgramInput(_Frozen):
    """How a program is started, in a directory of its own."""

    args: tuple[str, ...] = ()
    stdin: Data = ""
    files: Files = Field(default_factory=dict)
    """Relative path -> content, put into the directory before."""


class ProgramResult(_Frozen):
    """What a program did."""

    stdout: Data
    stderr: Data | None = None
    """None: not known, so not compared."""
    exit_code: int
    """128 + n after signal n, as a shell says it."""
    files: FilesAfter = Field(default_factory=dict)
    """The files that are compared: relative path -> content; None: there is none."""

    def text(self) -> str:
        """Return it as one line of JSON with sorted keys, the form in which results are stored."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)


class ProgramCaseEntry(_Frozen):
    """One case as it stands in a file."""

    id: str = Field(pattern=IDENTIFIER)
    args: tuple[str, ...] = ()
    stdin: Data = ""
    files: Files = Field(default_factory=dict)
    expected: ProgramResult
    public: bool = False

    @property
    def input(self) -> ProgramInput:
        """Its input alone."""
        return ProgramInput(args=self.args, stdin=self.stdin, files=self.files)


class ProgramCaseFile(_Frozen):
    """The content of one case file."""

    description: str
    """What the file's cases have in common."""
    cases: tuple[ProgramCaseEntry, ...] = Field(min_length=1)
