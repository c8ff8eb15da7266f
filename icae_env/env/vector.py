"""A vector environment over threads: each step waits for sandboxes, not for Python, so threads are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import concatenate, iterate

Transition = tuple[Any, float, bool, bool, dict[str, Any]]


class ThreadVectorEnv(SyncVectorEnv[Any, Any]):
    """Step environments side by side in one process, each in a thread of its own.

    Observations, infos and automatic resets are as in gymnasium's ``SyncVectorEnv``. When an environment
    raises, the others finish their step before the first error is raised; that environment's episode is lost.

    Args:
        env_fns: Functions that make the environments.
        copy: Whether returned observations are copies.
        autoreset_mode: When an environment that is done is reset.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], gymnasium.Env[Any, Any]]],
        copy: bool = True,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        super().__init__(env_fns, copy=copy, autoreset_mode=autoreset_mode)
        self._pool = ThreadPoolExecutor(max_workers=self.num_envs, thread_name_prefix="icae-env")

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Reset the environments at the same time.

        Args:
            seed: One seed (the environments get it plus their position), one for each, or None.
            options: For each environment; ``reset_mask`` (bool, shape (num_envs,)) picks some of them.
        """
        seeds = _seeds(seed, self.num_envs)
        given = dict(options) if options is not None else None
        mask = _mask(given.pop("reset_mask", None) if given else None, self.num_envs)
        jobs = {
            index: self._pool.submit(self.envs[index].reset, seed=seeds[index], options=given)
            for index in map(int, np.flatnonzero(mask))
        }
        infos: dict[str, Any] = {}
        for index, (obs, info) in _gather(jobs).items():
            self._env_obs[index] = obs
            infos = self._add_info(infos, info, index)
        for flags in (self._terminations, self._truncations, self._autoreset_envs):
            flags[mask] = False
        return self._batch(), infos

    def step(
        self, actions: Any
    ) -> tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Step the environments at the same time.

        Args:
            actions: One action for each environment.

        Raises:
            ValueError: There are more or fewer actions than environments.
        """
        given = list(iterate(self.action_space, actions))
        if len(given) != self.num_envs:
            raise ValueError(f"There are {self.num_envs} environments but {len(given)} actions.")
        jobs = {index: self._pool.submit(self._step_one, index, action) for index, action in enumerate(given)}
        infos: dict[str, Any] = {}
        for index, (obs, reward, terminated, truncated, info) in _gather(jobs).items():
            self._env_obs[index] = obs
            self._rewards[index] = reward
            self._terminations[index], self._truncations[index] = terminated, truncated
            infos = self._add_info(infos, info, index)
        self._autoreset_envs = np.logical_or(self._terminations, self._truncations)
        flags = (np.copy(self._terminations), np.copy(self._truncations))
        return self._batch(), np.copy(self._rewards), *flags, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environments and end the threads."""
        super().close_extras(**kwargs)
        self._pool.shutdown()

    def _step_one(self, index: int, action: Any) -> Transition:
        env = self.envs[index]
        if self._autoreset_envs[index] and self.autoreset_mode == AutoresetMode.NEXT_STEP:
            obs, info = env.reset()
            return obs, 0.0, False, False, info
        obs, reward, terminated, truncated, info = env.step(action)
        if (terminated or truncated) and self.autoreset_mode == AutoresetMode.SAME_STEP:
            final = {"final_obs": obs, "final_info": info}
            obs, info = env.reset()
            info = {**final, **info}
        return obs, float(reward), terminated, truncated, info

    def _batch(self) -> Any:
        self._observations = concatenate(self.single_observation_space, self._env_obs, self._observations)
        return deepcopy(self._observations) if self.copy else self._observations


def _gather(jobs: dict[int, Future[Any]]) -> dict[int, Any]:
    """Wait for all jobs, then return their results by position, or raise the first error."""
    errors = [error for job in jobs.values() if (error := job.exception()) is not None]
    if errors:
        raise errors[0]
    return {index: job.result() for index, job in jobs.items()}


def _seeds(seed: int | list[int | None] | None, count: int) -> list[int | None]:
    if seed is None:
        return [None] * count
    if isinstance(seed, int):
        return [seed + index for index in range(count)]
    if len(seed) != count:
        raise ValueError(f"There are {count} environments but {len(seed)} seeds.")
    return list(seed)


def _mask(mask: Any, count: int) -> npt.NDArray[np.bool_]:
    if mask is None:
        return np.ones(count, dtype=np.bool_)
    if not isinstance(mask, np.ndarray) or mask.shape != (count,) or mask.dtype != np.bool_ or not mask.any():
        raise ValueError(f"options['reset_mask'] must be a bool array of shape ({count},) with one True.")
    return mask
