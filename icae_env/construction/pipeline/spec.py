"""The text of ``task.toml``."""

from __future__ import annotations

import json

from icae_env.construction.pipeline.options import BuildOptions
from icae_env.tasks.models import TaskSource


def spec_text(options: BuildOptions, source: TaskSource, *, title: str, domain: str, draft: bool) -> str:
    """Return a task's ``task.toml``.

    Args:
        options: The build.
        source: The package that the golden installs.
        title: Names the matter, not the package.
        domain: The field that the task belongs to.
        draft: Whether the task is kept out of selections.
    """
    lines = [
        f"id = {_text(options.id)}",
        f"title = {_text(title)}",
        'kind = "prd"',
        f"domain = {_text(domain)}",
        f"language = {_text(options.language)}",
        f"image = {_text(options.task_image)}",
        f"protocol = {_text(options.protocol)}",
        'comparison = "text"',
        *(["draft = true"] if draft else []),
        "",
        "[limits]",
        "steps = 200",
        "questions = 16",
        "case_seconds = 10.0",
        "suite_seconds = 120.0",
        "",
        "[source]",
        *(
            f"{name} = {_text(getattr(source, name))}"
            for name in ("registry", "package", "version", "licence", "url")
        ),
        "identifiers = [",
        *(f"    {_text(name)}," for name in source.identifiers),
        "]",
    ]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    # A JSON string is a TOML string as long as no character beyond ASCII is escaped; DEL is the one JSON leaves alone.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
