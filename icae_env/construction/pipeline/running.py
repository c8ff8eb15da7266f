"""Run the model's golden for real: install the package in a sandbox, and print what it answers to inputs, twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from icae_env.construction.gate import known
from icae_env.construction.pipeline.leaking import source_of, told
from icae_env.construction.pipeline.models import Facts, Frozen, GoldenFile
from icae_env.construction.pipeline.options import BuildOptions
from icae_env.construction.pipeline.spec import spec_text
from icae_env.construction.record import run_golden
from icae_env.evaluation.replay import Answer
from icae_env.evaluation.submission import Submission
from icae_env.rollout.golden import golden_submission
from icae_env.selection import choose_image, open_backend
from icae_env.tasks import Case, TaskFolder, find_task

GOLDEN_ROOT = "golden-root"
"""Data root, in the build's folder, of the golden that is tried."""


class Printed(Frozen):
    """What a golden did with inputs."""

    outputs: dict[str, str]
    """By case id, what both runs printed."""
    refused: dict[str, str]
    """By case id, why there is no output that can be used."""


class Golden:
    """A golden in a data root of its own, below the build's folder.

    Args:
        options: The build.
        facts: The source.
        files: The golden's files.
    """

    def __init__(self, options: BuildOptions, facts: Facts, files: Sequence[GoldenFile]) -> None:
        self._options, self._facts = options, facts
        folder = options.folder / GOLDEN_ROOT / "tasks" / options.id
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        spec = spec_text(options, source_of(facts), title=options.id, domain="general", draft=True)
        (folder / "task.toml").write_text(spec, encoding="utf-8")
        write_files(folder / "golden", files)
        self._task: TaskFolder = find_task(folder)
        with closing(open_backend(options.sandbox)) as backend:
            self._sandbox = backend.name if options.sandbox == "auto" else options.sandbox
            self._image = choose_image(options.image, options.task_image, backend.name)

    def install(self) -> Submission:
        """Return the golden with its package installed.

        Raises:
            SandboxError: The host failed.
            InfraError: ``install.sh`` failed.
        """
        with known(self._task):
            return golden_submission(self._task.id, self._sandbox, self._image)

    def print(self, cases: Sequence[Case]) -> Printed:
        """Return what it prints.

        Raises:
            InfraError: The host failed, or the golden could not be installed.
        """
        golden = self.install()
        first = run_golden(self._task, cases, golden, self._sandbox, self._image)
        # Told what came out before, a replay runs no case alone that gives the same again.
        told_before = [
            case.model_copy(update={"expected_output": _text(first[case.id]) or ""}) for case in cases
        ]
        runs = [first, run_golden(self._task, told_before, golden, self._sandbox, self._image)]
        outputs: dict[str, str] = {}
        refused: dict[str, str] = {}
        for case in cases:
            texts = [_text(run[case.id]) for run in runs]
            reason = _reason(runs, case.id, texts, self._facts)
            if reason is None:
                assert texts[0] is not None
                outputs[case.id] = texts[0]
            else:
                refused[case.id] = reason
        return Printed(outputs=outputs, refused=refused)


def write_files(folder: Path, files: Sequence[GoldenFile]) -> None:
    """Write a golden's files into a folder."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8", newline="")
        path.chmod(0o755 if file.executable or file.text.startswith("#!") else 0o644)


def _text(answer: Answer) -> str | None:
    try:
        return answer.output.decode("utf-8") if answer.kind == "output" else None
    except UnicodeDecodeError:
        return None


def _reason(
    runs: Sequence[Mapping[str, Answer]], name: str, texts: Sequence[str | None], facts: Facts
) -> str | None:
    for run, text in zip(runs, texts, strict=True):
        answer = run[name]
        if answer.kind != "output":
            return f"the golden gave no output ({answer.kind}): {answer.detail}"
        if text is None:
            return "its output is not UTF-8"
    if texts[0] != texts[-1]:
        return f"two runs print different things: {json.dumps(texts[0])} and {json.dumps(texts[-1])}"
    leak = told(facts, output=texts[0])
    return leak[0] if leak else None
