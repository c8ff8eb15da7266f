"""Put a reference program into a sandbox in which an oracle task begins: its documentation and ``./executable``."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Protocol

from icae_env.errors import ConfigError, InfraError
from icae_env.oracle.client import client
from icae_env.oracle.probes import ProbeLog
from icae_env.oracle.reference import EXECUTABLE, Reference, install_reference
from icae_env.oracle.server import SOCKET, ReferenceServer
from icae_env.sandbox.base import WORKSPACE, Backend, Limits, Sandbox
from icae_env.tasks.models import TaskSpec

DOCS = "docs"
"""Folder of the documentation in the workspace."""
SPARE = SOCKET.parent / EXECUTABLE
"""A second copy of the client: the agent's own program takes the place of the first when it is compiled."""
_PROCESSES = 128


class Serving(Protocol):
    """A reference program that is being served."""

    def check(self) -> None:
        """Wait until what has ended is noted.

        Raises:
            SandboxError: It cannot be served any more, and not by the agent's doing.
        """
        ...

    def close(self) -> None:
        """End serving it; a second call does nothing."""
        ...


def furnish(spec: TaskSpec, folder: Path, backend: Backend, sandbox: Sandbox, log: ProbeLog) -> Serving:
    """Put the reference of a task into a started sandbox and serve it.

    Args:
        spec: The task.
        folder: Its folder.
        backend: What has made the sandbox.
        sandbox: The sandbox.
        log: Where calls are noted.

    Raises:
        ConfigError: The task's reference cannot be served.
        InfraError: It cannot be installed or started; nothing is left of it.
    """
    reference = install_reference(folder, backend, sandbox.config.image)
    return serve_reference(spec, reference, backend, sandbox, log)


def serve_reference(
    spec: TaskSpec, reference: Reference, backend: Backend, sandbox: Sandbox, log: ProbeLog
) -> Serving:
    """Put a reference that is at hand into a started sandbox and serve it (see ``furnish``)."""
    oracle = spec.oracle
    assert oracle is not None
    _check_native(reference)
    limits = sandbox.config.limits
    server = ReferenceServer(
        backend, sandbox, reference, log, seconds=spec.limits.command_seconds, terminal_seconds=spec.limits.seconds,
        limits=Limits(**{**limits.model_dump(), "processes": min(limits.processes, _PROCESSES)}),
        interactive=oracle.interactive,
    )  # fmt: skip
    program = client(backend)
    server.start()
    try:
        _place(sandbox, reference, program)
    except BaseException:
        server.close()
        raise
    return server


def _place(sandbox: Sandbox, reference: Reference, program: bytes) -> None:
    try:
        for path, (content, mode) in reference.docs.items():
            sandbox.files.write(WORKSPACE / DOCS / path, content, mode=mode & 0o755 | 0o644)
        for place in (WORKSPACE / EXECUTABLE, PurePosixPath(SPARE)):
            sandbox.files.write(place, program, mode=0o755)
    except OSError as error:
        raise InfraError(f"The documentation does not fit into the sandbox: {error}.") from error


def _check_native(reference: Reference) -> None:
    if not reference.program[EXECUTABLE][0].startswith(b"\x7fELF"):
        raise ConfigError(
            "The reference program is a script. Whoever may run one may read it, so it is not served.",
            field="program/executable", mend="take a compiled program.",
        )  # fmt: skip
