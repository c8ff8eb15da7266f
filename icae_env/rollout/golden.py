"""Make a task's golden submission: its adapter with the pinned real package installed beside it.

The package is fetched once, in a sandbox with network and the mirror settings of this machine, and kept by the content of the
golden folder and the image it was installed on. Mirror settings lie outside the workspace and so never in the submission.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from icae_env.evaluation import Submission, load_submission, take_snapshot
from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.provisioning import kept_at, run_installer
from icae_env.selection import open_backend
from icae_env.tasks import find_task


def golden_submission(task: str, sandbox: str = "auto", image: str = "host") -> Submission:
    """Return a task's golden as a submission, from the cache or installed now.

    Args:
        task: Id of the task.
        sandbox: Backend to install in.
        image: Image to install on.

    Raises:
        InfraError: The package could not be installed; the installer's own words are in the message.
    """
    folder = find_task(task).folder / "golden"
    with closing(open_backend(sandbox)) as backend:
        box = backend.create(SandboxConfig(image=image, network=True))
        kept = kept_at("golden", folder, box.image, ".tar.gz")
        if kept.is_file():
            box.close()
            return load_submission(kept)
        with box:
            run_installer(folder, box, f"The golden of '{folder.parent.name}'")
            submission = take_snapshot(box)
    submission.store(kept)
    return submission


def golden_files(task: str, sandbox: str, image: str) -> Mapping[str, tuple[bytes, int]]:
    """Return the golden submission's files: relative path -> (bytes, mode)."""
    return golden_submission(task, sandbox, image).files
