"""What ``icae run`` says in the end."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from icae_env.cli.output import Output, printable

if TYPE_CHECKING:
    from icae_env.rollout.runner import RunResult
    from icae_env.rollout.store import EpisodeRow, StoredEpisode

_MOST_LINES = 60
"""Episodes that are listed singly."""


def show_result(output: Output, result: RunResult, folder: Path) -> None:
    """Print what came of a run: as one JSON document, or as tables."""
    if output.json:
        document: dict[str, Any] = {"episodes": [_document(_stored(row, folder)) for row in result.rows]}
        if result.stopped is not None:
            document["stopped"] = result.stopped
            document["unplayed"] = [key.model_dump(mode="json") for key in result.unplayed]
        output.document(document)
    else:
        _show_tables(output, result, folder)
    if result.stopped is not None:
        said = f"Stopped ({printable(result.stopped)}): {len(result.unplayed)} episodes are not played."
        output.console.print(said, style="red", soft_wrap=True)


def _show_tables(output: Output, result: RunResult, folder: Path) -> None:
    from icae_env.cli.tables import show_episodes, show_report

    if len(result.rows) == 1 and (report := _stored(result.rows[0], folder).report) is not None:
        show_report(output.console, report)
    if 0 < len(result.rows) <= _MOST_LINES:
        show_episodes(output.console, result.rows)
    if len(result.rows) > 1:
        from icae_env.cli.report import show_sheets
        from icae_env.reports import load_rows, summarise
        from icae_env.reports.sheets import rates

        found = summarise(load_rows([folder]), ["agent", "model"])
        show_sheets(output.console, [rates(found, found.groups)])


def _document(episode: StoredEpisode) -> dict[str, Any]:
    """Return an episode as JSON values: its key and its row in one, and its report."""
    assert episode.row is not None
    values, report = episode.row.model_dump(mode="json"), episode.report
    return {**values.pop("key"), **values, "report": report.model_dump(mode="json") if report else None}


def _stored(row: EpisodeRow, folder: Path) -> StoredEpisode:
    from icae_env.rollout.store import EPISODES, StoredEpisode

    return StoredEpisode(row.key, folder / EPISODES / row.key.id)
