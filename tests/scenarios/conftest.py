"""Each scenario runs on each sandbox, through ``icae_env.make_env``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from real_sandboxes import EACH, place_or_skip
from scenario_tools import TASK, Play

import icae_env


@pytest.fixture(scope="session", params=EACH)
def where(request: pytest.FixtureRequest) -> dict[str, str]:
    """The sandbox and the image to run on."""
    return place_or_skip(request.param)


@pytest.fixture
def begin(where: dict[str, str]) -> Iterator[Callable[..., Play]]:
    """Begin an episode with the given keyword arguments of ``make_env``; it is closed at the end."""
    made = []

    def start(**kwargs: object) -> Play:
        env = icae_env.make_env(**{"task": TASK, **where, **kwargs})
        made.append(env)
        return Play(env)

    yield start
    for env in made:
        env.close()


@pytest.fixture
def play(begin: Callable[..., Play]) -> Play:
    """A running episode whose commands may take 20 s and which survives many restarts."""
    return begin(command_seconds=20, restarts=100)


@pytest.fixture
def hasty(begin: Callable[..., Play]) -> Play:
    """A running episode whose commands may take 0.5 s and which survives many restarts."""
    return begin(command_seconds=0.5, restarts=100)
