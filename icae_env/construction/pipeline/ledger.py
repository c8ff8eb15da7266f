"""The stages' outputs on disk: each written whole when it is accepted, and good as long as what it was made from is the same."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from icae_env.construction.pipeline.models import Dropped, Frozen
from icae_env.construction.pipeline.stage import Attempt, Out, Stage
from icae_env.construction.placing import made
from icae_env.errors import ConfigError
from icae_env.llm.limits import ModelUse

_UNFINISHED = ".unfinished.json"


class StageFile(Frozen):
    """What is kept of a stage."""

    stage: str
    inputs: str
    """SHA-256 over all that the output was made from."""
    model: str
    use: ModelUse
    dropped: tuple[Dropped, ...]
    attempts: tuple[Attempt, ...]
    output: dict[str, Any] | None
    """None: the stage did not come to its end."""


class Ledger:
    """Keep stage files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no other process build the same task as long as the body runs; nothing stays of a folder in which nothing is kept.

        Raises:
            ConfigError: One does.
        """
        lock = self.folder / "lock"
        with made(self.folder), lock.open("w") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Who held it before has removed it meanwhile, and another process may hold a new one.
                if not lock.exists() or not os.path.samestat(os.fstat(stream.fileno()), lock.stat()):
                    raise BlockingIOError
            except OSError as error:
                raise ConfigError(
                    "Another process builds this task.", file=self.folder, mend="wait for it, or end it."
                ) from error
            try:
                yield
            finally:
                lock.unlink()

    def started(self) -> bool:
        """Return whether anything is kept."""
        return any(self.folder.glob("[0-9][0-9]-*.json"))

    def read(self, stage: Stage[Out], inputs: str) -> tuple[StageFile, Out] | None:
        """Return what is kept of a stage; None when there is nothing, or it was made from something else."""
        try:
            kept = StageFile.model_validate_json((self.folder / stage.file).read_bytes())
            if kept.inputs != inputs or kept.output is None:
                return None
            return kept, stage.output.model_validate_json(json.dumps(kept.output))
        except (FileNotFoundError, ValidationError):
            return None  # a file of another version of this program is made anew

    def unfinished(self, stage: Stage[Any]) -> Path:
        """Return where the file of a stage lies that did not come to its end."""
        return (self.folder / stage.file).with_suffix(_UNFINISHED)

    def unfinished_use(self, stage: Stage[Any]) -> ModelUse:
        """Return what earlier attempts at a stage used that came to nothing."""
        try:
            return StageFile.model_validate_json(self.unfinished(stage).read_bytes()).use
        except (FileNotFoundError, ValidationError):
            return ModelUse()

    def write(self, stage: Stage[Any], kept: StageFile) -> None:
        """Keep a stage's file, whole or not at all."""
        finished = self.folder / stage.file
        unfinished = self.unfinished(stage)
        file = unfinished if kept.output is None else finished
        handle, name = tempfile.mkstemp(prefix=".stage-", dir=self.folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(json.dumps(kept.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        if file is finished:
            unfinished.unlink(missing_ok=True)


def digest(*parts: str) -> str:
    """Return a SHA-256 over texts."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def digest_of(output: BaseModel) -> str:
    """Return a SHA-256 over a stage's output."""
    return digest(json.dumps(output.model_dump(mode="json"), sort_keys=True))


def dropped_in(files: Sequence[StageFile]) -> tuple[Dropped, ...]:
    """Return all that was dropped, stage by stage."""
    return tuple(item for file in files for item in file.dropped)
