"""Make sandboxes that are Docker containers."""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import ClassVar

from icae_env.errors import ConfigError, SandboxError, SandboxUnavailableError
from icae_env.sandbox.base import (
    HOME,
    MIB,
    WORKSPACE,
    Availability,
    Companion,
    Completed,
    ImageRef,
    Limits,
    Sandbox,
    SandboxConfig,
)
from icae_env.sandbox.docker import janitor
from icae_env.sandbox.docker.container import Container
from icae_env.sandbox.docker.engine import Engine
from icae_env.sandbox.docker.limits import HIDDEN, identity
from icae_env.sandbox.docker.pool import WarmPool
from icae_env.sandbox.docker.run import environment, run_in
from icae_env.sandbox.docker.sandbox import DockerSandbox
from icae_env.sandbox.docker.wipe import wipe
from icae_env.sandbox.images.owner import owner
from icae_env.sandbox.launch.client import launcher

POOL_VARIABLE = "ICAE_DOCKER_POOL"
_IDLE = 32
"""Wiped containers kept for ``run_fresh``."""


class DockerBackend:
    """Make Docker sandboxes. It connects to the daemon on first use."""

    name: ClassVar[str] = "docker"

    def __init__(self, pool: int | None = None) -> None:
        """Prepare nothing yet.

        Args:
            pool: Containers of each configuration to keep started; None takes $ICAE_DOCKER_POOL, else 0.

        Raises:
            ConfigError: It is not a number of containers.
        """
        self._pool = WarmPool(_pool_size() if pool is None else pool)
        self._engine: Engine | None = None
        self._images: dict[str, tuple[str, ImageRef]] = {}
        self._idle: dict[str, list[Container]] = {}
        self._lock = threading.Lock()

    def availability(self, image: str | None = None) -> Availability:
        """Start a container to see whether one can be started, commanded and reached here.

        Args:
            image: What to start; None takes an image that is built.
        """
        if sys.platform != "linux":
            return Availability(ok=False, detail="containers are reached through Linux's /proc.")
        try:
            engine = self._connect()
            name = image or _any_built_image()
            if name is None:
                return Availability(
                    ok=False,
                    detail="the daemon answers, but no image is built.",
                    mend="icae images build python",
                )
            _probe(self.create(SandboxConfig(image=name)))
            with engine.errors(SandboxError, "The daemon does not answer"):
                facts = engine.api.info()
        except SandboxUnavailableError as error:
            return Availability(ok=False, detail=error.reason, mend=error.mend)
        except (SandboxError, ConfigError) as error:
            return Availability(ok=False, detail=str(error), mend="icae doctor")
        limits = {
            "MemoryLimit": "memory",
            "SwapLimit": "swap (memory may exceed its limit by it)",
            "PidsLimit": "processes",
        }
        missing = tuple(
            f"{what}: the kernel gives Docker no such control"
            for key, what in limits.items()
            if not facts[key]
        )
        return Availability(ok=True, detail=f"Docker {facts['ServerVersion']}", unenforced=missing)

    def create(self, config: SandboxConfig) -> DockerSandbox:
        """Return a sandbox, not yet started; with a pool, warm ones of its kind are kept from now on.

        Raises:
            ConfigError: There is no such image.
            SandboxUnavailableError: Docker cannot be used here.
        """
        engine = self._connect()
        image, reference = self._image(engine, config.image)
        key = config.model_dump_json()

        def start() -> Container:
            return Container(engine, config, image)

        self._pool.expect(key, start)
        return DockerSandbox(config, reference, lambda: self._pool.take(key, start))

    def warm(self, config: SandboxConfig, timeout: float = 60.0) -> bool:
        """Fill the pool for a configuration and wait for it, at most ``timeout`` seconds; return whether it is full."""
        self.create(config)
        return self._pool.wait(config.model_dump_json(), timeout)

    def run_fresh(
        self,
        config: SandboxConfig,
        files: Mapping[str, tuple[bytes, int]],
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float = 60.0,
        output_limit: int = 4 * MIB,
    ) -> Completed:
        """Run one command in a sandbox without a past (see ``base.Backend.run_fresh``).

        Containers are used again after a full wipe where that is safe; see ``wipe.py``.
        """
        key = config.model_dump_json()
        with self._lock:
            idle = self._idle.setdefault(key, [])
            container = idle.pop() if idle else None
        if container is None:
            engine = self._connect()
            image, _ = self._image(engine, config.image)
            container = self._pool.take(key, lambda: Container(engine, config, image))
        reusable = False
        try:
            for path, (content, mode) in files.items():
                container.files.write(WORKSPACE / path, content, mode=mode)
            result = run_in(
                container, argv, stdin=stdin, env=environment(config), cwd=WORKSPACE, timeout=timeout,
                output_limit=output_limit,
            )  # fmt: skip
            reusable = wipe(container)
        finally:
            if not reusable or not self._keep(key, container):
                container.close()
        return result

    def create_beside(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str, limits: Limits
    ) -> Companion:
        """Return a companion of a running sandbox, not yet started (see ``base.Backend.create_beside``).

        Raises:
            SandboxUnavailableError: This process is not root, which alone may join a container's mounts.
        """
        from icae_env.sandbox.companion import SharedCompanion  # noqa: PLC0415 - few episodes need it

        assert isinstance(sandbox, DockerSandbox)
        return SharedCompanion(
            launcher(), sandbox.init, identity(), files, program=program, limits=limits, hidden=HIDDEN
        )

    def place_program(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str
    ) -> PurePosixPath:
        """Place a program in a running sandbox (see ``base.Backend.place_program``).

        Raises:
            SandboxUnavailableError: This process is not root, which alone may join a container's mounts.
        """
        from icae_env.sandbox.recipes import place_directly  # noqa: PLC0415

        assert isinstance(sandbox, DockerSandbox)
        return place_directly(launcher(), sandbox.init, identity(), files, program)

    def close(self) -> None:
        """Destroy warm and idle containers and close the connection; a later use connects again."""
        self._pool.close()
        with self._lock:
            engine, self._engine = self._engine, None
            idle = [container for containers in self._idle.values() for container in containers]
            self._idle.clear()
            self._images.clear()
        for container in idle:
            container.close()
        if engine is not None:
            engine.close()

    def _keep(self, key: str, container: Container) -> bool:
        with self._lock:
            idle = self._idle.setdefault(key, [])
            room = self._engine is container.engine and len(idle) < _IDLE
            if room:
                idle.append(container)
        return room

    def _connect(self) -> Engine:
        with self._lock:
            if self._engine is None:
                self._engine = Engine()
                remover = [
                    sys.executable,
                    "-I",
                    "-S",
                    "-B",
                    str(Path(janitor.__file__)),
                    "remove",
                    owner(),
                    self._engine.path,
                ]
                launcher().at_exit("docker", remover)
            return self._engine

    def _image(self, engine: Engine, name: str) -> tuple[str, ImageRef]:
        with self._lock:
            if name not in self._images:
                self._images[name] = engine.image(name)
            return self._images[name]


def _probe(sandbox: DockerSandbox) -> None:
    """Pass a word through a file and a command inside.

    Raises:
        SandboxError: It does not come back.
    """
    word = secrets.token_bytes(16)
    with sandbox:
        try:
            sandbox.files.write(HOME / "probe", word)
        except OSError as error:
            raise SandboxError(f"Files inside a container cannot be reached: {error}.") from error
        if sandbox.run(["cat", str(HOME / "probe")], timeout=20.0).stdout != word:
            raise SandboxError("A command inside a container does not see what is written from here.")


def _any_built_image() -> str | None:
    from icae_env.sandbox.images import store  # noqa: PLC0415

    names = {image.name for place in store.stores() for image in place.list()}
    return next((name for name in ("base", "python", *sorted(names)) if name in names), None)


def _pool_size() -> int:
    text = os.environ.get(POOL_VARIABLE, "0")
    if not text.isdigit() or int(text) > 1000:
        raise ConfigError(
            f"'{text}' is not a number of containers.", field=POOL_VARIABLE, mend="give 0 to 1000."
        )
    return int(text)
