"""Find task folders and read them; what an environment may see and what scorers need are read apart."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.paths import task_roots
from icae_env.tasks.cases import read_cases
from icae_env.tasks.documents import read_text, read_toml, validated
from icae_env.tasks.models import LEVELS, HiddenTask, Level, PublicTask, TaskSpec

SPEC_FILE = "task.toml"


class TaskFolder(BaseModel):
    """Where a task lies and what its ``task.toml`` says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path
    user_agent: Path
    """Folder of the User Agent's data: ``L1.json``, ``L2.json``, ``L3.json`` and ``audit.json``."""
    spec: TaskSpec

    @property
    def id(self) -> str:
        """The task's id."""
        return self.spec.id

    @property
    def golden(self) -> Path:
        """Folder of the golden: ``install.sh`` and the adapter that answers a case."""
        return self.folder / "golden"


TaskLike = str | Path | TaskFolder
"""A task's id, the path of a task folder, or a folder that was already found."""


def task_ids(*, include_drafts: bool = False) -> list[str]:
    """Return the ids of all tasks, sorted.

    A folder whose ``task.toml`` cannot be read is listed, so that using the task says what is wrong with it.

    Raises:
        ConfigError: Two data roots hold a task of the same id.
    """
    folders = _folders()
    return sorted(name for name in folders if include_drafts or not _is_draft(folders[name]))


def find_task(task: TaskLike) -> TaskFolder:
    """Return a task's folder.

    Args:
        task: An id, or a path to a folder with a ``task.toml`` (a name that is no id is tried as a path).

    Raises:
        UnknownNameError: There is no such task.
        ConfigError: ``task.toml`` is missing or not valid.
    """
    if isinstance(task, TaskFolder):
        return task
    if isinstance(task, str):
        folders = _folders()
        if task in folders:
            return _read_folder(folders[task])
        if not task or not Path(task).is_dir():
            raise UnknownNameError("task", task, folders)
    folder = Path(task).resolve()
    if not folder.is_dir():
        raise ConfigError(
            "There is no such task folder.", file=task, mend="give a folder that holds a task.toml."
        )
    return _read_folder(folder)


def load_public(task: TaskLike, level: str) -> PublicTask:
    """Return what an agent may see of a task at one level.

    ``recovered`` comes with the plain L1 PRD; ``icae_env.user_agent.with_records`` appends the records.

    Raises:
        UnknownNameError: There is no such task or level.
        ConfigError: The folder or its PRD is not valid.
    """
    known = check_level(level)
    found = find_task(task)
    if known not in found.spec.levels:
        raise ConfigError(
            f"A task of kind '{found.spec.kind}' has no level '{known}'.",
            field="level",
            mend=f"give {', '.join(found.spec.levels)}.",
        )
    file = found.folder / "prd" / f"{_stored_level(known)}.md"
    prd = read_text(file, within=found.folder)
    if not prd.strip():
        raise ConfigError("This PRD is empty.", file=file, mend="write the requirements.")
    return PublicTask(spec=found.spec, level=known, prd=prd)


def load_hidden(task: TaskLike) -> HiddenTask:
    """Return what scoring needs: the cases of both suites with their expected outputs.

    Raises:
        UnknownNameError: There is no such task.
        ConfigError: The folder or one of its case files is not valid.
    """
    found = find_task(task)
    return HiddenTask(
        spec=found.spec, folder=found.folder, cases=read_cases(found.folder, found.spec.protocol)
    )


def records_file(task: TaskLike, level: str) -> Path | None:
    """Return the file with the User Agent's records; None at ``ground``, where nothing is hidden.

    Raises:
        UnknownNameError: There is no such task or level.
    """
    known = check_level(level)
    if known == "ground":
        return None
    return find_task(task).user_agent / f"{_stored_level(known)}.json"


def check_level(level: str) -> Level:
    """Return ``level`` when it is one.

    Raises:
        UnknownNameError: It is not; the valid ones are listed.
    """
    if level not in LEVELS:
        raise UnknownNameError("level", level, LEVELS)
    return level


def _stored_level(level: Level) -> str:
    return "L1" if level == "recovered" else level


def _folders() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for root in task_roots():
        tasks = root / "tasks"
        if not tasks.is_dir():
            raise ConfigError("This data root has no tasks.", file=tasks, mend="make this folder.")
        for folder in sorted(tasks.iterdir()):
            if not (folder / SPEC_FILE).is_file():
                continue
            if folder.name in found:
                raise ConfigError(
                    f"The task '{folder.name}' lies also in {found[folder.name]}.",
                    file=folder,
                    mend="rename one of them.",
                )
            found[folder.name] = folder
    return found


def _is_draft(folder: Path) -> bool:
    try:
        return _read_folder(folder).spec.draft
    except ConfigError:
        return False


def _read_folder(folder: Path) -> TaskFolder:
    file = folder / SPEC_FILE
    spec = validated(TaskSpec, read_toml(file, within=folder), file=file)
    if spec.id != folder.name:
        raise ConfigError(
            f"The id '{spec.id}' is not the folder's name '{folder.name}'.",
            file=file,
            field="id",
            mend="make them equal.",
        )
    own = folder / "user_agent_data"
    beside = folder.parent.parent / "user_agent_data" / folder.name
    return TaskFolder(folder=folder, user_agent=own if own.is_dir() else beside, spec=spec)
