"""What the README shows is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from icae_env.errors import SandboxUnavailableError
from icae_env.selection import open_backend

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
ICAE = "from icae_env.cli.main import main; main()"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


PYTHON = blocks("python")
COMMANDS = [
    line.removeprefix("$ ")
    for block in blocks("console")
    for line in block.splitlines()
    if line.startswith("$ ")
]


@pytest.fixture(scope="module")
def _sandbox() -> None:
    try:
        open_backend("auto").close()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))


def test_there_is_something_to_run() -> None:
    assert len(PYTHON) == 4
    assert len(COMMANDS) == 4
    assert "pip install . && icae demo" in README
    assert "pip install '.[test]' && pytest" in README


@pytest.mark.bubblewrap
@pytest.mark.usefixtures("_sandbox")
@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_the_python_examples_run_as_they_stand(number: int, tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(PYTHON[number])
    done = subprocess.run(
        [sys.executable, "-W", "error", str(file)], capture_output=True, text=True, timeout=120, check=False,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.bubblewrap
@pytest.mark.network
@pytest.mark.usefixtures("_sandbox")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run_as_they_stand(command: str, tmp_path: Path) -> None:
    program, *arguments = command.split()
    assert program == "icae"
    done = subprocess.run(
        [sys.executable, "-c", ICAE, *arguments], capture_output=True, text=True, timeout=240, check=False,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_table_names_the_commands_that_exist() -> None:
    import typer

    from icae_env.cli.main import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert set(re.findall(r"^\| `icae ([\w-]+)", README, re.MULTILINE)) == set(commands)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
