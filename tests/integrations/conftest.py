"""What foreign agents' episodes are played on, and a program that gets points."""

from __future__ import annotations

import pytest
from real_sandboxes import works_or_skip

from baselines.scripted import SCRIPTS, read_script


@pytest.fixture
def place() -> dict[str, str]:
    """The sandbox that needs no set-up."""
    works_or_skip("bubblewrap")
    return {"sandbox": "bubblewrap", "image": "host"}


@pytest.fixture(scope="session")
def program() -> list[dict[str, str]]:
    """Edits that write a program for bracex which passes every case."""
    return [
        action
        for action in read_script(SCRIPTS / "bracex")
        if action["type"] == "edit" and action["op"] == "create"
    ]
