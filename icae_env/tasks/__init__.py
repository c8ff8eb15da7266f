"""Tasks: folders with a PRD at several levels, black-box cases and a golden.

``task_ids`` and ``find_task`` find tasks; ``load_public`` reads what an agent may see, ``load_hidden`` what
scoring needs, and ``records_file`` names the file with the User Agent's records.
"""

from icae_env.tasks.loader import (
    TaskFolder,
    TaskLike,
    check_level,
    find_task,
    load_hidden,
    load_public,
    records_file,
    task_ids,
)
from icae_env.tasks.models import LEVELS, SUITES, Case, HiddenTask, Level, PublicTask, Suite, TaskSpec

__all__ = [
    "LEVELS",
    "SUITES",
    "Case",
    "HiddenTask",
    "Level",
    "PublicTask",
    "Suite",
    "TaskFolder",
    "TaskLike",
    "TaskSpec",
    "check_level",
    "find_task",
    "load_hidden",
    "load_public",
    "records_file",
    "task_ids",
]
