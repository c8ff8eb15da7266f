"""The sandboxes that the program's episodes are played on."""

from __future__ import annotations

import pytest

from icae_env import registry
from icae_env.sandbox.images import store


def _need(name: str) -> None:
    backend = registry.resolve("sandbox", name)()
    found = backend.availability()
    backend.close()
    if not found.ok:
        pytest.skip(f"{name}: {found.detail} Mend: {found.mend}")


@pytest.fixture(
    params=[pytest.param(name, marks=getattr(pytest.mark, name)) for name in ("bubblewrap", "docker")]
)
def place(request: pytest.FixtureRequest) -> list[str]:
    """Options that choose each real sandbox, with an image that it has."""
    _need(request.param)
    built = store.find("python") is not None
    if request.param == "docker" and not built:
        pytest.skip("the image 'python' is not built; mend: icae images build python")
    return ["--sandbox", request.param, "--image", "python" if built else "host"]


@pytest.fixture
def bubblewrap() -> list[str]:
    """Options that choose the sandbox and the image that need no set-up."""
    _need("bubblewrap")
    return ["--sandbox", "bubblewrap", "--image", "host"]
