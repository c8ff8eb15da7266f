"""Show a run while it goes: a table on a terminal, lines elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live as Display
from rich.table import Table
from rich.text import Text

from icae_env.cli.output import printable
from icae_env.llm.limits import ModelUse
from icae_env.rollout.job import Progress
from icae_env.rollout.store import EpisodeRow, RunConfig

_LATEST = 5
"""Ended episodes that the table still shows."""
_LINE_SECONDS = 60.0
"""Seconds between lines that tell how the run stands, where there is no table."""


class RunDisplay:
    """A ``RunWatcher`` for a console.

    Args:
        console: Where to.
        table: Whether to keep a table up to date, rather than to print lines.
    """

    def __init__(self, console: Console, *, table: bool) -> None:
        self._console = console
        self._display = Display(console=console, auto_refresh=False, transient=True) if table else None
        self._rewards: list[float | None] = []
        self._latest: deque[EpisodeRow] = deque(maxlen=_LATEST)
        self._total = self._before = self._again = 0
        self._begun = self._said = time.monotonic()

    def __enter__(self) -> Self:
        if self._display is not None:
            self._display.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._display is not None:
            self._display.stop()

    def begin(self, config: RunConfig, done: Sequence[EpisodeRow]) -> None:
        """Say how much there is to play."""
        self._total, self._before = len(config.episodes), len(done)
        self._rewards = [row.reward for row in done]
        self._begun = self._said = time.monotonic()
        if done:
            self._console.print(f"{len(done)} of {self._total} episodes have a score already.", style="dim")

    def ended(self, row: EpisodeRow, again: bool) -> None:
        """Tell how an episode came out."""
        if again:
            self._again += 1
            said = f"not measured, to be played again: {printable(row.error or '')}"
        else:
            self._rewards.append(row.reward)
            self._latest.append(row)
            said = f"{outcome(row)} in {row.seconds:.1f} s"
        if self._display is None or row.reward is None:
            count = f"[{len(self._rewards)}/{self._total}]"
            self._console.print(f"{count} {printable(row.key.id)}: {said}", soft_wrap=True)

    def tick(self, running: Sequence[Progress], spent: ModelUse) -> None:
        """Bring the table up to date."""
        if self._display is not None:
            self._display.update(Group(self._table(running), self._totals(running, spent)), refresh=True)
        elif time.monotonic() - self._said >= _LINE_SECONDS:
            self._said = time.monotonic()
            self._console.print(self._totals(running, spent), soft_wrap=True)

    def _table(self, running: Sequence[Progress]) -> Table:
        table = Table(title_style="bold", expand=False)
        table.add_column("episode", no_wrap=True, overflow="ellipsis")
        for name in ("state", "step", "asked", "cost", "left", "reward"):
            table.add_column(name, justify="left" if name == "state" else "right", no_wrap=True)
        for row in self._latest:
            cost = _dollars(row.model_use.cost) if row.key.model else "-"
            table.add_row(
                printable(row.key.id), row.end or row.status, str(row.steps), str(row.questions), cost, "",
                outcome(row, short=True), style="red" if row.reward is None else "dim",
            )  # fmt: skip
        room = max(self._console.height - _LATEST - 8, 4)
        for item in running[:room]:
            table.add_row(*_cells(item))
        if len(running) > room:
            table.add_row(f"... {len(running) - room} more", *[""] * 6, style="dim")
        return table

    def _totals(self, running: Sequence[Progress], spent: ModelUse) -> Text:
        rewards = [reward for reward in self._rewards if reward is not None]
        parts = [f"{len(self._rewards)} of {self._total} over", f"{len(running)} running"]
        if rewards:
            parts.append(f"mean reward {sum(rewards) / len(rewards):.3f}")
        if missing := len(self._rewards) - len(rewards):
            parts.append(f"{missing} not measured")
        if self._again:
            parts.append(f"{self._again} played again")
        if spent.calls:
            used = (spent.usage.input_tokens, spent.usage.output_tokens)
            parts.append(
                f"{sum(count or 0 for count in used):,} tokens" if None not in used else "tokens unknown"
            )
            parts.append(f"cost {_dollars(spent.cost)}")
        if left := self._time_left():
            parts.append(f"about {left} to go")
        return Text(", ".join(parts), style="bold")

    def _time_left(self) -> str | None:
        played = len(self._rewards) - self._before
        if not played or len(self._rewards) == self._total:
            return None
        return clock((time.monotonic() - self._begun) / played * (self._total - len(self._rewards)))


def _cells(item: Progress) -> list[str]:
    begun = item.seconds is not None
    left = clock(max(item.started + item.seconds - time.time(), 0.0)) if item.seconds is not None else ""
    return [
        printable(item.id), item.state, f"{item.steps}/{item.most_steps}" if begun else "",
        f"{item.questions}/{item.most_questions}" if begun else "",
        _dollars(item.use.cost if item.use.calls else 0.0) if item.has_model else "-", left, "",
    ]  # fmt: skip


def outcome(row: EpisodeRow, *, short: bool = False) -> str:
    """Return what an episode came to, in words."""
    if row.reward is None:
        return "not measured" if short else f"not measured: {printable(row.error or '')}"
    said = f"{row.reward:.3f}"
    return said if short else f"reward {said}" + (f" ({printable(row.error)})" if row.error else "")


def clock(seconds: float) -> str:
    """Return a time as hours, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _dollars(cost: float | None) -> str:
    return "?" if cost is None else f"${cost:.2f}"
