"""The wheel: everything that is needed is in it, and it works in a new virtual environment outside the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.timeout(900)]
DATA = "icae_env/_data"


def run(*argv: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    # Nothing of the checkout may help out: no path to it, no virtual environment.
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(item) for item in argv], capture_output=True, text=True, cwd=cwd, env=env, check=False
    )
    assert done.returncode == 0, f"{argv}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", ROOT, "-w", folder, cwd=folder)
    (file,) = folder.glob("icae_env-*.whl")
    return file


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``icae`` as installed from the wheel in a new virtual environment."""
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", folder / "v", cwd=folder)
    run(folder / "v" / "bin" / "pip", "install", "-q", wheel, cwd=folder)
    return folder / "v" / "bin" / "icae"


def test_the_wheel_holds_code_data_and_agents(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        modes = {item.filename: item.external_attr >> 16 for item in archive.infolist()}
    for task in sorted(path.name for path in (ROOT / "tasks").iterdir() if (path / "task.toml").is_file()):
        for file in ("task.toml", "prd/L1.md", "prd/ground.md", "golden/install.sh"):
            assert f"{DATA}/tasks/{task}/{file}" in names
        for suite in ("native", "enhanced"):
            wanted = {
                f"{DATA}/tasks/{task}/cases/{suite}/{file.name}"
                for file in (ROOT / "tasks" / task / "cases" / suite).iterdir()
            }
            assert wanted
            assert wanted <= names
        for file in ("L1.json", "L2.json", "L3.json", "audit.json"):
            assert f"{DATA}/user_agent_data/{task}/{file}" in names
        for file in (ROOT / "baselines" / "scripts" / task).glob("*"):
            if file.is_file():
                assert f"baselines/scripts/{task}/{file.name}" in names
    for name in ("base", "python", "node"):
        assert f"{DATA}/images/{name}.toml" in names
    for module in (ROOT / "icae_env").rglob("*"):
        if module.is_file() and module.suffix != ".pyc":
            assert module.relative_to(ROOT).as_posix() in names
    assert {"baselines/golden.py", "baselines/noop.py", "baselines/scripted.py", "icae_env/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/")) or name.endswith(".pyc")]
    assert modes[f"{DATA}/tasks/ssf/golden/run"] & 0o111


def test_an_installed_wheel_has_tasks_agents_and_images(program: Path, tmp_path: Path) -> None:
    tasks = json.loads(run(program, "tasks", "--json", cwd=tmp_path).stdout)["tasks"]
    assert {"bracex", "ssf", "stockholm"} <= {task["id"] for task in tasks}
    assert not [task for task in tasks if "error" in task]
    agents = json.loads(run(program, "agents", "--json", cwd=tmp_path).stdout)["agents"]
    assert {"golden", "noop", "scripted"} <= {agent["name"] for agent in agents}
    images = json.loads(run(program, "images", "list", "--json", cwd=tmp_path).stdout)["images"]
    assert {"host", "base", "python", "node"} <= {image["name"] for image in images}


@pytest.mark.bubblewrap
def test_an_installed_wheel_plays_and_validates(program: Path, tmp_path: Path) -> None:
    found = json.loads(
        subprocess.run([program, "doctor", "--json"], capture_output=True, text=True, check=False).stdout
    )
    if not found["ok"]:
        pytest.skip("no sandbox works here; mend: icae doctor")
    told = json.loads(run(program, "demo", "--json", cwd=tmp_path).stdout)
    assert (told["status"], told["reward"]) == ("ok", 1.0)
    proved = json.loads(
        run(
            program,
            "validate",
            "bracex",
            "--image",
            "host",
            "--sandbox",
            "bubblewrap",
            "--json",
            cwd=tmp_path,
        ).stdout
    )
    assert proved["ok"]
