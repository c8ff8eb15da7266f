"""REINFORCE on a toy policy over ``gymnasium.make_vec``: no GPU, no weights, minutes on two cores.

    python examples/policy_gradient.py

The policy chooses among eight written actions: ask one of six questions, write the program, hand in. The program knows the rules
that were asked for and guesses the others (``program_variants.py``), so it pays to ask first, to write then, and to hand in at
last; one of the questions is about nothing. What is learnt is that order, by rewards of the environment alone: a bonus for each
record that a question brings to light, and the pass rate of the hidden cases at the end.

It says nothing about language models. A policy that is one takes the place of ``Softmax``; the loop stays.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from program_variants import QUESTIONS, program

import icae_env

Vector = npt.NDArray[np.float64]
RULES = tuple(QUESTIONS)
ACTIONS = (*RULES, "write", "submit")
REWARD = {"overall": 1.0, "new_record": 1.0}
STEPS = 12
"""Limit of an episode. One that reaches it is scored as it stands."""


class Softmax:
    """A linear softmax policy over ``ACTIONS``; its input says which of them were taken, and holds a constant.

    Args:
        seed: Seeds what it draws.
    """

    def __init__(self, seed: int) -> None:
        self.weights: Vector = np.zeros((len(ACTIONS), len(ACTIONS) + 1))
        self._random = np.random.default_rng(seed)

    def draw(self, taken: Vector) -> tuple[int, Vector]:
        """Return an action, and the gradient of the logarithm of its probability."""
        seen = np.append(taken, 1.0)
        scores = self.weights @ seen
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        chosen = int(self._random.choice(len(ACTIONS), p=chances))
        return chosen, np.outer(np.eye(len(ACTIONS))[chosen] - chances, seen)


@dataclass
class Episode:
    """What one environment has done since its last reset."""

    taken: Vector = field(default_factory=lambda: np.zeros(len(ACTIONS)))
    gradients: list[Vector] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    pass_rate: float = 0.0

    def act(self, policy: Softmax) -> dict[str, Any]:
        """Draw an action and return what the environment is to do."""
        chosen, gradient = policy.draw(self.taken)
        self.gradients.append(gradient)
        told = [rule for rule, done in zip(RULES, self.taken, strict=False) if done]
        self.taken[chosen] = 1.0
        name = ACTIONS[chosen]
        if name in QUESTIONS:
            return {"type": "ask_user", "question": QUESTIONS[name]}
        return program(told) if name == "write" else {"type": "submit"}

    def to_go(self) -> Vector:
        """Return the sum of the rewards from each step on."""
        return np.cumsum(self.rewards[::-1])[::-1]


class Collector:
    """Play episodes side by side; an environment that is done begins its next one in the following step.

    Args:
        envs: The vector environment (autoreset in the next step, gymnasium's default).
        seed: Seeds the environments.
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv[Any, Any, Any], seed: int) -> None:
        self._envs = envs
        self._running: list[Episode | None] = [Episode() for _ in range(envs.num_envs)]
        envs.reset(seed=seed)

    def collect(self, policy: Softmax, count: int) -> list[Episode]:
        """Return at least so many finished episodes; those that are not finished go on in the next call."""
        finished: list[Episode] = []
        while len(finished) < count:
            # The action of an environment that resets in this step is not carried out.
            actions = tuple(
                {"type": "submit"} if episode is None else episode.act(policy) for episode in self._running
            )
            _, rewards, terminated, truncated, infos = self._envs.step(actions)
            for index, episode in enumerate(self._running):
                if episode is None:
                    self._running[index] = Episode()
                    continue
                episode.rewards.append(float(rewards[index]))
                if terminated[index] or truncated[index]:
                    episode.pass_rate = float(infos["report"][index].reward)
                    finished.append(episode)
                    self._running[index] = None
        return finished


class Baseline:
    """The mean of what was still to come, for each step of an episode: a running mean over iterations."""

    def __init__(self) -> None:
        self._means: Vector = np.zeros(STEPS)
        self._known = np.zeros(STEPS, dtype=bool)

    def advantages(self, episodes: list[Episode]) -> list[Vector]:
        """Return how much better than before each step went."""
        for step in range(STEPS):
            seen = [episode.to_go()[step] for episode in episodes if len(episode.rewards) > step]
            if seen:
                keep = 0.8 if self._known[step] else 0.0
                self._means[step] = keep * self._means[step] + (1 - keep) * float(np.mean(seen))
                self._known[step] = True
        return [episode.to_go() - self._means[: len(episode.rewards)] for episode in episodes]


def update(policy: Softmax, baseline: Baseline, episodes: list[Episode], rate: float) -> None:
    """Climb the policy gradient by one step."""
    gradient = np.zeros_like(policy.weights)
    for episode, advantages in zip(episodes, baseline.advantages(episodes), strict=True):
        for step, advantage in zip(episode.gradients, advantages, strict=True):
            gradient += advantage * step
    policy.weights += rate * gradient / len(episodes)


def train(args: argparse.Namespace) -> list[dict[str, float]]:
    """Train, print a line for each iteration, and return the curve."""
    envs = gymnasium.make_vec(
        icae_env.ENV_ID, num_envs=args.envs, task="bracex", level="L1", sandbox=args.sandbox, image=args.image,
        reward=REWARD, steps=STEPS,
    )  # fmt: skip
    policy, baseline, curve, begun = Softmax(args.seed), Baseline(), [], time.monotonic()
    try:
        collector = Collector(envs, args.seed)
        for iteration in range(args.iterations):
            episodes = collector.collect(policy, args.episodes)
            update(policy, baseline, episodes, args.rate)
            point = {
                "iteration": iteration,
                "return": float(np.mean([sum(episode.rewards) for episode in episodes])),
                "pass_rate": float(np.mean([episode.pass_rate for episode in episodes])),
                "rules_asked": float(
                    np.mean([episode.taken[: len(RULES) - 1].sum() for episode in episodes])
                ),
                "steps": float(np.mean([len(episode.rewards) for episode in episodes])),
                "seconds": time.monotonic() - begun,
            }
            curve.append(point)
            print("  ".join(f"{name} {value:.6g}" for name, value in point.items()), flush=True)
    finally:
        envs.close()
    return curve


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--episodes", type=int, default=16, help="at least so many for one update")
    parser.add_argument("--envs", type=int, default=8, help="environments side by side")
    parser.add_argument("--rate", type=float, default=2.0, help="step along the gradient")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--image", default="auto")
    parser.add_argument("--out", type=Path, help="file for the curve, as JSON")
    args = parser.parse_args()
    curve = train(args)
    if args.out is not None:
        args.out.write_text(json.dumps(curve, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
