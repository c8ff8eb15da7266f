"""Episodes as coroutines: many on one event loop, their waiting done by a bounded pool of threads."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Self

import gymnasium

from icae_env.env.observations import Observation

THREADS = 32
"""Threads of the pool that all objects of a process share: so many calls run at the same time, and further ones wait."""

_Work = tuple["Future[Any]", Callable[[], Any]]


class AsyncICAEEnv:
    """One environment whose ``reset``, ``step`` and ``close`` are coroutines.

    Calls of one object are carried out one after another, in the order in which they came. A call that is cancelled before
    its turn is not carried out. One that runs already cannot be stopped: it goes on in its thread and counts (an action costs
    its step), its result is lost, and the next call waits for it. ``close`` is carried out however its caller ends.

        async with AsyncICAEEnv(icae_env.make_env("bracex")) as env:
            observation, info = await env.reset(seed=0)

    Args:
        env: The environment, which is then this object's to call and to close; its wrappers are kept.
        pool: Threads that carry out the calls, and stay their owner's to shut down, after the objects that use them are
            closed; None: those that all objects of the process share, at most ``THREADS``.
    """

    def __init__(self, env: gymnasium.Env[Observation, Any], pool: Executor | None = None) -> None:
        self.env = env
        """The environment itself; while a call runs, only its result says what it is like."""
        self._turns = _Turns(pool)

    async def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, as the environment's ``reset`` does, with its arguments, results and errors."""
        began: tuple[Observation, dict[str, Any]] = await self._call(
            partial(self.env.reset, seed=seed, options=options)
        )
        return began

    async def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out one action, as the environment's ``step`` does, with its arguments, results and errors."""
        stepped: tuple[Observation, float, bool, bool, dict[str, Any]] = await self._call(
            partial(self.env.step, action)
        )
        return stepped

    async def close(self) -> None:
        """Drop the calls that wait, let the one that runs end, and close the environment; a second call does nothing."""
        self._turns.drop_waiting()
        await asyncio.wrap_future(self._turns.add(self.env.close, certain=True))

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close it."""
        await self.close()

    async def _call(self, work: Callable[[], Any]) -> Any:
        return await asyncio.wrap_future(self._turns.add(work))


class _Turns:
    """Carry out one object's calls one after another, without a thread that waits for its turn.

    Args:
        pool: Where; None: the pool that the process shares.
    """

    def __init__(self, pool: Executor | None) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._waiting: deque[_Work] = deque()
        self._busy = False

    def add(self, work: Callable[[], Any], *, certain: bool = False) -> Future[Any]:
        """Let a call be carried out after those before it.

        Args:
            work: The call.
            certain: Whether it cannot be taken back; else cancelling the future does so while it waits.

        Raises:
            RuntimeError: The pool was shut down.
        """
        future: Future[Any] = Future()
        if certain:
            future.set_running_or_notify_cancel()
        with self._lock:
            if not self._busy:
                (self._pool or _shared_pool()).submit(self._carry_out)
                self._busy = True
            self._waiting.append((future, work))
        return future

    def drop_waiting(self) -> None:
        """Cancel what has not begun."""
        with self._lock:
            dropped = list(self._waiting)
        for future, _ in dropped:
            future.cancel()

    def _carry_out(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._busy = False
                    return
                future, work = self._waiting.popleft()
            if not future.running() and not future.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - it is the caller's, whatever it is
                future.set_exception(error)
            else:
                future.set_result(result)
            del future, work  # an observation must not live on until the next call


_made: tuple[int, ThreadPoolExecutor] | None = None
_made_lock = threading.Lock()


def _shared_pool() -> ThreadPoolExecutor:
    """Return the pool of this process; a forked child has none of its parent's threads, so it gets its own."""
    global _made  # noqa: PLW0603 - one for each process
    with _made_lock:
        if _made is None or _made[0] != os.getpid():
            _made = (os.getpid(), ThreadPoolExecutor(THREADS, thread_name_prefix="icae-async"))
        return _made[1]
