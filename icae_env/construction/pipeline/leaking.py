"""Whether a text names the source."""

from __future__ import annotations

import json
from typing import Any

from icae_env.construction.pipeline.models import Facts
from icae_env.tasks.checks import leaks
from icae_env.tasks.models import TaskSource


def source_of(facts: Facts) -> TaskSource:
    """Return the source as a task's ``task.toml`` has it."""
    return TaskSource(**facts.model_dump())


def told(facts: Facts, **texts: Any) -> list[str]:
    """Return a fault for each name of the source in each text.

    Args:
        facts: What the source is.
        **texts: Texts, or JSON values, by what they are called in the fault.
    """
    source = source_of(facts)
    found = {
        name: leaks(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False), source)
        for name, text in texts.items()
    }
    return [
        f"{place.replace('__', '.')} names the source: {', '.join(names)}. Say it in other words."
        for place, names in found.items()
        if names
    ]
