"""Run one command in a container to its end."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from icae_env.sandbox.base import BASE_ENV, Completed, SandboxConfig
from icae_env.sandbox.docker.container import Container
from icae_env.sandbox.docker.jobs import Job
from icae_env.sandbox.pipes import collect


def environment(config: SandboxConfig, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the whole environment of a command."""
    return {**BASE_ENV, **config.env, **(more or {})}


def run_in(
    container: Container,
    argv: Sequence[str],
    *,
    stdin: bytes,
    env: Mapping[str, str],
    cwd: PurePosixPath | str,
    timeout: float,
    output_limit: int,
) -> Completed:
    """Run one command in a container to its end.

    Raises:
        SandboxDiedError: The container is gone, and nothing inside was the cause.
    """
    if not container.alive():
        return Completed(exit_code=137, stderr=container.blame())
    started = container.spool.start(argv, env, str(cwd), stdin)
    job = Job(container, started)
    try:
        result = collect(
            job, *started.streams, timeout=timeout, output_limit=output_limit, kill=job.kill_tree
        )
    finally:
        job.close()
        for fd in started.streams:
            os.close(fd)
    if result.exit_code in (124, 137) and not container.alive():
        return result.model_copy(update={"exit_code": 137, "stderr": result.stderr + container.blame()})
    return result
