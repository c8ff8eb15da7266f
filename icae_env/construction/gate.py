"""The gate a task passes before it is used: everything that can be checked of its folder and of its golden."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from icae_env.construction.completeness import check_completeness
from icae_env.construction.mends import mend_of
from icae_env.construction.questions import audit_figures, check_questions
from icae_env.construction.unwritten import check_written
from icae_env.errors import ConfigError, UnknownNameError
from icae_env.paths import TASKS_PATH_VARIABLE, task_roots
from icae_env.rollout.validate import Check, validate_task
from icae_env.tasks import TaskFolder, TaskLike, find_task
from icae_env.tasks.checks import Finding
from icae_env.user_agent.audit import Figures
from icae_env.user_agent.checks import check_task

_NOT_REPLAYED = ("folder and records", "witnesses", "scripted agent")
"""Parts of the validation that the gate has already judged, or that are not judged."""
_ENVIRONMENT = threading.Lock()


class Fault(BaseModel):
    """Something that does not hold, and what to do about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    """Path from the task's data root where it lies there."""
    field: str | None = None
    """Dotted place in the file, or ``line N``."""
    message: str
    mend: str


class GateReport(BaseModel):
    """What the gate found in one task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    faults: tuple[Fault, ...]
    audit: Figures | None = None
    """The figures of the keyword router on the task's own questions; None where they could not be taken."""
    replayed: tuple[Check, ...] = ()
    """What was proved by running the golden; empty when nothing was run."""

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return not self.faults and all(check.ok is not False for check in self.replayed)

    @property
    def infra(self) -> bool:
        """Whether the host's side failed somewhere."""
        return any(check.infra for check in self.replayed)


def check_gate(
    task: TaskLike,
    *,
    replay: bool = True,
    sandbox: str = "auto",
    image: str = "auto",
    progress: Callable[[str], None] = lambda line: None,
) -> GateReport:
    """Check all of a task that can be checked.

    Args:
        task: An id, or the path of a task folder (``<root>/tasks/<id>``).
        replay: Whether to run the golden, too.
        sandbox: Backend to run it on.
        image: Image to run it on.
        progress: Called with a line before each part that runs something.

    Raises:
        UnknownNameError: There is no such task, sandbox or image.
        SandboxUnavailableError: The sandbox does not work on this machine.
    """
    try:
        found = find_task(task)
    except UnknownNameError:
        raise
    except ConfigError as error:
        return _unreadable(task, error)
    findings = [
        *check_task(found),
        *check_completeness(found),
        *check_questions(found),
        *check_written(found),
    ]
    checks: tuple[Check, ...] = ()
    if replay:
        with known(found):
            proved = validate_task(found.id, sandbox, image, progress).checks
        checks = tuple(check for check in proved if check.name not in _NOT_REPLAYED)
    faults = tuple(dict.fromkeys(_fault(found, finding) for finding in findings))
    return GateReport(task=found.id, faults=faults, audit=audit_figures(found), replayed=checks)


@contextmanager
def known(task: TaskFolder) -> Iterator[None]:
    """Let a task be found by its id, wherever its data root lies, as long as the body runs.

    Raises:
        ConfigError: The folder does not lie in ``<root>/tasks``.
    """
    root = task.folder.parent.parent
    if root.resolve() in {other.resolve() for other in task_roots()}:
        yield
        return
    with _ENVIRONMENT:
        if task.folder.parent.name != "tasks":
            raise ConfigError(
                "Only a task in a folder named 'tasks' can be run.",
                file=task.folder,
                mend="move it to <root>/tasks/<id>, its User Agent's data to <root>/user_agent_data/<id>.",
            )
        before = os.environ.get(TASKS_PATH_VARIABLE)
        os.environ[TASKS_PATH_VARIABLE] = os.pathsep.join(filter(None, (before, str(root))))
        try:
            yield
        finally:
            if before is None:
                del os.environ[TASKS_PATH_VARIABLE]
            else:
                os.environ[TASKS_PATH_VARIABLE] = before


def _unreadable(task: TaskLike, error: ConfigError) -> GateReport:
    """Return the report on a task whose ``task.toml`` is not valid, so that nothing else can be judged."""
    fault = Fault(
        file=str(error.file), field=error.field, message=error.message, mend=error.mend or "correct it there."
    )
    return GateReport(task=Path(str(task)).name, faults=(fault,))


def _fault(task: TaskFolder, finding: Finding) -> Fault:
    message, mark, mend = finding.message.partition(" Mend: ")
    file = _relative(finding.file, task)
    return Fault(
        file=file, field=finding.field, message=message, mend=mend if mark else mend_of(file, finding.field)
    )


def _relative(file: Path, task: TaskFolder) -> str:
    root = task.folder.parent.parent.resolve()
    real = file.resolve()
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else str(file)
