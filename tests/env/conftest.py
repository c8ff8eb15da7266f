from collections.abc import Callable

import pytest
from fake_env import TASK, commands, replay

from icae_env.env.env import ICAEEnv
from icae_env.factory import make_env
from icae_env.sandbox.fake import FakeBackend


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend(replay, commands=commands)


@pytest.fixture
def make(backend: FakeBackend) -> Callable[..., ICAEEnv]:
    made = []

    def factory(**kwargs):
        env = make_env(**{"task": TASK, "sandbox": backend, "image": "host", **kwargs})
        made.append(env)
        return env

    yield factory
    for env in made:
        env.close()
    assert not backend.live
