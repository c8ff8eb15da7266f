"""The sandbox contract as checks that the author of any backend can run.

With pytest, in a test module of your own::

    @pytest.fixture(scope="module")
    def backend():
        backend = MyBackend()
        yield backend
        backend.close()

    class TestMine(SandboxConformance):
        image = "python"

        @pytest.fixture
        def sandbox(self, backend):
            with backend.create(self.config()) as sandbox:
                yield sandbox

or without it: ``failures(MyBackend(), image="python")``. The image needs bash, coreutils and grep. pytest shows the values in a
failed check after ``pytest.register_assert_rewrite("icae_env.sandbox.conformance")`` in a conftest.
"""

from __future__ import annotations

import contextlib
import inspect
import traceback
from collections.abc import Iterator

from icae_env.sandbox.base import Backend
from icae_env.sandbox.conformance.commands import CommandChecks
from icae_env.sandbox.conformance.companions import CompanionChecks
from icae_env.sandbox.conformance.environment import EnvironmentChecks
from icae_env.sandbox.conformance.files import FileChecks
from icae_env.sandbox.conformance.isolation import IsolationChecks
from icae_env.sandbox.conformance.lifecycle import LifecycleChecks
from icae_env.sandbox.conformance.limits import LimitChecks
from icae_env.sandbox.conformance.links import LinkChecks
from icae_env.sandbox.conformance.terminals import TerminalChecks

__all__ = ["SandboxConformance", "failures", "names"]


class SandboxConformance(
    CommandChecks,
    EnvironmentChecks,
    FileChecks,
    LinkChecks,
    TerminalChecks,
    IsolationChecks,
    LimitChecks,
    LifecycleChecks,
    CompanionChecks,
):
    """Every check. A check takes a ``backend``, and most take a ``sandbox`` of it that is started and fresh."""


def names() -> list[str]:
    """Return the names of all checks."""
    return [
        name
        for name, _ in inspect.getmembers(SandboxConformance, inspect.isfunction)
        if name.startswith("test_")
    ]


def failures(backend: Backend, image: str, only: str = "") -> Iterator[tuple[str, str]]:
    """Run the checks without pytest and yield (name, what went wrong) for each that fails.

    Args:
        backend: What to check.
        image: The image to check it with.
        only: Run only checks whose name holds this.

    Raises:
        InfraError: The backend cannot start a sandbox at all.
    """
    checks = SandboxConformance()
    checks.image = image
    for name in names():
        if only not in name:
            continue
        check = getattr(checks, name)
        try:
            wanted = inspect.signature(check).parameters
            with contextlib.ExitStack() as stack:
                given: dict[str, object] = {"backend": backend} if "backend" in wanted else {}
                if "sandbox" in wanted:
                    given["sandbox"] = stack.enter_context(backend.create(checks.config()))
                check(**given)
        except AssertionError:
            yield name, traceback.format_exc(limit=-1)
