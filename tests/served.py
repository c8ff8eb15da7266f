"""A sandbox in which a reference is served, for the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from icae_env.oracle.furnish import Serving, serve_reference
from icae_env.oracle.probes import Probe, ProbeLog
from icae_env.oracle.reference import Reference
from icae_env.sandbox.base import Backend, Completed, Limits, Sandbox, SandboxConfig
from icae_env.tasks.models import OracleSpec, TaskLimits, TaskSource, TaskSpec

DOCS = {"README": (b"What it does.\n", 0o644)}


def oracle_task(*, seconds: float = 20.0, **oracle: object) -> TaskSpec:
    """Return the description of an oracle task."""
    return TaskSpec.model_validate(
        {
            "id": "probe", "title": "Probe", "kind": "oracle", "domain": "text", "language": "c", "image": "base",
            "protocol": "program", "limits": TaskLimits(command_seconds=seconds, seconds=120),
            "oracle": OracleSpec.model_validate(oracle),
            "source": TaskSource(registry="other", package="none", version="1", licence="MIT"),
        }
    )  # fmt: skip


@dataclass
class Served:
    """One sandbox with a served reference."""

    backend: Backend
    sandbox: Sandbox
    serving: Serving
    log: ProbeLog

    def run(self, script: str, *, stdin: bytes = b"", timeout: float = 30.0) -> Completed:
        """Run a bash script in the workspace, as the agent would."""
        return self.sandbox.run(["bash", "-c", script], stdin=stdin, timeout=timeout)

    def text(self, script: str, *, stdin: bytes = b"") -> str:
        """Return what a script prints."""
        done = self.run(script, stdin=stdin)
        assert not done.timed_out, done
        return (done.stdout + done.stderr).decode(errors="replace")

    def probes(self) -> tuple[Probe, ...]:
        """Return the calls that have ended."""
        self.serving.check()
        return self.log.probes


@contextmanager
def served(
    backend: Backend, image: str, program: bytes, *, spec: TaskSpec | None = None, **limits: int
) -> Iterator[Served]:
    """Serve a program in a sandbox of its own."""
    task = spec or oracle_task()
    assert task.oracle is not None
    config = SandboxConfig(image=image, limits=Limits(**limits), tracing=task.oracle.mode == "proxy")
    log = ProbeLog()
    reference = Reference(program={"executable": (program, 0o755)}, docs=DOCS)
    with backend.create(config) as sandbox:
        serving = serve_reference(task, reference, backend, sandbox, log)
        try:
            yield Served(backend, sandbox, serving, log)
        finally:
            serving.close()
