"""The real parts of an environment: the one place that knows them all (``env.wiring.Wiring``)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from icae_env.env.wiring import CommandShell, Report, Screen
from icae_env.errors import ConfigError, InfraError
from icae_env.evaluation.evaluate import evaluate
from icae_env.evaluation.report import EvalReport
from icae_env.evaluation.submission import Submission, take_snapshot
from icae_env.oracle.furnish import Serving, furnish
from icae_env.oracle.probes import ProbeLog
from icae_env.paths import TASKS_PATH_VARIABLE
from icae_env.registry import resolve
from icae_env.sandbox.base import Backend, Limits, Sandbox, SandboxConfig
from icae_env.sandbox.shell import Shell
from icae_env.selection import BACKENDS, check_sandbox, choose_image
from icae_env.tasks import HiddenTask, Level, PublicTask, find_task, load_hidden, load_public, records_file
from icae_env.tasks.languages import check_language, in_language
from icae_env.user_agent import (
    MakeRouter,
    RecordSet,
    Session,
    UserAgent,
    load_records,
    with_inputs,
    with_records,
)
from icae_env.user_agent.asking import AskingScreen, AskingShell
from icae_env.user_agent.door import AskUserDoor, door_to

PUBLIC_FOLDER = "rcb_tests/public"
"""Where the public cases lie in the workspace."""


class Wired:
    """Tasks, a sandbox backend, User Agents and scoring for one environment.

    Args:
        tasks: Ids to choose from.
        levels: Levels to choose from; none: each task's first.
        sandbox: Name of a backend, ``auto``, or a backend (which stays its owner's to close).
        image: Name of an image, or ``auto``.
        resources: Limits of each sandbox.
        workers: Sandboxes at the same time while a submission is scored.
        router: Name of what chooses the User Agent's records, or what makes it.
        language: Language that submissions are asked for in, on its own image; None: the task's.
    """

    def __init__(
        self,
        *,
        tasks: tuple[str, ...],
        levels: tuple[Level, ...],
        sandbox: str | Backend,
        image: str,
        resources: Limits,
        workers: int,
        router: str | MakeRouter = "keyword",
        language: str | None = None,
    ) -> None:
        if isinstance(sandbox, str):
            check_sandbox(sandbox)
        self._router: MakeRouter = resolve("router", router) if isinstance(router, str) else router
        self.tasks, self._levels = tasks, levels
        self._language = None if language is None else check_language(language)
        self._sandbox, self._image, self._resources, self._workers = sandbox, image, resources, workers
        self._backend: Backend | None = None
        self._process = os.getpid()
        self._images: dict[str, str] = {}
        self._session: Session | None = None
        self._door: tuple[Sandbox, AskUserDoor | None] | None = None

    def levels(self, task: str) -> tuple[Level, ...]:
        """Return the levels of a task to choose from."""
        return self._levels or find_task(task).spec.levels[:1]

    @property
    def backend(self) -> Backend:
        """The sandbox backend, chosen on first use."""
        if self._process != os.getpid() and isinstance(self._sandbox, str):
            # The other process's connections are not this one's.
            self._backend, self._process = None, os.getpid()
        if self._backend is None:
            given = self._sandbox
            self._backend = BACKENDS.borrow(given) if isinstance(given, str) else given
        return self._backend

    def image(self, task: PublicTask) -> str:
        """Return the image that a task's episodes and replays run on."""
        wanted = task.spec.image
        if wanted not in self._images:
            self._images[wanted] = choose_image(self._image, wanted, self.backend.name)
        return self._images[wanted]

    def load(self, task: str, level: Level) -> PublicTask:
        """Return a task's public side; with its records in the PRD at the level ``recovered``."""
        return in_language(_public(task, level, _data_key()), self._language)

    def sandbox(self, task: PublicTask) -> Sandbox:
        """Return a sandbox for a task, not yet started."""
        oracle = task.spec.oracle
        return self.backend.create(
            SandboxConfig(
                image=self.image(task),
                limits=self._resources,
                tracing=oracle is None or oracle.mode == "proxy",
            )
        )

    def furnish(self, task: PublicTask, sandbox: Sandbox, log: ProbeLog) -> Serving | None:
        """Put the documentation and the client of a reference program into a sandbox, where the task has one, and serve it."""
        if task.spec.oracle is None:
            return None
        return furnish(task.spec, find_task(task.id).folder, self.backend, sandbox, log)

    def shell(self, sandbox: Sandbox) -> CommandShell:
        """Return a shell in which ``ask-user`` and ``submit`` work; the sandbox may bring its own, as the in-memory one does."""
        make = getattr(sandbox, "make_shell", None)
        shell: CommandShell = make() if make is not None else Shell(sandbox)
        door = self._door_to(sandbox)
        return shell if door is None else AskingShell(shell, door)

    def terminal(self, sandbox: Sandbox) -> Screen:
        """Return a terminal on which ``ask-user`` and ``submit`` work."""
        from icae_env.sandbox.terminal import Terminal  # noqa: PLC0415 - needs libtmux and tmux

        screen: Screen = Terminal(sandbox)
        door = self._door_to(sandbox)
        return screen if door is None else AskingScreen(screen, door)

    def _door_to(self, sandbox: Sandbox) -> AskUserDoor | None:
        """Return the door of a sandbox; shell and terminal share it, so that no question is answered twice."""
        if self._session is None:
            return None
        if self._door is None or self._door[0] is not sandbox:
            self._door = (sandbox, door_to(sandbox.files, self._session))
        return self._door[1]

    def handed_in(self, sandbox: Sandbox) -> bool:
        """Return whether ``submit`` was called in a sandbox."""
        if self._door is None or self._door[0] is not sandbox or self._door[1] is None:
            return False
        return self._door[1].handed_in

    def session(self, task: PublicTask, budget: int) -> Session:
        """Begin a conversation with the task's User Agent."""
        self._session = _user_agent(task.id, task.level, _data_key(), self._router).session(budget)
        return self._session

    def public_files(self, task: PublicTask) -> Mapping[str, bytes]:
        """Return the public cases, grouped in files as in the task's folder."""
        groups: dict[str, list[dict[str, Any]]] = {}
        for case in _hidden(task.id, _data_key()).public_cases:
            entry = {"id": case.id, "input": case.input, "expected_output": case.expected_output}
            groups.setdefault(case.stem, []).append(entry)
        return {
            f"{PUBLIC_FOLDER}/{stem}.json": (
                json.dumps({"cases": cases}, ensure_ascii=False, indent=2) + "\n"
            ).encode()
            for stem, cases in groups.items()
        }

    def snapshot(self, sandbox: Sandbox, *, live: bool) -> Submission:
        """Take the workspace as a submission."""
        return take_snapshot(sandbox, quiesce=not live)

    def score(self, task: PublicTask, submission: Submission) -> EvalReport:
        """Replay all cases in fresh sandboxes."""
        hidden = _hidden(task.id, _data_key())
        return evaluate(
            hidden,
            submission,
            self.backend,
            image=self.image(task),
            level=task.level,
            workers=self._workers,
            limits=self._resources,
        )

    def without_times(self, report: Report) -> EvalReport:
        """Return the report with every time left out: 0 for the whole, None for each case."""
        assert isinstance(report, EvalReport)
        cases = tuple(case.model_copy(update={"seconds": None}) for case in report.cases)
        return report.model_copy(update={"seconds": 0.0, "cases": cases})

    def public_rate(self, task: PublicTask, submission: Submission) -> float:
        """Replay the public cases.

        Raises:
            ConfigError: The task has none.
            InfraError: The replay failed on the host's side.
        """
        hidden = _hidden(task.id, _data_key())
        if not hidden.public_cases:
            raise ConfigError(
                f"The task '{task.id}' has no public cases.", field="reward", mend="choose another reward."
            )
        report = evaluate(
            hidden,
            submission,
            self.backend,
            image=self.image(task),
            suites=("public",),
            workers=self._workers,
            limits=self._resources,
        )
        if report.suites.public is None or report.suites.public.rate is None:
            raise InfraError(f"The public cases could not be replayed: {report.infra_error}.")
        return report.suites.public.rate

    def close(self) -> None:
        """Give the backend back; a second call does nothing."""
        if self._backend is not None and isinstance(self._sandbox, str) and self._process == os.getpid():
            BACKENDS.give_back(self._backend)
        self._backend = self._door = None


def _data_key() -> str:
    # Tasks and records are read and validated once per process and set of data roots.
    return os.environ.get(TASKS_PATH_VARIABLE, "")


@cache
def _public(task: str, level: Level, data: str) -> PublicTask:
    public = load_public(task, level)
    return with_records(public, _records(task, level, data)) if level == "recovered" else public


@cache
def _hidden(task: str, data: str) -> HiddenTask:
    return load_hidden(task)


@lru_cache(maxsize=256)
def _user_agent(task: str, level: Level, data: str, make_router: MakeRouter) -> UserAgent:
    records = with_inputs(_records(task, level, data), _hidden(task, data).cases)
    return UserAgent(records, make_router(records))


@cache
def _records(task: str, level: Level, data: str) -> RecordSet:
    file: Path | None = records_file(task, level)
    return RecordSet() if file is None else load_records(file)
