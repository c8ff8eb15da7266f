"""Write a run directory: one process at a time, every file whole, what failed kept apart."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from icae_env.errors import ConfigError, InfraError
from icae_env.evaluation import EvalReport, Submission
from icae_env.oracle.probes import PROBES_FILE, Probe, write_probes
from icae_env.rollout.store import (
    AGENT_ERROR_FILE,
    ATTEMPTS,
    EPISODE,
    EPISODES,
    LOCK,
    REPORT,
    RUN_FILE,
    SUBMISSION,
    TRAJECTORY,
    EpisodeKey,
    EpisodeRow,
    Run,
    RunConfig,
)


class EpisodeFolder:
    """Where one attempt of an episode is written.

    Args:
        folder: The episode's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trajectory = folder / TRAJECTORY
        self._attempt = 0

    def begin(self) -> int:
        """Put what an earlier attempt left aside, and return the number of this attempt, from 1.

        Raises:
            InfraError: The directory cannot be written.
        """
        with _writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            for file in self.folder.glob(".*"):  # half of what a killed writer wrote
                file.unlink()
            left = [file for file in self.folder.iterdir() if file.name != ATTEMPTS]
            if left:
                aside = self.folder / ATTEMPTS / str(self._ended() + 1)
                aside.mkdir(parents=True)
                # The row goes first: without it, the episode is not over.
                for file in sorted(left, key=lambda file: file.name != EPISODE):
                    file.rename(aside / file.name)
            self._attempt = self._ended() + 1
        return self._attempt

    def take_over(self) -> int:
        """Let this object write the row of the attempt that another worker began, and return that attempt's number."""
        self._attempt = self._ended() + 1
        return self._attempt

    def keep(self, submission: Submission) -> None:
        """Store the snapshot that is scored."""
        with _writing(self.folder):
            submission.store(self.folder / SUBMISSION)

    def keep_probes(self, probes: tuple[Probe, ...]) -> None:
        """Store the calls of the reference program, if there were any."""
        if probes:
            with _writing(self.folder):
                write_probes(self.folder / PROBES_FILE, probes)

    def finish(self, row: EpisodeRow, report: EvalReport | None, trace: str | None) -> None:
        """Write how it came out; the row comes last.

        Raises:
            InfraError: The directory cannot be written, or another worker has taken the episode over; there is then no row.
        """
        with _writing(self.folder):
            if self._ended() != self._attempt - 1:
                raise InfraError(f"The episode in {self.folder} was taken over by another worker.")
            if trace:
                write_whole(self.folder / AGENT_ERROR_FILE, trace.encode("utf-8", "replace"))
            if report is not None:
                write_json(self.folder / REPORT, report.model_dump(mode="json"))
            write_json(self.folder / EPISODE, row.model_dump(mode="json"))

    def _ended(self) -> int:
        """Return how many attempts were put aside."""
        return sum(1 for path in self.folder.glob(f"{ATTEMPTS}/*") if path.name.isdecimal())


class RunWriter:
    """A run directory that this process writes.

    Args:
        folder: The directory, which need not exist.
        config: What is to be played.
        resume: Whether to go on with the run that it holds, if it holds one.

    Raises:
        ConfigError: The directory is something else, holds another run, or is being written by another process.
    """

    def __init__(self, folder: Path, config: RunConfig, *, resume: bool = False) -> None:
        self.folder = folder
        _check_place(folder, resume=resume)
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(folder)
        try:
            self.config = self._opened(config)
        except BaseException:
            self.close()
            raise

    def _opened(self, config: RunConfig) -> RunConfig:
        if not (self.folder / RUN_FILE).exists():
            with _writing(self.folder):
                write_json(self.folder / RUN_FILE, config.model_dump(mode="json"))
                (self.folder / EPISODES).mkdir(exist_ok=True)
            return config
        stored = Run(self.folder).config
        differences = list(_differences(stored.asked, config.asked))
        if differences:
            raise ConfigError(
                f"This run was asked for something else. {' '.join(differences)}", file=self.folder,
                mend="give the same selection, or only --out and --resume, or name another --out.",
            )  # fmt: skip
        if stored.run_limits != config.run_limits:
            stored = stored.model_copy(update={"run_limits": config.run_limits})
            with _writing(self.folder):
                write_json(self.folder / RUN_FILE, stored.model_dump(mode="json"))
        return stored

    def episode(self, key: EpisodeKey) -> EpisodeFolder:
        """Return where an episode is written."""
        return EpisodeFolder(self.folder / EPISODES / key.id)

    def close(self) -> None:
        """Let other processes write; a second call does nothing."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def write_json(file: Path, document: Any) -> None:
    """Write a JSON file, whole or not at all."""
    write_whole(file, (json.dumps(document, indent=2) + "\n").encode())


def write_whole(file: Path, content: bytes) -> None:
    """Write a file, whole or not at all, also where the machine stops."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    with _removed_on_failure(Path(name)):
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(file)


@contextmanager
def _removed_on_failure(file: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        file.unlink(missing_ok=True)
        raise


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InfraError(
            f"The run directory cannot be written: {error.filename or folder}: {error.strerror or error}. "
            "Mend: make room or give the rights, then go on with --resume."
        ) from error


def _check_place(folder: Path, *, resume: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise ConfigError("This is a file.", file=folder, field="--out", mend="name a directory.")
    if not folder.exists():
        return
    if (folder / RUN_FILE).exists():
        if not resume:
            raise ConfigError(
                "This directory holds a run already.", file=folder, field="--out",
                mend="go on with it by --resume, or name another --out.",
            )  # fmt: skip
    elif any(not path.name.startswith(".") for path in folder.iterdir()):
        raise ConfigError(
            "This directory holds something else than a run.", file=folder, field="--out",
            mend="name an empty or a new one.",
        )  # fmt: skip


def _locked(folder: Path) -> int:
    file = folder / LOCK
    fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(fd, 200, 0).decode("utf-8", "replace").strip() or "another process"
        os.close(fd)
        raise ConfigError(
            f"This run is being written by {holder}.",
            file=folder,
            mend="wait until it ends, or name another --out.",
        ) from None
    except BaseException:
        os.close(fd)
        raise
    os.ftruncate(fd, 0)
    os.pwrite(fd, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    return fd


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield what two requests differ in, one sentence each."""
    for field in stored:
        one, other = stored[field], wanted.get(field)
        if one == other:
            continue
        if field != "episodes":
            yield f"{field}: it has {json.dumps(one)}, now {json.dumps(other)}."
            continue
        have, now = ([EpisodeKey.model_validate(key).id for key in keys] for keys in (one, other or ()))
        for said, names in (
            ("not asked for now", [name for name in have if name not in now]),
            ("asked for only now", [name for name in now if name not in have]),
        ):
            if names:
                yield f"{len(names)} of {len(have)} episodes {said}: {', '.join(names[:3])}{' ...' if names[3:] else ''}."
        if sorted(have) == sorted(now):
            yield "episodes: they come in another order."
