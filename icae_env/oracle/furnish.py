"""Put a reference program into a sandbox in which an oracle task begins: its documentation and ``./executable``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Protocol

from icae_env.errors import ConfigError, InfraError
from icae_env.oracle.client import client
from icae_env.oracle.elf import is_compiled, needs_loader, without_loading
from icae_env.oracle.probes import ProbeLog
from icae_env.oracle.reference import EXECUTABLE, Reference, install_reference
from icae_env.oracle.server import SOCKET, ReferenceServer
from icae_env.sandbox.base import WORKSPACE, Backend, Limits, Sandbox
from icae_env.tasks.models import OracleSpec, TaskSpec

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
    if not is_compiled(reference.program[EXECUTABLE][0]):
        raise ConfigError(
            "The reference program is a script. Whoever may run one may read it, so it is not served.",
            field="program/executable", mend="take a compiled program.",
        )  # fmt: skip
    if oracle.mode == "direct":
        return _serve_directly(oracle, reference, backend, sandbox)
    limits = sandbox.config.limits
    server = ReferenceServer(
        backend, sandbox, reference, log, seconds=spec.limits.command_seconds, terminal_seconds=spec.limits.seconds,
        limits=Limits(**{**limits.model_dump(), "processes": min(limits.processes, _PROCESSES)}),
        interactive=oracle.interactive,
    )  # fmt: skip
    program = client(backend)
    server.start()
    try:
        _place(sandbox, {WORKSPACE / DOCS / path: entry for path, entry in reference.docs.items()})
        _place(sandbox, dict.fromkeys((WORKSPACE / EXECUTABLE, SPARE), (program, 0o755)))
    except BaseException:
        server.close()
        raise
    return server


class _Placed:
    """A program that needs no serving, for it lies in the sandbox itself."""

    def check(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing: it goes with the sandbox."""


def _serve_directly(oracle: OracleSpec, reference: Reference, backend: Backend, sandbox: Sandbox) -> Serving:
    """Place the program itself in the sandbox, with a link to it in the workspace."""
    if sandbox.config.tracing:
        raise ConfigError(
            "Who may trace a program can read it.",
            field="tracing",
            mend="make the sandbox with tracing=False.",
        )
    content, mode = reference.program[EXECUTABLE]
    if not needs_loader(content):
        content = without_loading(content)
    elif not oracle.allow_dynamic:
        raise ConfigError(
            "The reference program is linked dynamically: in the agent's own sandbox it can be read by its loader "
            "(LD_PRELOAD).", field="oracle.mode", mend="serve it by 'proxy', or link it statically.",
        )  # fmt: skip
    path = backend.place_program(sandbox, {**reference.program, EXECUTABLE: (content, mode)}, EXECUTABLE)
    _place(sandbox, {WORKSPACE / DOCS / name: entry for name, entry in reference.docs.items()})
    done = sandbox.run(["ln", "-s", str(path), str(WORKSPACE / EXECUTABLE)])
    if done.exit_code != 0:
        raise InfraError(f"The program cannot be linked to: {done.stderr.decode('utf-8', 'replace')}")
    return _Placed()


def _place(sandbox: Sandbox, files: Mapping[PurePosixPath, tuple[bytes, int]]) -> None:
    try:
        for path, (content, mode) in files.items():
            sandbox.files.write(path, content, mode=mode & 0o755 | 0o644)
    except OSError as error:
        raise InfraError(f"The documentation does not fit into the sandbox: {error}.") from error
