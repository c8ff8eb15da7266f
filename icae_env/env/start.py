"""The text that opens an episode: the rules of the game and the PRD, from the files in ``texts/``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from icae_env.env.wiring import EpisodeConfig
from icae_env.tasks.models import PublicTask, TaskLimits

START_FILE = "start.md"
"""Name of the file in the workspace that holds this text."""
_COMPARED = {
    "ignore": "exit code, standard output and files are",
    "presence": "exit code, standard output, files and whether anything is printed on standard error are",
    "text": "exit code, standard output, standard error and files are",
}
_SERVED = {
    "proxy": (
        "It sees the files\nof `/workspace` and no others of yours, and none of your environment variables. When your own "
        "program takes its place,\n`/run/oracle/executable` still runs it."
    ),
    "direct": (
        "When your own program\nis to take its place, remove it first; `/run/reference/executable` still runs it."
    ),
}


def start_text(task: PublicTask, limits: TaskLimits, config: EpisodeConfig) -> str:
    """Return rules and PRD as one Markdown text.

    Args:
        task: The public side of the task.
        limits: The limits in force.
        config: How the episode runs.
    """
    values = {
        "case_seconds": _number(limits.case_seconds),
        "suite_seconds": _number(limits.suite_seconds),
        "language": task.spec.language,
        "steps": str(limits.steps),
        "questions": _questions(limits.questions),
        "seconds": _number(limits.seconds),
        "command_seconds": _number(limits.command_seconds),
        "output_chars": str(limits.output_chars),
        "restarts": str(config.restarts),
        "prd": task.prd.rstrip("\n"),
    }
    if task.spec.oracle is not None:
        values["build_seconds"] = _number(task.spec.oracle.build_seconds)
        values["serving"] = _SERVED[task.spec.oracle.mode]
        values["compared"] = _COMPARED[task.spec.oracle.stderr]
    values["protocol"] = _template(task.spec.protocol).substitute(values)
    values["public"] = _template("public").substitute(values) if config.public_cases else ""
    return _template("start" if task.spec.oracle is None else "oracle").substitute(values)


def _questions(count: int) -> str:
    if count == 0:
        return "The user answers no questions in this episode."
    return f"{count} question{'' if count == 1 else 's'} to the user; ask about one thing at a time."


def _number(value: float) -> str:
    return f"{value:g}" if value < 1e6 else f"{value:.0f}"


@cache
def _template(name: str) -> Template:
    return Template((files("icae_env.env") / "texts" / f"{name}.md").read_text(encoding="utf-8"))
