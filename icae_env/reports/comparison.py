"""Two players, or two runs, compared on the episodes that both played."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ConfigError
from icae_env.reports.intervals import Interval, bootstrap, mean_of_clusters
from icae_env.reports.paired import TIE, Tally, Wilcoxon, tally, wilcoxon
from icae_env.reports.rows import Entry, Rows

PairKey = tuple[str, ...]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Pair(_Frozen):
    """Two scored episodes of the same task, level, language and seed."""

    task: str
    level: str
    language: str
    seed: int
    player: str | None = None
    """Agent and model, where the sides have several that are the same on both."""
    first: float
    """The first side's overall pass rate."""
    second: float

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first


class Move(_Frozen):
    """What became of one task, level and language."""

    task: str
    level: str
    language: str
    pairs: int
    first: float
    """Mean over the pairs."""
    second: float
    tally: Tally

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first


class Comparison(_Frozen):
    """How the second side did against the first."""

    first: str
    second: str
    """Names of the sides."""
    pairs: tuple[Pair, ...]
    moves: tuple[Move, ...]
    """By difference, the greatest loss first."""
    mean_first: float | None
    """Over the pairs, each task counting the same; None without pairs."""
    mean_second: float | None
    difference: float | None
    interval: Interval | None
    """95 % around the difference, by a bootstrap over tasks and then pairs."""
    episodes: Tally
    tasks: Tally
    """Of the tasks' mean differences."""
    wilcoxon_episodes: Wilcoxon
    """Over all pairs; repeats and levels of one task are not independent, so that its p is too small with them."""
    wilcoxon_tasks: Wilcoxon
    """Over the tasks' mean differences: the one to quote."""
    only_first: tuple[str, ...]
    """Scored episodes without a partner, by id."""
    only_second: tuple[str, ...]
    infra_first: int
    infra_second: int
    unfinished_first: int
    unfinished_second: int


def compare(first: Rows, second: Rows, *, names: tuple[str, str] = ("A", "B"), seed: int = 0) -> Comparison:
    """Compare two sides.

    Args:
        first: One side's episodes.
        second: The other's.
        names: What the sides are called.
        seed: Of the bootstrap.

    Raises:
        ConfigError: A side has several episodes for one pairing key and the other does not tell which one to take.
        MissingDependencyError: SciPy is not installed.
    """
    by_player = _needs_player(first, second)
    ours, theirs = (_keyed(side, name, by_player) for side, name in zip((first, second), names, strict=True))
    pairs = tuple(
        Pair(
            task=key[0], level=key[1], language=key[2], seed=int(key[3]),
            player=" / ".join(key[4:]) or None, first=_rate(ours[key]), second=_rate(theirs[key]),
        )
        for key in sorted(ours.keys() & theirs.keys())
    )  # fmt: skip
    by_task = _differences(pairs)
    task_means = [math.fsum(values) / len(values) for values in by_task.values()]
    return Comparison(
        first=names[0],
        second=names[1],
        pairs=pairs,
        moves=_moves(pairs),
        mean_first=mean_of_clusters(_by_task(pairs, [pair.first for pair in pairs])),
        mean_second=mean_of_clusters(_by_task(pairs, [pair.second for pair in pairs])),
        difference=mean_of_clusters(by_task),
        interval=bootstrap(by_task, seed=seed),
        episodes=tally([pair.difference for pair in pairs]),
        tasks=tally(task_means),
        wilcoxon_episodes=wilcoxon([pair.difference for pair in pairs]),
        wilcoxon_tasks=wilcoxon(task_means),
        only_first=_alone(ours, theirs),
        only_second=_alone(theirs, ours),
        infra_first=sum(entry.infra for entry in first.entries),
        infra_second=sum(entry.infra for entry in second.entries),
        unfinished_first=sum(entry.row is None for entry in first.entries),
        unfinished_second=sum(entry.row is None for entry in second.entries),
    )


def chosen(rows: Rows, *, agent: str | None = None, model: str | None = None) -> Rows:
    """Return the episodes of one agent (its name, or its name with options) and model.

    Raises:
        ConfigError: There is none.
    """
    kept = tuple(
        entry
        for entry in rows.entries
        if agent in (None, entry.key.agent, entry.player) and model in (None, entry.model)
    )
    if not kept:
        players = sorted({f"{entry.player} / {entry.model}" for entry in rows.entries})
        raise ConfigError(
            f"{' '.join(rows.runs)} has no episode of agent {agent or 'any'} with model {model or 'any'}.",
            mend=f"choose among (agent / model): {'; '.join(players) or 'nothing'}.",
        )
    return Rows(runs=rows.runs, entries=kept)


def _players(rows: Rows) -> set[tuple[str, str]]:
    return {(entry.player, entry.model) for entry in rows.entries}


def _needs_player(first: Rows, second: Rows) -> bool:
    """Return whether the players belong to the pairing key: both sides have the same several ones."""
    players = _players(first)
    return len(players) > 1 and players == _players(second)


def _keyed(rows: Rows, side: str, by_player: bool) -> dict[PairKey, Entry]:
    found: dict[PairKey, Entry] = {}
    for entry, _ in rows.scored():
        key: PairKey = (entry.key.task, entry.key.level, entry.language, str(entry.key.seed))
        key += (entry.player, entry.model) if by_player else ()
        if key in found:
            raise ConfigError(
                f"Side {side} has several episodes of {' '.join(key[:3])}, seed {key[3]}: "
                f"{found[key].key.id} and {entry.key.id}.",
                mend="choose its agent or model (--agent-a, --model-a, --agent-b, --model-b).",
            )
        found[key] = entry
    return found


def _rate(entry: Entry) -> float:
    assert entry.row is not None and entry.row.reward is not None, "only of scored episodes"
    return entry.row.reward


def _alone(ours: Mapping[PairKey, Entry], theirs: Mapping[PairKey, Entry]) -> tuple[str, ...]:
    return tuple(sorted(ours[key].key.id for key in ours.keys() - theirs.keys()))


def _by_task(pairs: Sequence[Pair], values: Sequence[float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for pair, value in zip(pairs, values, strict=True):
        found.setdefault(pair.task, []).append(value)
    return found


def _differences(pairs: Sequence[Pair]) -> dict[str, list[float]]:
    return _by_task(pairs, [pair.difference for pair in pairs])


def _moves(pairs: Iterable[Pair]) -> tuple[Move, ...]:
    found: dict[tuple[str, str, str], list[Pair]] = {}
    for pair in pairs:
        found.setdefault((pair.task, pair.level, pair.language), []).append(pair)
    moves = [
        Move(
            task=task, level=level, language=language, pairs=len(here),
            first=math.fsum(pair.first for pair in here) / len(here),
            second=math.fsum(pair.second for pair in here) / len(here),
            tally=tally([pair.difference for pair in here]),
        )
        for (task, level, language), here in sorted(found.items())
    ]  # fmt: skip
    return tuple(sorted(moves, key=lambda move: 0.0 if abs(move.difference) <= TIE else move.difference))
