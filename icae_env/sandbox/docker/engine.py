"""The Docker daemon: one connection, the images it has, and its errors as this package's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from icae_env.errors import (
    ConfigError,
    SandboxDiedError,
    SandboxError,
    SandboxStartError,
    SandboxUnavailableError,
)
from icae_env.sandbox.base import ImageRef, SandboxConfig
from icae_env.sandbox.docker import janitor
from icae_env.sandbox.docker.limits import host_config
from icae_env.sandbox.docker.spool import init_command
from icae_env.sandbox.images.owner import OWNER_LABEL, owner

if TYPE_CHECKING:
    from docker import APIClient

_START_DAEMON = "sudo systemctl start docker"


class Engine:
    """A connection to the local daemon; safe to use from many threads."""

    def __init__(self, timeout: int = 60) -> None:
        """Connect.

        Args:
            timeout: Seconds for one call.

        Raises:
            SandboxUnavailableError: The SDK is missing, the daemon is remote, not running or closed to this user.
        """
        path = janitor.socket_path()
        if path is None:
            raise SandboxUnavailableError(
                "docker", f"DOCKER_HOST={os.environ['DOCKER_HOST']} names a remote daemon; its containers' files and"
                " processes cannot be reached from here.", mend="unset DOCKER_HOST",
            )  # fmt: skip
        try:
            import docker  # noqa: PLC0415 - imported on first use
        except ImportError as error:
            raise SandboxUnavailableError(
                "docker", "the package 'docker' is not installed.", mend="pip install docker"
            ) from error
        if not os.path.exists(path):  # noqa: PTH110
            raise SandboxUnavailableError("docker", f"there is no daemon socket {path}.", mend=_START_DAEMON)
        if not os.access(path, os.R_OK | os.W_OK):
            raise SandboxUnavailableError(
                "docker",
                f"this user may not use {path}.",
                mend='sudo usermod -aG docker "$USER", then log in again',
            )
        self.path = path
        try:
            # Asked for first, because the SDK leaves its sockets open when it fails.
            version = janitor.daemon_version(path)
        except OSError as error:
            raise SandboxUnavailableError(
                "docker", f"no daemon answers on {path}.", mend=_START_DAEMON
            ) from error
        self.api: APIClient = docker.APIClient(base_url=f"unix://{path}", version=version, timeout=timeout)

    def close(self) -> None:
        """Close the connections."""
        self.api.close()

    def image(self, name: str) -> tuple[str, ImageRef]:
        """Return what the daemon knows an image by, and its reference.

        Args:
            name: Name of a built image, or an image of the daemon's own (``debian:bookworm-slim``).

        Raises:
            ConfigError: There is no such image, or it is the host image, which Docker cannot run.
        """
        if name == "host":
            raise ConfigError(
                "The image 'host' is this machine's own file system, which Docker cannot run on.",
                field="image", mend="icae images build python, then image python.",
            )  # fmt: skip
        from icae_env.sandbox.images import store  # noqa: PLC0415

        if built := store.find(name):
            from icae_env.sandbox.images.dockerbuild import docker_image  # noqa: PLC0415

            with self.errors(SandboxStartError, f"The image '{name}' could not be given to Docker"):
                return docker_image(built), built.ref
        import docker  # noqa: PLC0415

        try:
            found = self.api.inspect_image(name)  # type: ignore[no-untyped-call]
        except docker.errors.APIError as error:
            raise ConfigError(
                f"There is no image '{name}', neither built nor in Docker.", field="image",
                mend=f"icae images build {name}",
            ) from error  # fmt: skip
        return found["Id"], ImageRef(name=name, digest=found["Id"])

    def create(self, config: SandboxConfig, image: str) -> str:
        """Create a container that is not started, and return its id."""
        root = os.geteuid() == 0
        command = init_command()
        with self.errors(SandboxStartError, "Docker could not create a container"):
            made = self.api.create_container(
                image, entrypoint=command[:1], command=command[1:], working_dir="/", hostname="sandbox",
                user="0:0" if root else f"{os.geteuid()}:{os.getegid()}", labels={OWNER_LABEL: owner()},
                host_config=self.api.create_host_config(**host_config(config)),
            )  # fmt: skip
        return cast("str", made["Id"])

    def state(self, container: str) -> dict[str, Any] | None:
        """Return a container's state, or None when there is no such container.

        Raises:
            SandboxDiedError: The daemon does not answer.
        """
        import docker  # noqa: PLC0415

        with self.errors(SandboxDiedError, "The Docker daemon does not answer"):
            try:
                return cast("dict[str, Any]", self.api.inspect_container(container)["State"])
            except docker.errors.NotFound:
                return None

    def remove(self, container: str) -> None:
        """Kill and remove a container; one that is gone is no error."""
        import docker  # noqa: PLC0415

        with self.errors(SandboxError, "Docker could not remove a container"):
            try:
                self.api.remove_container(container, force=True, v=True)
            except docker.errors.NotFound:
                pass
            except docker.errors.APIError as error:
                if error.status_code != 409:  # somebody else is removing it
                    raise

    @contextmanager
    def errors(self, kind: type[SandboxError], what: str) -> Iterator[None]:
        """Turn errors of the SDK and of the connection into one of ours."""
        import docker  # noqa: PLC0415
        import requests  # noqa: PLC0415

        try:
            yield
        except docker.errors.APIError as error:
            raise kind(f"{what}: {error.explanation or error}.") from error
        except (docker.errors.DockerException, requests.RequestException) as error:
            raise kind(f"{what}: {error}.") from error
