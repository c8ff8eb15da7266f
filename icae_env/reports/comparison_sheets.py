"""A comparison as tables of texts."""

from __future__ import annotations

from icae_env.reports import numbers
from icae_env.reports.comparison import Comparison
from icae_env.reports.paired import TIE, Tally, Wilcoxon
from icae_env.reports.sheets import Sheet


def comparison_sheets(found: Comparison) -> list[Sheet]:
    """Return the tables of a comparison; those without lines are left out."""
    return [sheet for sheet in (verdict(found), moved(found), unpaired(found)) if sheet.lines]


def verdict(found: Comparison) -> Sheet:
    """Return means, wins, losses, ties and tests."""
    interval = (
        f" [{_signed(found.interval.low)}, {_signed(found.interval.high)}]"
        if found.interval is not None
        else ""
    )
    rates = [
        numbers.NOTHING if value is None else numbers.percent(value)
        for value in (found.mean_first, found.mean_second)
    ]
    difference = numbers.NOTHING if found.difference is None else _signed(found.difference) + interval
    return Sheet(
        name="verdict",
        title=f"{found.second} against {found.first}: overall pass rate in percent",
        columns=("unit", "n", found.first, found.second, "difference", "win", "loss", "tie", "Wilcoxon's p"),
        names=1,
        lines=(
            (
                "task",
                str(len({pair.task for pair in found.pairs})),
                *rates,
                difference,
                *_counts(found.tasks),
                _p(found.wilcoxon_tasks),
            ),
            (
                "episode",
                str(len(found.pairs)),
                "",
                "",
                "",
                *_counts(found.episodes),
                _p(found.wilcoxon_episodes),
            ),
        ),
        note=(
            f"Paired by task, level, language and seed; a win is one of {found.second}. Two-sided Wilcoxon signed-rank test, "
            "pairs without a difference dropped. Quote the test over tasks: episodes of one task are not independent. "
            f"In no pair: {found.infra_first} and {found.infra_second} infra, {found.unfinished_first} and "
            f"{found.unfinished_second} unfinished episodes."
        ),
    )


def moved(found: Comparison) -> Sheet:
    """Return the tasks that moved, the greatest loss first."""
    moves = [
        move for move in found.moves if abs(move.difference) > TIE or move.tally.wins or move.tally.losses
    ]
    still = len(found.moves) - len(moves)
    return Sheet(
        name="moved",
        title="What moved",
        columns=(
            "task", "level", "language", "pairs", found.first, found.second, "difference", "win", "loss", "tie",
        ),
        names=3,
        lines=tuple(
            (
                move.task, move.level, move.language, str(move.pairs), numbers.percent(move.first),
                numbers.percent(move.second), _signed(move.difference), *_counts(move.tally),
            )
            for move in moves
        ),
        note=f"{still} of {len(found.moves)} did not move." if still else "",
    )  # fmt: skip


def unpaired(found: Comparison) -> Sheet:
    """Return the scored episodes without a partner."""
    return Sheet(
        name="unpaired",
        title="Scored episodes without a partner",
        columns=("side", "episode"),
        names=2,
        lines=tuple(
            (side, name)
            for side, names in ((found.first, found.only_first), (found.second, found.only_second))
            for name in names
        ),
    )


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}" if abs(value) > TIE else "0.0"


def _counts(tally: Tally) -> tuple[str, str, str]:
    return str(tally.wins), str(tally.losses), str(tally.ties)


def _p(test: Wilcoxon) -> str:
    return numbers.NOTHING if test.p is None else f"{test.p:.2g} (n {test.n})"
