"""The ``task.toml`` of an imported task."""

from __future__ import annotations

import json
from typing import Any

from icae_env.construction.icae_bench.layout import TaskSources
from icae_env.errors import UnknownNameError
from icae_env.tasks.languages import check_language, language_image
from icae_env.tasks.models import Comparison

_NO_TOOLCHAIN = "base"


def spec_text(sources: TaskSources, comparison: Comparison) -> tuple[str, str, str | None]:
    """Return a task's ``task.toml``, its language, and what is wrong with the language, if anything."""
    alias = sources.alias
    given = str(alias.get("language") or "").strip() or "unknown"
    problem: str | None = None
    try:
        language = check_language(given)
        image = language_image(language)
    except UnknownNameError:
        language, image = given.casefold(), _NO_TOOLCHAIN
        problem = f"There is no image for '{given}'; play the task with another language (--language)."
    user, repo = (str(alias.get(key) or "") for key in ("username", "repo_name"))
    lines = {
        "id": sources.id,
        "title": sources.id,
        "domain": "imported",
        "language": language,
        "image": image,
        "protocol": "rcb",
        "comparison": comparison,
    }
    source = {
        "registry": "other",
        "package": repo,
        "version": "",
        "licence": "",
        "url": f"https://github.com/{user}/{repo}" if user and repo else "",
        "identifiers": [name for name in dict.fromkeys((str(alias.get("key") or ""), user)) if name],
    }
    return f"{_table(lines)}\n[source]\n{_table(source)}", language, problem


def _table(values: dict[str, Any]) -> str:
    # JSON's strings and lists are TOML's, but for one control character that JSON leaves as it is.
    written = {
        key: json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") for key, value in values.items()
    }
    return "".join(f"{key} = {value}\n" for key, value in written.items())
