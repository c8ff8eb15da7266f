from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_task import write_task


@pytest.fixture
def make_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A function that writes a small valid task into a data root of its own and returns its folder."""
    root = tmp_path / "data"
    root.mkdir()
    monkeypatch.setenv("ICAE_TASKS_PATH", str(root))
    return lambda name: write_task(root, name)
