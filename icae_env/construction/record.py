"""Record a golden's outputs: run it on every input, twice, and write what it printed into the case files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from icae_env.construction.gate import known
from icae_env.construction.spans import Place, replaced
from icae_env.errors import ConfigError, InfraError
from icae_env.evaluation.compare import compare
from icae_env.evaluation.rcb import replay_rcb
from icae_env.evaluation.replay import Answer, Replay
from icae_env.evaluation.stdin import replay_stdin
from icae_env.evaluation.submission import Submission
from icae_env.rollout.golden import golden_submission
from icae_env.sandbox.base import SandboxConfig
from icae_env.selection import choose_image, open_backend
from icae_env.tasks import SUITES, Case, HiddenTask, TaskFolder, TaskLike, find_task, load_hidden
from icae_env.tasks.documents import read_text

_LISTED = 5
"""Cases that an error names at most."""


class Difference(BaseModel):
    """A case whose recorded text is not what the golden prints."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str
    file: Path
    recorded: str
    printed: str


class Recording(BaseModel):
    """What running a golden on all inputs gave."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    sandbox: str
    image: str
    cases: int
    """Inputs that were run."""
    differences: tuple[Difference, ...]
    """In the order of the cases."""
    written: tuple[Path, ...]
    """Case files that were changed."""


def record_task(
    task: TaskLike,
    *,
    sandbox: str = "auto",
    image: str = "auto",
    check: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> Recording:
    """Run a task's golden on every input and write its outputs where they do not pass for what is recorded.

    Nothing is written unless every case has an output and a second run prints the same.

    Args:
        task: An id, or the path of a task folder (``<root>/tasks/<id>``).
        sandbox: Backend to run on.
        image: Image to run on.
        check: Only compare.
        progress: Called with a line before each part.

    Raises:
        UnknownNameError: The task, the sandbox or the image is not known.
        ConfigError: A case has no output, two runs print different things, or a file of the task is not valid.
        InfraError: The host failed, or the golden could not be installed.
    """
    found = find_task(task)
    hidden = load_hidden(found)
    with closing(open_backend(sandbox)) as backend:
        name = backend.name
    chosen = choose_image(image, found.spec.image, name)
    progress(f"{found.id}: installing the golden on {name}, image {chosen} ...")
    with known(found):
        golden = golden_submission(found.id, name if sandbox == "auto" else sandbox, chosen)
    first, second = (
        _printed(found, hidden, golden, sandbox, chosen, progress=progress, run=run) for run in (1, 2)
    )
    unsteady = [case.id for case in hidden.cases if first[case.id] != second[case.id]]
    if unsteady:
        raise ConfigError(
            f"Two runs of the golden print different things for {_some(unsteady)}.",
            file=found.golden,
            mend="fix what depends on time, order or chance, or choose other inputs.",
        )
    differences = _differences(hidden, first)
    written = () if check else _write(hidden, differences)
    return Recording(
        task=found.id,
        sandbox=name,
        image=chosen,
        cases=len(hidden.cases),
        differences=differences,
        written=written,
    )


def _printed(
    task: TaskFolder,
    hidden: HiddenTask,
    golden: Submission,
    sandbox: str,
    image: str,
    *,
    progress: Callable[[str], None],
    run: int,
) -> dict[str, str]:
    """Return what the golden prints, by case id."""
    progress(f"{task.id}: run {run} of 2 on {len(hidden.cases)} inputs ...")
    return _texts(task, hidden.cases, run_golden(task, hidden.cases, golden, sandbox, image))


def run_golden(
    task: TaskFolder, cases: Sequence[Case], golden: Submission, sandbox: str, image: str
) -> dict[str, Answer]:
    """Run a golden on inputs once and return its answers by case id.

    Args:
        task: Whose protocol, limits and comparison hold.
        cases: The inputs; what they expect is not looked at.
        golden: The golden with its package installed.
        sandbox: Backend to run on.
        image: Image to run on.
    """
    with closing(open_backend(sandbox)) as backend:
        replay = Replay(
            backend, SandboxConfig(image=image), golden, task.spec.limits, task.spec.comparison, 2
        )
        if task.spec.protocol == "stdin":
            return replay_stdin(replay, cases)
        suites = {suite: [case for case in cases if case.suite == suite] for suite in SUITES}
        return replay_rcb(replay, suites)


def _texts(task: TaskFolder, cases: Sequence[Case], answers: Mapping[str, Answer]) -> dict[str, str]:
    broken = next((answer.detail for answer in answers.values() if answer.kind == "infra"), None)
    if broken is not None:
        raise InfraError(f"The golden of '{task.id}' could not be run: {broken}")
    texts, silent = {}, []
    for case in cases:
        answer = answers[case.id]
        try:
            if answer.kind == "output":
                texts[case.id] = answer.output.decode("utf-8")
            else:
                silent.append(f"{case.id} ({answer.kind}: {answer.detail})")
        except UnicodeDecodeError:
            silent.append(f"{case.id} (its output is not UTF-8)")
    if silent:
        raise ConfigError(
            f"The golden has no output to record for {_some(silent)}.",
            file=task.golden,
            mend="let the adapter answer these inputs, or remove them.",
        )
    return texts


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _differences(hidden: HiddenTask, printed: Mapping[str, str]) -> tuple[Difference, ...]:
    return tuple(
        Difference(
            case=case.id,
            file=hidden.folder / "cases" / case.suite / f"{case.stem}.json",
            recorded=case.expected_output,
            printed=printed[case.id],
        )
        for case in hidden.cases
        # By the task's own rule, so that files which leave out the final newline stay as their author wrote them.
        if not compare(hidden.spec.comparison, case.expected_output, printed[case.id].encode("utf-8")).equal
    )


def _write(hidden: HiddenTask, differences: Sequence[Difference]) -> tuple[Path, ...]:
    """Write the new outputs into the case files; every file is prepared before the first one is replaced."""
    indices = {case.id: case.index for case in hidden.cases}
    changes: dict[Path, dict[Place, str]] = {}
    for item in differences:
        place: Place = ("cases", indices[item.case], "expected_output")
        changes.setdefault(item.file, {})[place] = item.printed
    ready: dict[Path, Path] = {}
    try:
        for file, values in changes.items():
            ready[file] = _beside(file, replaced(read_text(file, within=hidden.folder), values))
        for file, new in ready.items():
            new.replace(file)
    except BaseException:
        for new in ready.values():
            new.unlink(missing_ok=True)
        raise
    return tuple(changes)


def _beside(file: Path, text: str) -> Path:
    # Not in the suite's own folder, where every file must be a case file, should this be interrupted.
    handle, name = tempfile.mkstemp(prefix=f".{file.stem}.", dir=file.parent.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8"))
        Path(name).chmod(file.stat().st_mode & 0o777)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    return Path(name)
