"""Fixtures of the evaluation tests: the doubling task, and each real sandbox that works on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from double_task import doubling, make_submission, make_task
from real_sandboxes import EACH, image_or_skip, open_or_skip

from icae_env.evaluation.submission import Submission
from icae_env.sandbox.base import Backend
from icae_env.sandbox.fake import FakeBackend
from icae_env.tasks.models import HiddenTask


@pytest.fixture(scope="session", params=EACH)
def real(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Return a real backend, or skip with the reason why it does not work here."""
    backend = open_or_skip(request.param)
    yield backend
    backend.close()


@pytest.fixture
def image(real: Backend) -> str:
    """Return an image with bash and Python that the backend can run, or skip."""
    return "host" if real.name == "bubblewrap" else image_or_skip(real.name)


@pytest.fixture
def task() -> HiddenTask:
    return make_task()


@pytest.fixture
def submission() -> Submission:
    return make_submission()


@pytest.fixture
def fake() -> FakeBackend:
    return FakeBackend(doubling)
