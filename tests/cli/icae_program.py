"""Run the program icae in this process or as one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from typer.testing import CliRunner, Result

from icae_env.cli.main import app

ICAE = [sys.executable, "-m", "icae_env"]
"""The program without its script, which is not installed everywhere the tests run."""


def icae(*arguments: str, typed: str | None = None, env: Mapping[str, str] | None = None) -> Result:
    """Run a command in this process; ``env`` adds variables."""
    return CliRunner().invoke(app, list(arguments), input=typed, env=dict(env or {}))


def process(
    *arguments: str, typed: str = "", env: Mapping[str, str] | None = None, only: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own; ``env`` adds variables, or with ``only`` is all there are."""
    variables = {**({} if only else os.environ), **(env or {})}
    return subprocess.run(
        [*ICAE, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=variables,
    )


def document(result: Any) -> Any:
    """Return the one JSON document that stdout holds."""
    assert result.stdout.count("\n") == 1, f"{result.stdout}\n{result.stderr}"
    return json.loads(result.stdout)
