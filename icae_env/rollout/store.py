"""The run directory: what it holds, and how it is read.

    RUN/run.json                       RunConfig: what was asked for; written first
        .lock                          held by the process that plays, so that no second one does
        episodes/ID/trajectory.jsonl   one line for each reset, model call and step, written as it happens
                    submission.tar.gz  the snapshot that was scored
                    report.json        EvalReport
                    agent_error.txt    traceback, where the agent's own code failed
                    episode.json       EpisodeRow; written last and whole, so that its presence says the episode is over
                    attempts/N/        what earlier attempts left that ended without a score

A directory can be read at any moment, also while it is written and after its writer was killed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from icae_env.env.trajectory import ModelLine, ResetLine, StepLine, read_trajectory
from icae_env.errors import ConfigError
from icae_env.evaluation import EvalReport, GapReport
from icae_env.llm.limits import ModelLimits, ModelUse

FORMAT: Literal["icae-run/1"] = "icae-run/1"
RUN_FILE, EPISODES = "run.json", "episodes"
TRAJECTORY, SUBMISSION, REPORT, EPISODE = (
    "trajectory.jsonl",
    "submission.tar.gz",
    "report.json",
    "episode.json",
)
AGENT_ERROR_FILE, ATTEMPTS, LOCK = "agent_error.txt", "attempts", ".lock"
_LONGEST_NAME = 160

_Model = TypeVar("_Model", bound=BaseModel)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EpisodeKey(_Frozen):
    """What makes an episode the one it is within its run."""

    task: str
    level: str
    agent: str
    """Registered name or ``module:Class``."""
    options: Mapping[str, str] = Field(default_factory=dict)
    """The agent's options."""
    model: str | None = None
    seed: int = 0
    language: str | None = None
    """None: the task's own."""

    @property
    def id(self) -> str:
        """Name of its folder: readable, and with a digest where the readable part leaves something out."""
        parts = [
            self.task,
            self.level,
            self.language,
            self.agent.rpartition(":")[2],
            self.model,
            f"s{self.seed}",
        ]
        plain = "-".join(re.sub(r"[^A-Za-z0-9_.]+", "_", part) for part in parts if part)
        exact = not self.options and ":" not in self.agent and re.fullmatch(r"[\w./]*", self.model or "")
        if exact and len(plain) <= _LONGEST_NAME:
            return plain
        told = repr((self.agent, sorted(self.options.items()), self.model))
        return f"{plain[:_LONGEST_NAME]}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"


class RunConfig(_Frozen):
    """What a run was asked to play."""

    format: Literal["icae-run/1"] = FORMAT
    created: datetime
    """UTC."""
    episodes: tuple[EpisodeKey, ...]
    """In the order of play."""
    sandbox: str
    image: str
    model_options: Mapping[str, Mapping[str, str]] = Field(default_factory=dict)
    """By model."""
    env: Mapping[str, Any] = Field(default_factory=dict)
    """Further arguments of ``make_env``."""
    episode_limits: ModelLimits = ModelLimits()
    run_limits: ModelLimits = ModelLimits()
    versions: Mapping[str, str] = Field(default_factory=dict)
    """Of icae_env, Python and the system."""

    @property
    def asked(self) -> dict[str, Any]:
        """What was asked for, as JSON values: equal for runs that play the same. The run's own limits say only how far."""
        return self.model_dump(mode="json", exclude={"created", "versions", "run_limits"})


class EpisodeRow(_Frozen):
    """How an episode came out, without its cases (``episode.json``)."""

    key: EpisodeKey
    status: Literal["ok", "infra"]
    """``infra``: the host's side or the model's service failed and nothing was measured."""
    reward: float | None
    """The overall pass rate; None when nothing was measured."""
    end: str | None
    """``submit``, the limit that ended it (``limit:NAME`` for one of the model), ``agent_error``, or what the agent says."""
    steps: int
    questions: int
    """Questions charged."""
    seconds: float
    """Wall time, scoring included."""
    started: datetime
    """UTC."""
    error: str | None = None
    """What failed: on the host's side, at the model's service, or (end ``agent_error``) in the agent's own code."""
    attempts: int = Field(default=1, ge=1)
    """How often it was played; all but the last ended without a score."""
    language: str | None = None
    domain: str | None = None
    sandbox: str | None = None
    image: str | None = None
    image_digest: str | None = None
    native: float | None = None
    enhanced: float | None = None
    public: float | None = None
    """Pass rates by suite."""
    resolved: bool | None = None
    model_use: ModelUse = ModelUse()
    coverage: float | None = None
    """Share of the level's hidden constraints that replies revealed; None at a level that hides none."""
    fallback_rate: float | None = None
    """Share of the charged questions that got the fallback; None without questions."""
    budget_used: float | None = None
    """Share of the question budget."""
    gaps: GapReport | None = None
    extra: Mapping[str, Any] = Field(default_factory=dict)
    """What further scorers found, by their names."""


class StoredEpisode:
    """One episode of a run directory.

    Args:
        key: The episode.
        folder: Its folder, which need not exist yet.
    """

    def __init__(self, key: EpisodeKey, folder: Path) -> None:
        self.key, self.folder = key, folder

    @cached_property
    def row(self) -> EpisodeRow | None:
        """How it came out; None while it is not over."""
        return _load(EpisodeRow, self.folder / EPISODE)

    @cached_property
    def report(self) -> EvalReport | None:
        """Its score with every case; None when nothing was measured."""
        return _load(EvalReport, self.folder / REPORT)

    def trajectory(self) -> Iterator[ResetLine | StepLine | ModelLine]:
        """Yield its lines, as far as they were written."""
        file = self.folder / TRAJECTORY
        if file.exists():
            yield from read_trajectory(file)


class Run:
    """A run directory, to read.

    Args:
        folder: The directory.

    Raises:
        ConfigError: It is not a run directory.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        config = _load(RunConfig, self.folder / RUN_FILE)
        if config is None:
            raise ConfigError(
                f"This is no run directory: it has no {RUN_FILE}.",
                file=self.folder,
                mend="name the --out of icae run.",
            )
        self.config = config

    def episodes(self) -> list[StoredEpisode]:
        """Return every episode that the run was asked to play, in that order."""
        return [StoredEpisode(key, self.folder / EPISODES / key.id) for key in self.config.episodes]


def _load(model: type[_Model], file: Path) -> _Model | None:
    try:
        return model.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise ConfigError(
            f"It cannot be read: {error}.", file=file, mend="remove it, and resume the run."
        ) from error
