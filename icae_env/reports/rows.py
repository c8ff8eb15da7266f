"""The episodes of one or several runs, with those that were not measured kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from icae_env.errors import ConfigError
from icae_env.evaluation.report import Outcome
from icae_env.rollout.store import REPORT, EpisodeKey, EpisodeRow, Run, StoredEpisode

UNKNOWN = "unknown"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Entry(_Frozen):
    """One episode of a run, over or not."""

    run: str
    """Name of its run."""
    folder: Path
    """Its folder."""
    key: EpisodeKey
    row: EpisodeRow | None
    """None while it is not over."""
    outcomes: Mapping[Outcome, int] = Field(default_factory=dict)
    """How many cases came out how; empty where no report says."""

    @property
    def scored(self) -> EpisodeRow | None:
        """The row, if the episode was measured."""
        return self.row if self.row is not None and self.row.reward is not None else None

    @property
    def infra(self) -> bool:
        """Whether it is over and nothing was measured."""
        return self.row is not None and self.row.reward is None

    @property
    def player(self) -> str:
        """The agent with its options."""
        options = ", ".join(f"{name}={value}" for name, value in sorted(self.key.options.items()))
        return self.key.agent + (f" [{options}]" if options else "")

    @property
    def model(self) -> str:
        """The model's name; ``none`` for agents without one."""
        return self.key.model or "none"

    @property
    def language(self) -> str:
        """Language that the program was asked for in."""
        return (self.row and self.row.language) or self.key.language or UNKNOWN

    @property
    def setting(self) -> tuple[str, ...]:
        """What its repeats have in common: all of the key but the seed."""
        return (self.key.task, self.key.level, self.language, self.player, self.model)

    def stored(self) -> StoredEpisode:
        """Return its files."""
        return StoredEpisode(self.key, self.folder)


class Rows(_Frozen):
    """The episodes of all the runs, in the runs' order."""

    runs: tuple[str, ...]
    """Names of the runs."""
    entries: tuple[Entry, ...]

    def scored(self) -> Iterator[tuple[Entry, EpisodeRow]]:
        """Yield the episodes that were measured."""
        for entry in self.entries:
            if entry.scored is not None:
                yield entry, entry.scored


def load_rows(paths: Sequence[Path | str]) -> Rows:
    """Read the episodes of run directories.

    Args:
        paths: The directories; they may still be written to.

    Raises:
        ConfigError: One is not a run directory, is given twice, or a file of it is damaged.
    """
    folders = [Path(path) for path in paths]
    seen: set[Path] = set()
    for folder in folders:
        if folder.resolve() in seen:
            raise ConfigError("This run is given twice.", file=folder, mend="give each run once.")
        seen.add(folder.resolve())
    names = [folder.resolve().name for folder in folders]
    if len(set(names)) < len(names):
        names = [str(folder) for folder in folders]
    entries = [
        _entry(name, episode)
        for name, folder in zip(names, folders, strict=True)
        for episode in Run(folder).episodes()
    ]
    return Rows(runs=tuple(names), entries=tuple(entries))


def _entry(run: str, episode: StoredEpisode) -> Entry:
    row = episode.row
    outcomes = _outcomes(episode.folder / REPORT) if row is not None else {}
    return Entry(run=run, folder=episode.folder, key=episode.key, row=row, outcomes=outcomes)


class _Case(BaseModel):
    outcome: Outcome


class _Cases(BaseModel):
    cases: list[_Case]


_CASES = TypeAdapter(_Cases)
"""The part of a report that is counted: reading every case in full would take most of the time."""


def _outcomes(file: Path) -> dict[Outcome, int]:
    counts: dict[Outcome, int] = {}
    try:
        for case in _CASES.validate_json(file.read_bytes()).cases:
            counts[case.outcome] = counts.get(case.outcome, 0) + 1
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        raise ConfigError(
            f"It cannot be read: {error}.", file=file, mend="remove the episode, and resume the run."
        ) from error
    return counts
