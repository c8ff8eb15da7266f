from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from icae_env.tasks import find_task


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a copy of a whole task in a data root of its own, to be changed; its id is 'copied'."""
    found = find_task("bracex")
    folder = tmp_path / "root" / "tasks" / "copied"
    copytree(found.folder, folder)
    copytree(found.user_agent, tmp_path / "root" / "user_agent_data" / "copied")
    spec = (folder / "task.toml").read_text()
    (folder / "task.toml").write_text(spec.replace('id = "bracex"', 'id = "copied"'))
    monkeypatch.setenv("ICAE_TASKS_PATH", str(tmp_path / "root"))
    return folder
