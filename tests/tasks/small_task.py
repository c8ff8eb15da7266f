"""A small valid task, written file by file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SPEC = """
id = "{id}"
title = "Add numbers"
domain = "arithmetic"
language = "python"
image = "python"
protocol = "stdin"

[source]
registry = "pypi"
package = "addition-kit"
version = "1.0"
licence = "MIT"
identifiers = ["addKitty"]
"""


def case_file(*ids: str, **first: Any) -> str:
    cases: list[dict[str, Any]] = [{"id": name, "input": [1, 2], "expected_output": "3\n"} for name in ids]
    cases[0] |= first
    return json.dumps({"description": "Sums.", "cases": cases})


def write_task(root: Path, name: str) -> Path:
    folder = root / "tasks" / name
    (folder / "prd").mkdir(parents=True)
    (folder / "task.toml").write_text(SPEC.format(id=name))
    for level in ("ground", "L1", "L2", "L3"):
        (folder / "prd" / f"{level}.md").write_text(f"# Sums, as {level} has it\n")
    for suite, ids in (("native", ("sum-01", "sum-02")), ("enhanced", ("big-01",))):
        (folder / "cases" / suite).mkdir(parents=True)
        (folder / "cases" / suite / f"{ids[0][:-3]}.json").write_text(case_file(*ids))
    (root / "user_agent_data" / name).mkdir(parents=True)
    return folder
