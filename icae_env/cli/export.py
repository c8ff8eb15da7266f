"""``icae export``: the episodes of a run in other programs' formats."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from icae_env.cli.options import Debug, Json
from icae_env.cli.output import Output, printable
from icae_env.cli.report import known
from icae_env.errors import ConfigError

if TYPE_CHECKING:
    from icae_env.reports.rows import Entry


def export(
    *,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    format: Annotated[
        str, typer.Option("--format", "-f", help="atif (v1.8) or openai-messages (lines for fine-tuning).")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="A file of JSON lines; for atif also a .json file for one episode, or a folder with a file for each.",
        ),
    ],
    episode: Annotated[
        list[str] | None, typer.Option("--episode", "-e", help="Only this episode, by its id; repeatable.")
    ] = None,
    min_reward: Annotated[
        float | None,
        typer.Option("--min-reward", help="Only scored episodes with at least this pass rate (0 to 1)."),
    ] = None,
    metadata: Annotated[
        bool, typer.Option("--metadata", help="openai-messages: say in each line which episode it is.")
    ] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Export trajectories: as ATIF for other frameworks' tools, or as chat messages to train on."""
    from icae_env import __version__
    from icae_env.reports import load_rows
    from icae_env.reports.export.writing import FORMATS, Format, write_export
    from icae_env.rollout.store import Run

    style = cast("Format", known("format", format, FORMATS))
    entries = load_rows([run]).entries
    unknown = sorted(set(episode or ()) - {entry.key.id for entry in entries})
    if unknown:
        raise ConfigError(
            f"The run has no episode '{unknown[0]}'.",
            field="--episode",
            mend="take an id of its episodes folder.",
        )
    chosen = [
        entry
        for entry in entries
        if (not episode or entry.key.id in episode) and (min_reward is None or _reward(entry) >= min_reward)
    ]
    version = Run(run).config.versions.get("icae_env", __version__)
    written = write_export(chosen, style, out, version=version, with_metadata=metadata)
    output = Output(json=json)
    output.document({"written": written, "episodes": len(chosen), "out": str(out)})
    if not json:
        output.console.print(f"{written} written: {printable(str(out))}", soft_wrap=True)


def _reward(entry: Entry) -> float:
    """Return the pass rate; of an episode without one, less than any."""
    return -1.0 if entry.scored is None or entry.scored.reward is None else entry.scored.reward
