"""What one project of a study came to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field

from icae_env.dependencies.layers import Ecosystem, Layers

FailureKind = Literal["SystemLib", "FetchFail", "Other"]
"""Why a C++ project's first attempt failed: a library of the system is not there, a download failed, anything else."""
FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)
BUDGET = 10
"""Repairs that a project may have (k)."""
By = Literal["agent", "ecosystem", "domain", "task"]


class Instance(BaseModel):
    """One (agent, task, ecosystem, trial) and what it came to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: str
    task: str
    ecosystem: Ecosystem
    domain: str = ""
    """What the task is about (``Web``, ``Data Processing``); empty where it is not known."""
    trial: int = Field(default=0, ge=0)
    """Repeated trials of the same agent begin at 1; only trial 0 enters what is not about repetition."""
    depth: int | None = Field(default=None, ge=0)
    """Repairs until the project ran without error (i*); 0 at the first attempt, None where it never did."""
    layers: Layers | None = None
    """The declared layer of the first manifest, the other two of the last; None where nothing was measured."""
    stdlib_sufficient: bool | None = None
    """Whether the language's standard library is enough for the task; None where nobody said."""
    failure: FailureKind | None = None
    """Why the first attempt of a C++ project failed; None where it did not, and in other ecosystems."""
    infra: str | None = None
    """Why the host could not measure it; such an instance is left out everywhere and listed."""

    @property
    def declared(self) -> frozenset[str] | None:
        """What its first manifest declares; None where that could not be told."""
        layer = self.layers.declared if self.layers is not None else None
        return layer if isinstance(layer, frozenset) else None


class Stratum(NamedTuple):
    """Instances that share some of their names."""

    name: Mapping[str, str]
    """What they share, in the order asked for; empty for all."""
    instances: Sequence[Instance]


def strata(instances: Iterable[Instance], by: Sequence[By]) -> list[Stratum]:
    """Return instances in groups of equal names, in the order in which the names first come."""
    found: dict[tuple[str, ...], list[Instance]] = {}
    for item in instances:
        found.setdefault(tuple(str(getattr(item, name)) for name in by), []).append(item)
    return [Stratum(dict(zip(by, names, strict=True)), items) for names, items in found.items()]


def kept(
    instances: Iterable[Instance], wanted: Callable[[Instance], bool] = lambda _: True
) -> list[Instance]:
    """Return the measured instances of trial 0 for which something holds."""
    return [item for item in instances if item.trial == 0 and item.infra is None and wanted(item)]
