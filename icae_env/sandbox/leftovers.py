"""Clear what killed processes left: containers and folders of builds."""

from __future__ import annotations

import os
from collections.abc import Iterator

from icae_env.sandbox.images import dockerbuild, owner, store


def reap() -> tuple[str, ...]:
    """Remove what killed processes left behind and name each thing removed.

    Containers whose owner is dead, and folders of builds whose builder is dead. What belongs to a live process stays.
    """
    folders = [str(folder) for kept in store.stores() for folder in kept.reap()]
    return (*_containers(), *folders)


def _containers() -> Iterator[str]:
    host = os.environ.get("DOCKER_HOST", "")
    # On another machine's daemon, an owner's number says nothing about this machine's processes.
    if (host and not host.startswith("unix://")) or dockerbuild.missing():
        return
    import docker  # noqa: PLC0415

    client = docker.from_env(timeout=60)
    try:
        for container in client.containers.list(
            all=True, filters={"label": owner.OWNER_LABEL}, ignore_removed=True
        ):
            if not owner.alive(container.labels[owner.OWNER_LABEL]):
                try:
                    container.remove(force=True, v=True)
                except docker.errors.NotFound:
                    continue
                yield f"container {container.name}"
    finally:
        client.close()
