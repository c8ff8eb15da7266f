"""Fixtures of the evaluation tests: the doubling task, and each real sandbox that works on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from double_task import doubling, make_submission, make_task

from icae_env import registry
from icae_env.evaluation.submission import Submission
from icae_env.sandbox.base import Backend
from icae_env.sandbox.fake import FakeBackend
from icae_env.sandbox.images import store
from icae_env.tasks.models import HiddenTask


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
        pytest.param("docker", marks=pytest.mark.docker),
    ],
)
def real(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Return a real backend, or skip with the reason why it does not work here."""
    backend: Backend = registry.resolve("sandbox", request.param)()
    state = backend.availability()
    if not state.ok:
        pytest.skip(f"{request.param}: {state.detail} Mend: {state.mend}")
    yield backend
    backend.close()


@pytest.fixture
def image(real: Backend) -> str:
    """Return an image with bash and Python that the backend can run, or skip."""
    if real.name == "bubblewrap":
        return "host"
    if store.find("python") is None:
        pytest.skip("the image 'python' is not built; mend: icae images build python")
    return "python"


@pytest.fixture
def task() -> HiddenTask:
    return make_task()


@pytest.fixture
def submission() -> Submission:
    return make_submission()


@pytest.fixture
def fake() -> FakeBackend:
    return FakeBackend(doubling)
