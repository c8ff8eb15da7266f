"""Rewards: what an agent gets for each step.

A reward has ``reset`` and ``__call__``; it goes by a name (registry, kind ``reward``) or by ``module:Class``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from icae_env import registry
from icae_env.env.outcome import AnyAction, End
from icae_env.env.wiring import Report
from icae_env.errors import ConfigError


@dataclass(frozen=True)
class StepView:
    """What a reward may look at after a step."""

    action: AnyAction
    end: End | None
    """Why the episode is over; None while it goes on."""
    report: Report | None
    """The score; None while the episode goes on."""
    new_records: int
    """Records of the User Agent revealed for the first time in this step."""
    public_rate: Callable[[], float]
    """Return the share of public cases that the workspace passes now. It costs a replay."""


@runtime_checkable
class Reward(Protocol):
    """Turn steps into numbers. One object serves one environment."""

    def reset(self) -> None:
        """Begin a new episode."""
        ...

    def __call__(self, view: StepView) -> float:
        """Return the reward of one step."""
        ...


class Overall:
    """The overall pass rate at the end, 0 before: (native + enhanced passed) / (native + enhanced cases)."""

    def reset(self) -> None:
        """Do nothing: nothing is kept between steps."""

    def __call__(self, view: StepView) -> float:
        """Return the pass rate on the last step."""
        return 0.0 if view.report is None or view.report.reward is None else float(view.report.reward)


class Resolved:
    """1 at the end when every case passed, else 0."""

    def reset(self) -> None:
        """Do nothing: nothing is kept between steps."""

    def __call__(self, view: StepView) -> float:
        """Return 1 on the last step of a fully solved task."""
        return float(view.report is not None and bool(view.report.resolved))


class PublicDelta:
    """The change of the pass rate on the public cases since the step before; the sum is the last rate.

    Every bash, edit and terminal step is followed by a replay of the public cases and takes so much longer.
    """

    def __init__(self) -> None:
        self._last = 0.0

    def reset(self) -> None:
        """Begin from a rate of 0: nothing has been written yet."""
        self._last = 0.0

    def __call__(self, view: StepView) -> float:
        """Return the new rate minus the last one."""
        if view.end is None and view.action.type not in ("bash", "edit", "terminal"):
            return 0.0
        rate = view.public_rate()
        delta, self._last = rate - self._last, rate
        return delta


class NewRecord:
    """A bonus for each record that a question reveals for the first time.

    Args:
        bonus: Reward of one record.
    """

    def __init__(self, bonus: float = 0.05) -> None:
        self.bonus = bonus

    def reset(self) -> None:
        """Do nothing: the conversation itself knows what is new."""

    def __call__(self, view: StepView) -> float:
        """Return the bonus times the number of new records."""
        return self.bonus * view.new_records


class WeightedSum:
    """The weighted sum of other rewards.

    Args:
        parts: (reward, weight) pairs.
    """

    def __init__(self, parts: tuple[tuple[Reward, float], ...]) -> None:
        self.parts = parts

    def reset(self) -> None:
        """Begin a new episode in every part."""
        for reward, _ in self.parts:
            reward.reset()

    def __call__(self, view: StepView) -> float:
        """Return the sum over the parts."""
        return sum(weight * reward(view) for reward, weight in self.parts)


RewardLike = str | Reward | Mapping[str, float]
"""A registered name or ``module:Class``, a reward, or a mapping from names to weights."""


def make_reward(reward: RewardLike) -> Reward:
    """Return the reward that a name, a mapping of weights or a reward stands for.

    Raises:
        UnknownNameError: A name is not registered.
        ConfigError: What it stands for is not a reward, or a mapping is empty.
    """
    if isinstance(reward, str):
        made = registry.resolve("reward", reward)()
    elif isinstance(reward, Mapping):
        if not reward:
            raise ConfigError("This sum of rewards is empty.", field="reward", mend="give {name: weight}.")
        made = WeightedSum(tuple((make_reward(name), float(weight)) for name, weight in reward.items()))
    else:
        made = reward
    if not isinstance(made, Reward):
        raise ConfigError(
            f"'{type(made).__name__}' is no reward.",
            field="reward",
            mend="give it reset() and __call__(view).",
        )
    return made
