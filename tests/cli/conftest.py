"""The sandboxes that the program's episodes are played on."""

from __future__ import annotations

import pytest
from real_sandboxes import EACH, place_or_skip, works_or_skip


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest) -> list[str]:
    """Options that choose each real sandbox, with an image that it has."""
    where = place_or_skip(request.param)
    return ["--sandbox", where["sandbox"], "--image", where["image"]]


@pytest.fixture
def bubblewrap() -> list[str]:
    """Options that choose the sandbox and the image that need no set-up."""
    works_or_skip("bubblewrap")
    return ["--sandbox", "bubblewrap", "--image", "host"]
