"""Play a run in a directory: the whole of what ``icae run`` does, for programs."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Literal

from icae_env.errors import ConfigError
from icae_env.llm.prices import Prices, load_prices
from icae_env.rollout.budget import check_models
from icae_env.rollout.engine import Engine, LocalEngine
from icae_env.rollout.episode import Watcher
from icae_env.rollout.runner import Runner, RunResult, RunWatcher
from icae_env.rollout.store import RunConfig
from icae_env.rollout.writer import RunWriter

EngineName = Literal["local", "ray"]


def play_run(
    config: RunConfig,
    folder: Path | str,
    *,
    resume: bool = False,
    engine: EngineName = "local",
    workers: int | None = None,
    retries: int = 2,
    prices: Prices | None = None,
    score_workers: int = 2,
    watcher: RunWatcher | None = None,
    steps: Watcher | None = None,
) -> RunResult:
    """Play a run, or what one in the same directory still lacks.

    Args:
        config: What to play; ``icae_env.rollout.plan.make_plan`` makes it.
        folder: The run directory.
        resume: Go on with the run that the directory holds; without one, begin it.
        engine: ``local``: threads of this process. ``ray``: Ray actors.
        workers: Episodes at the same time; None: as many as this machine has cores.
        retries: How often an episode that failed on the host's side is played again.
        prices: What models cost; None: the tables of this machine.
        score_workers: Sandboxes at the same time while one submission is scored.
        watcher: Sees the run.
        steps: Sees every step of every episode; only with the local engine.

    Returns:
        The rows of the episodes that are over, and what was not played.

    Raises:
        ConfigError: The directory or something of the configuration does not fit.
        InfraError: The directory cannot be written.
        MissingDependencyError: The engine's package is not installed.
    """
    prices = load_prices() if prices is None else prices
    workers = min(workers or os.cpu_count() or 1, len(config.episodes))
    check_models(config, prices)
    if engine == "ray" and steps is not None:
        raise ConfigError(
            "Steps cannot be watched with the engine 'ray'.", field="--watch", mend="use 'local'."
        )
    with (
        closing(RunWriter(Path(folder), config, resume=resume)) as writer,
        closing(_engine(engine, workers, steps)) as player,
    ):
        return Runner(
            writer, player, workers=workers, retries=retries, prices=prices, score_workers=score_workers,
            watcher=watcher,
        ).run()  # fmt: skip


def _engine(name: EngineName, workers: int, steps: Watcher | None) -> Engine:
    if name == "local":
        return LocalEngine(workers, steps)
    from icae_env.rollout.ray_engine import RayEngine  # noqa: PLC0415 - needs ray

    return RayEngine(workers)
