"""A small oracle task, written file by file, whose reference is the tests' own program."""

from __future__ import annotations

import json
from pathlib import Path

from reference_programs import reference

SPEC = """
id = "echoes"
title = "Echoes"
kind = "oracle"
domain = "text"
language = "c"
image = "base"
protocol = "program"

[oracle]
mode = "{mode}"

[source]
registry = "other"
package = "echo-kit"
version = "1.0"
licence = "MIT"
"""
INSTALL = """
set -e
echo installed >> "$HOME/count"
mkdir -p program docs/more
cp kept/program program/executable
chmod 755 program/executable
echo 'Prints its arguments.' > docs/README
ln -s ../README docs/more/LINK
echo not kept > other
"""
CASES = [
    {"id": "args-01", "args": ["args"], "expected": {"stdout": "[./executable]\n[args]\n", "exit_code": 3}},
    {"id": "bad-01", "args": ["bad"], "expected": {"stdout": "", "exit_code": 2}},
]


def write_oracle_task(root: Path, *, mode: str = "proxy", install: str = INSTALL) -> Path:
    """Write it below a data root and return its folder."""
    folder = root / "tasks" / "echoes"
    (folder / "prd").mkdir(parents=True)
    (folder / "task.toml").write_text(SPEC.format(mode=mode))
    (folder / "prd" / "ground.md").write_text("A program that prints what it is given.\n")
    for suite, case in zip(("native", "enhanced"), CASES, strict=True):
        (folder / "cases" / suite).mkdir(parents=True)
        document = {"description": "All.", "cases": [case]}
        (folder / "cases" / suite / "all.json").write_text(json.dumps(document))
    (folder / "reference" / "kept").mkdir(parents=True)
    (folder / "reference" / "install.sh").write_text(install)
    (folder / "reference" / "kept" / "program").write_bytes(reference())
    (root / "user_agent_data" / "echoes").mkdir(parents=True)
    return folder
