"""The examples in a task's ground PRD: fenced ``case`` blocks with an input and the output it gives."""

from __future__ import annotations

import json
import re
from pathlib import Path

from icae_env.errors import ConfigError
from icae_env.tasks import Case, TaskLike, find_task, load_public

_BLOCK = re.compile(r"^```case\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
STEM = "prd-example"


def ground_examples(task: TaskLike) -> tuple[Case, ...]:
    """Return the examples of a task's ground PRD as native cases.

    Raises:
        ConfigError: A block is no JSON object with ``input`` and ``output``.
    """
    found = find_task(task)
    file = found.folder / "prd" / "ground.md"
    blocks = _BLOCK.findall(load_public(found, "ground").prd)
    return tuple(_case(block, index, file) for index, block in enumerate(blocks))


def _case(block: str, index: int, file: Path) -> Case:
    mend = 'write {"input": ..., "output": "..."}.'
    try:
        value = json.loads(block)
    except ValueError as error:
        raise ConfigError(f"Example {index + 1} is not JSON: {error}.", file=file, mend=mend) from error
    if (
        not isinstance(value, dict)
        or set(value) != {"input", "output"}
        or not isinstance(value["output"], str)
    ):
        raise ConfigError(
            f"Example {index + 1} does not have exactly 'input' and a text 'output'.", file=file, mend=mend
        )
    return Case(
        id=f"{STEM}-{index + 1:02d}", suite="native", stem=STEM, index=index, input=value["input"],
        expected_output=value["output"],
    )  # fmt: skip
