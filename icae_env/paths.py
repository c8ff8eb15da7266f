"""Where the package's data lies: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

import os
from pathlib import Path

from icae_env.errors import ConfigError

TASKS_PATH_VARIABLE = "ICAE_TASKS_PATH"
"""Environment variable with more data roots, separated as in ``PATH``.

Each holds ``tasks/`` and ``user_agent_data/``.
"""

_PACKAGE = Path(__file__).resolve().parent


def data_root() -> Path:
    """Return the folder that holds ``tasks/``, ``user_agent_data/`` and ``images/``.

    Raises:
        ConfigError: The package was installed without its data.
    """
    installed = _PACKAGE / "_data"
    if installed.is_dir():
        return installed
    checkout = _PACKAGE.parent
    # A folder named "tasks" beside the package proves nothing in site-packages: ask for the project file too.
    if (checkout / "pyproject.toml").is_file() and (checkout / "tasks").is_dir():
        return checkout
    raise ConfigError(
        f"The package in {_PACKAGE} has no data folder.",
        mend="install it again from a wheel or from a full checkout.",
    )


def task_roots() -> tuple[Path, ...]:
    """Return every data root that tasks are taken from: the package's own, then those of ``ICAE_TASKS_PATH``.

    Raises:
        ConfigError: An entry of the variable is no directory.
    """
    roots = [data_root()]
    for entry in filter(None, os.environ.get(TASKS_PATH_VARIABLE, "").split(os.pathsep)):
        folder = Path(entry).expanduser()
        if not folder.is_dir():
            raise ConfigError(
                f"{TASKS_PATH_VARIABLE} names '{entry}', which is no directory.",
                mend=f"give folders that hold tasks/ and user_agent_data/, separated by '{os.pathsep}'.",
            )
        if folder.resolve() not in {root.resolve() for root in roots}:
            roots.append(folder)
    return tuple(roots)


def images_root() -> Path:
    """Return the folder of the image definitions that ship with the package."""
    return data_root() / "images"
