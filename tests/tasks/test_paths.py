from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import icae_env.paths
from icae_env.paths import data_root, images_root

SHOW = "import icae_env.paths as p; print(p.data_root())"


def test_the_data_root_holds_the_tasks() -> None:
    assert (data_root() / "tasks").is_dir() and (data_root() / "user_agent_data").is_dir()
    assert images_root() == data_root() / "images"


def install(site: Path) -> Path:
    """Copy what ``paths`` needs into a folder as an installed package."""
    package = site / "icae_env"
    package.mkdir(parents=True)
    source = Path(icae_env.paths.__file__).parent
    (package / "__init__.py").touch()
    for name in ("paths.py", "errors.py"):
        shutil.copy(source / name, package / name)
    return package


def shown(site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", SHOW], cwd=site, capture_output=True, text=True, check=False)


def test_an_installed_package_uses_the_data_inside_it(tmp_path: Path) -> None:
    package = install(tmp_path)
    (package / "_data" / "tasks").mkdir(parents=True)
    (tmp_path / "tasks").mkdir()  # a foreign package of that name beside ours
    assert shown(tmp_path).stdout.strip() == str(package / "_data")


def test_a_package_without_data_says_so(tmp_path: Path) -> None:
    install(tmp_path)
    (tmp_path / "tasks").mkdir()
    result = shown(tmp_path)
    assert result.returncode != 0 and "has no data folder. Mend: install it again" in result.stderr
