"""``icae evaluate``: score a stored submission again, without any agent."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from icae_env.cli.options import Debug, Image, Json, Language, Sandbox, Workers
from icae_env.cli.output import DONE, INFRA, Output


def evaluate(
    *,
    submission: Annotated[
        Path,
        typer.Argument(
            help="A folder, an archive (.tar, .tar.gz), or what icae run --out kept of an episode."
        ),
    ],
    task: Annotated[str, typer.Option("--task", "-t", help="The task it answers.")],
    sandbox: Sandbox = "auto",
    image: Image = "auto",
    language: Language = None,
    suite: Annotated[
        list[str] | None,
        typer.Option("--suite", help="native, enhanced or public; repeatable. All by default."),
    ] = None,
    workers: Workers = 2,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Replay a submission's cases and report. Exit code 3 if it could not be measured."""
    from icae_env.cli.tables import show_report
    from icae_env.evaluation import evaluate as replay
    from icae_env.evaluation import load_submission
    from icae_env.evaluation.report import REPORT_SUITES
    from icae_env.selection import choose_image, open_backend
    from icae_env.tasks import load_hidden
    from icae_env.tasks.languages import image_for

    out = Output(json=json)
    hidden = load_hidden(task)
    wanted = image_for(hidden.spec, language)
    loaded = load_submission(_stored(submission))
    suites = suite or list(REPORT_SUITES)
    with closing(open_backend(sandbox)) as backend:
        chosen = choose_image(image, wanted, backend.name)
        report = replay(hidden, loaded, backend, image=chosen, suites=suites, workers=workers)  # type: ignore[arg-type]
    out.document(
        {
            "task": report.task,
            "status": report.status,
            "reward": report.reward,
            "report": report.model_dump(mode="json"),
        }
    )
    if not json:
        show_report(out.console, report)
    raise typer.Exit(INFRA if report.status == "infra" else DONE)


def _stored(given: Path) -> Path:
    """Return what to score: of an episode's folder the archive in it, as its report holds the expected outputs.

    Raises:
        ConfigError: The folder holds episodes' folders.
    """
    from icae_env.errors import ConfigError

    if _is_episode(given):
        return given / "submission.tar.gz"
    places = [place for place in (given, given / "episodes") if place.is_dir()]
    episodes = [
        item.relative_to(given).as_posix()
        for place in places
        for item in sorted(place.iterdir())
        if _is_episode(item)
    ]
    if episodes:
        raise ConfigError(
            "This folder holds episodes.", file=given, mend=f"give one of them: {', '.join(episodes)}."
        )
    return given


def _is_episode(folder: Path) -> bool:
    return (folder / "trajectory.jsonl").is_file() and (folder / "submission.tar.gz").is_file()
