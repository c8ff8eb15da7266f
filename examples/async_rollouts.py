"""Many episodes at once on one event loop, as a rollout server plays them.

    python examples/async_rollouts.py --episodes 64

Each episode is a coroutine: it waits for its policy and for its sandbox, and so holds up no other. The policy here asks some
questions at random, writes the program that their answers allow (``program_variants.py``) and hands in. To play a language model,
let ``Policy.choose`` await a request to it, and make its answer an action with ``icae_env.parse_action``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from dataclasses import asdict, dataclass
from typing import Any

from program_variants import QUESTIONS, program

import icae_env


@dataclass(frozen=True)
class Rollout:
    """How one episode came out."""

    number: int
    rewards: tuple[float, ...]
    """Of each step."""
    pass_rate: float | None
    """None: the host's side failed, and nothing was measured."""


class Policy:
    """Ask about a random half of the rules, write, hand in.

    Args:
        seed: Seeds the choice.
    """

    def __init__(self, seed: int) -> None:
        chosen = random.Random(seed)
        told = [rule for rule in QUESTIONS if chosen.random() < 0.5]
        asked = [{"type": "ask_user", "question": QUESTIONS[rule]} for rule in told]
        self._actions: list[dict[str, Any]] = [*asked, program(told), {"type": "submit"}]

    async def choose(self, observation: Any) -> dict[str, Any]:
        """Return the next action; a model would be awaited here, with ``observation["text"]`` for it to read."""
        del observation
        return self._actions.pop(0)


async def roll_out(number: int, settings: dict[str, Any]) -> Rollout:
    """Play one episode; its sandbox is gone afterwards, also when this coroutine is cancelled."""
    policy, rewards, over = Policy(number), [], False
    async with icae_env.AsyncICAEEnv(icae_env.make_env(**settings)) as env:
        try:
            observation, info = await env.reset(seed=number)
            while not over:
                action = await policy.choose(observation)
                observation, reward, terminated, truncated, info = await env.step(action)
                rewards.append(reward)
                over = terminated or truncated
        except icae_env.InfraError:
            return Rollout(
                number, tuple(rewards), None
            )  # never a reward of 0: leave it out, or play it again
    return Rollout(number, tuple(rewards), info["report"].reward)


async def roll_out_all(count: int, settings: dict[str, Any]) -> list[Rollout]:
    """Play all episodes at once, and tell of each as it ends."""
    ended = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(roll_out(number, settings)) for number in range(count)]
        for task in asyncio.as_completed(tasks):
            ended.append(await task)
            print(json.dumps(asdict(ended[-1])), flush=True)
    return ended


def main() -> None:
    """Play as the command line says: a JSON line for each episode, then one for all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", type=int, default=64)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--image", default="auto")
    args = parser.parse_args()
    settings = {
        "task": "bracex", "level": "L1", "sandbox": args.sandbox, "image": args.image, "workers": 1,
        "reward": {"overall": 1.0, "new_record": 1.0},
    }  # fmt: skip
    begun = time.monotonic()
    ended = asyncio.run(roll_out_all(args.episodes, settings))
    measured = [rollout.pass_rate for rollout in ended if rollout.pass_rate is not None]
    total = {
        "episodes": len(ended),
        "measured": len(measured),
        "mean_pass_rate": sum(measured) / len(measured) if measured else None,
        "steps": sum(len(rollout.rewards) for rollout in ended),
        "seconds": time.monotonic() - begun,
    }
    print(json.dumps(total))


if __name__ == "__main__":
    main()
