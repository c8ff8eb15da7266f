"""Build a root file system with Docker from ``debian:bookworm-slim``, and give built images to Docker."""

from __future__ import annotations

import fcntl
import io
import os
import shlex
import socket
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

from icae_env.errors import SandboxError, SandboxUnavailableError
from icae_env.sandbox.images import rootfs, steps, tarstream
from icae_env.sandbox.images.definition import ImageDefinition
from icae_env.sandbox.images.mirror import INSIDE, Mirror
from icae_env.sandbox.images.owner import OWNER_LABEL, owner
from icae_env.sandbox.images.records import BuiltImage

if TYPE_CHECKING:
    from docker.models.containers import Container

BASE_IMAGE = "debian:bookworm-slim"
DIGEST_LABEL = "icae_env.digest"
SOCKET = Path("/var/run/docker.sock")
_MEND = "sudo apt-get install -y docker.io && sudo systemctl start docker"
_COMMAND = f"cd {INSIDE} && sh apt.sh && if [ -e {steps.SCRIPT} ]; then sh {steps.SCRIPT}; fi"
_TAIL = 15


def missing() -> tuple[str, str] | None:
    """Return what keeps Docker from building here and the command that mends it, or None."""
    host = os.environ.get("DOCKER_HOST", "")
    if not host or host.startswith("unix://"):
        path = host.removeprefix("unix://") or str(SOCKET)
        try:
            # Tried first, because the SDK leaves its sockets open when it fails.
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(10)
                link.connect(path)
        except PermissionError:
            return f"this user may not use {path}", 'sudo usermod -aG docker "$USER", then log in again'
        except OSError as error:
            return f"no Docker daemon answers ({error})", _MEND
    import docker  # noqa: PLC0415
    from docker.errors import DockerException  # noqa: PLC0415

    try:
        client = docker.from_env(timeout=10)
        try:
            client.ping()
        finally:
            client.close()
    except (DockerException, OSError) as error:
        return f"no Docker daemon answers ({error})", _MEND
    return None


def server_version() -> str:
    """Return the daemon's version. Call it only where ``missing`` finds nothing."""
    import docker  # noqa: PLC0415

    client = docker.from_env(timeout=10)
    try:
        return f"Docker {client.version()['Version']}"
    finally:
        client.close()


def build(
    image: ImageDefinition,
    mirror: Mirror,
    root: Path,
    progress: Callable[[str], None],
    *,
    base: str = BASE_IMAGE,
) -> None:
    """Fill an empty folder with the image's root file system.

    Args:
        image: A definition with all that it extends merged in.
        mirror: Where packages come from.
        root: The folder.
        progress: Called with each line the container reports, the mirror's values removed.
        base: The Docker image to start from; a Debian bookworm.

    Raises:
        SandboxUnavailableError: No daemon answers, or the base image cannot be had.
        SandboxError: A package or step failed; the last lines are quoted.
    """
    if problem := missing():
        raise SandboxUnavailableError("image builder docker", problem[0] + ".", mend=problem[1])
    import docker  # noqa: PLC0415
    from docker.errors import APIError, ImageNotFound  # noqa: PLC0415

    client = docker.from_env(timeout=600)
    try:
        try:
            client.images.get(base)
        except ImageNotFound:
            progress(f"pulling {base}")
            client.images.pull(base)
        # The host's network: a mirror or proxy may listen on the host's loopback, and nothing untrusted runs here.
        container = client.containers.create(
            base, ["sh", "-c", _COMMAND], network_mode="host", labels={OWNER_LABEL: owner()}
        )
        try:
            _fill(container, image, mirror, progress)
            rootfs.unpack(tarstream.Chunks(_exported(container)), root)
        finally:
            container.remove(force=True, v=True)
    except APIError as error:
        raise SandboxError(
            mirror.redact(f"Docker could not build the image '{image.name}': {error}.")
        ) from error
    finally:
        client.close()


def _fill(
    container: Container, image: ImageDefinition, mirror: Mirror, progress: Callable[[str], None]
) -> None:
    # Through files, not the environment: what a container is given there shows in "docker inspect".
    with tempfile.TemporaryDirectory(prefix="icae-build-") as scratch:
        folder = Path(scratch) / Path(INSIDE).name
        folder.mkdir()
        steps.write(image, mirror, folder)
        _write_apt(image, mirror, folder)
        container.put_archive(str(Path(INSIDE).parent), tarstream.packed(folder))
    container.start()
    tail: deque[str] = deque(maxlen=_TAIL)
    output = container.logs(stream=True, follow=True)
    with closing(output), io.BufferedReader(tarstream.Chunks(iter(output)), 1) as lines:
        for raw in lines:
            line = mirror.redact(raw.decode("utf-8", "replace").rstrip())
            tail.append(line)
            progress(line)
    if container.wait()["StatusCode"] != 0:
        raise SandboxError("The container's build failed:\n" + "\n".join(tail))


def _exported(container: Container) -> Iterator[bytes]:
    # The stubs take this stream of chunks for a text.
    return cast("Iterator[bytes]", container.export(chunk_size=1 << 20))


def _write_apt(image: ImageDefinition, mirror: Mirror, folder: Path) -> None:
    for name, content in mirror.files().items():
        if name == f"{INSIDE}/ca.pem":
            (folder / "ca.pem").write_bytes(content)
    options = "-o APT::Install-Recommends=false -o Acquire::Retries=3 -o Dpkg::Use-Pty=0"
    if (folder / "ca.pem").exists():
        options += f" -o Acquire::https::CAInfo={INSIDE}/ca.pem"
    if mirror.apt:
        (folder / "sources.list").write_text("".join(line + "\n" for line in mirror.apt), "utf-8")
        options += f" -o Dir::Etc::SourceList={INSIDE}/sources.list -o Dir::Etc::SourceParts=/dev/null"
    exports = [f"export {name}={shlex.quote(value)}" for name, value in mirror.proxies().items()]
    lines = [
        "set -eu", "umask 022", f"export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH={rootfs.EPOCH}",
        # No service may start in the container.
        "printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d", "chmod +x /usr/sbin/policy-rc.d",
        *exports, f"apt-get {options} update",
        f"apt-get {options} install -y {' '.join(sorted(image.packages))}", "rm -f /usr/sbin/policy-rc.d",
    ]  # fmt: skip
    (folder / "apt.sh").write_text("\n".join(lines) + "\n", "utf-8")


def docker_image(image: BuiltImage) -> str:
    """Return the tag under which Docker has this very root file system; it is imported once.

    Args:
        image: A built image.

    Raises:
        SandboxError: Docker did not take it.
    """
    import docker  # noqa: PLC0415
    from docker.errors import ImageNotFound  # noqa: PLC0415

    repository, version = f"icae_env/{image.name}", image.digest.removeprefix("sha256:")[:12]
    tag = f"{repository}:{version}"
    client = docker.from_env(timeout=600)

    def known() -> bool:
        try:
            return bool(client.images.get(tag).labels.get(DIGEST_LABEL) == image.digest)
        except ImageNotFound:
            return False

    held = os.open(image.rootfs.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if known():
            return tag
        # Of several processes that want the same image at once, one imports it.
        fcntl.flock(held, fcntl.LOCK_EX)
        if not known():
            changes = [f"LABEL {DIGEST_LABEL}={image.digest}"]
            with tarstream.sent(image.rootfs) as stream:
                answer = client.api.import_image_from_stream(stream, repository, version, changes)
            if not known():
                raise SandboxError(f"Docker did not take the image '{image.name}': {str(answer)[-500:]}")
        return tag
    finally:
        os.close(held)
        client.close()
