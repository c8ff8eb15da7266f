"""One episode: a sandbox, a conversation with the user, and what each action does; without gymnasium."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from icae_env.env.actions import AskUser, Bash, Edit, InvalidAction, Submit, Terminal
from icae_env.env.edits import carry_out
from icae_env.env.outcome import AnyAction, End, Outcome, joined, over, revealed
from icae_env.env.start import START_FILE, start_text
from icae_env.env.wiring import CommandShell, EpisodeConfig, Report, Screen, Wiring
from icae_env.errors import SandboxDiedError, SandboxUnavailableError
from icae_env.oracle.furnish import Serving
from icae_env.oracle.probes import ProbeLog
from icae_env.sandbox.base import WORKSPACE, Sandbox
from icae_env.sandbox.editor import EditResult
from icae_env.tasks.models import PublicTask
from icae_env.user_agent import Diagnosis

_BYTES = 4
"""Bytes of the longest character, so that a shell's limit in bytes never cuts below the one in characters."""
_SUBMITTED = "Submitted. The episode is over."


class Episode:
    """Run one episode of a task.

    Args:
        task: The public side of the task.
        wiring: The parts it is made of.
        config: How it runs.
        clock: Seconds from any start; only differences count.
    """

    def __init__(
        self,
        task: PublicTask,
        wiring: Wiring,
        config: EpisodeConfig,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.task, self._wiring, self._config, self._clock = task, wiring, config, clock
        self.limits = config.limits(task.spec.limits)
        self.steps_left, self.questions_left = self.limits.steps, self.limits.questions
        self.restarts = 0
        self.probes = ProbeLog()
        """Calls of the reference program, where there is one."""
        self._serving: Serving | None = None
        self._process = os.getpid()
        self.text = start_text(task, self.limits, config)
        self._session = wiring.session(task, self.limits.questions)
        self._shell: CommandShell | None = None
        self._screen: Screen | None = None
        self.sandbox = self._start_sandbox()
        self._deadline = clock() + self.limits.seconds

    def act(self, action: AnyAction) -> Outcome:
        """Carry out one action and say what it came to and whether the episode is over.

        Raises:
            InfraError: The host's side failed.
        """
        self.steps_left -= 1
        self.probes.step += 1
        if self._clock() >= self._deadline:
            text = over("seconds", self.limits, self._config.restarts, "This action was not carried out.")
            return Outcome(text=text, end="seconds")
        try:
            outcome = self._dispatch(action)
        except SandboxDiedError:
            self._raise_unless_ended_from_inside()
            outcome = self._replace_sandbox()
        if self._serving is not None:
            self._serving.check()
        if isinstance(action, Bash | Terminal) and self._wiring.handed_in(self.sandbox):
            outcome = replace(outcome, text=joined(outcome.text, f"[{_SUBMITTED}]"), end="submit")
        return self._with_end(action, outcome)

    def snapshot(self) -> Any:
        """End what runs in the sandbox and take the workspace as a submission."""
        try:
            return self._wiring.snapshot(self.sandbox, live=False)
        except SandboxDiedError:
            # A sandbox that the agent's processes took down counts as an empty workspace, never as "not measured".
            self._raise_unless_ended_from_inside()
            self._replace_sandbox()
            return self._wiring.snapshot(self.sandbox, live=False)

    def score(self, submission: Any) -> Report:
        """Score a submission."""
        return self._wiring.score(self.task, submission)

    def public_rate(self, submission: Any = None) -> float:
        """Return the share of public cases that a submission, or else the present workspace, passes."""
        if submission is None:
            try:
                submission = self._wiring.snapshot(self.sandbox, live=True)
            except SandboxDiedError:
                self._raise_unless_ended_from_inside()
                return 0.0  # the next action starts a new one
        return self._wiring.public_rate(self.task, submission)

    @property
    def is_ours(self) -> bool:
        """Whether this process began it; a forked child has only a copy, and must leave the sandbox alone."""
        return self._process == os.getpid()

    def close(self) -> None:
        """Destroy the sandbox; a second call does nothing."""
        if not self.is_ours:
            return
        with ExitStack() as stack:  # whatever one of them raises, the others are closed too
            for tool in (self._shell, self._screen):
                if tool is not None:
                    stack.callback(tool.close)
            self._shell = self._screen = None
            if self._serving is not None:
                stack.callback(self._serving.close)
            # the first to go: it ends in one blow what the tools would end singly
            stack.callback(self.sandbox.close)

    def _dispatch(self, action: AnyAction) -> Outcome:
        match action:
            case Bash():
                return self._bash(action)
            case Edit():
                result = self._edit(action)
                return Outcome(text=result.text, exit_code=0 if result.ok else 1)
            case AskUser():
                return self._ask(action)
            case Terminal():
                return self._type(action)
            case Submit():
                return Outcome(text=_SUBMITTED, end="submit")
            case InvalidAction():
                return Outcome(text=action.message)

    def _bash(self, action: Bash) -> Outcome:
        if self._shell is None:
            self._shell = self._wiring.shell(self.sandbox)
        left = max(self._deadline - self._clock(), 0.001)
        before = self._session.diagnostics
        result = self._shell.run(
            action.command,
            timeout=min(self.limits.command_seconds, left),
            output_limit=_BYTES * self.limits.output_chars,
        )
        asked, new = self._asked_since(before)
        if result.broken:
            return replace(self._replace_sandbox(), asked=asked, new_records=new)
        if result.restarted:
            self.restarts += 1
        note = result.note
        if result.timed_out and left < self.limits.command_seconds:
            note = "The command was ended, for the time of the episode is up."  # no number from the clock
        text = joined(result.text, f"[{note}]" if note else "")
        return Outcome(text=text, exit_code=result.exit_code, asked=asked, new_records=new)

    def _type(self, action: Terminal) -> Outcome:
        left = max(self._deadline - self._clock(), 0.0)
        before = self._session.diagnostics
        try:
            if self._screen is None:
                self._screen = self._wiring.terminal(self.sandbox)
            wait = None if action.wait is None else min(action.wait, left)
            text = self._screen.send(action.keys, enter=action.enter, wait=wait)
        except SandboxUnavailableError:  # a machine without tmux; all else works, so the episode goes on
            return Outcome(text="There is no terminal on this machine. Mend: use bash actions.")
        asked, new = self._asked_since(before)
        return Outcome(text=text, asked=asked, new_records=new)

    def _asked_since(self, before: tuple[Diagnosis, ...]) -> tuple[tuple[Diagnosis, ...], int]:
        """Return what ``ask-user`` has asked since, and how many records that revealed for the first time."""
        asked = self._session.diagnostics[len(before) :]
        self.questions_left = self._session.remaining
        return asked, len(revealed(asked) - revealed(before))

    def _edit(self, action: Edit) -> EditResult:
        result = carry_out(action, self.sandbox.files)
        if not self.sandbox.alive():
            raise SandboxDiedError("The sandbox is gone.")
        return result

    def _ask(self, action: AskUser) -> Outcome:
        known = revealed(self._session.diagnostics)
        reply = self._session.ask(action.question)
        diagnosis = self._session.diagnostics[-1]
        self.questions_left = reply.remaining
        limit = self.limits.questions
        note = f"[The limit of {limit} questions is reached.]" if diagnosis.kind == "over_budget" else ""
        return Outcome(
            text=joined(reply.text, note),
            user_agent=diagnosis,
            new_records=len(set(diagnosis.revealed) - known),
        )

    def _with_end(self, action: AnyAction, outcome: Outcome) -> Outcome:
        if outcome.end is not None:
            return outcome
        end: End | None = None
        if self.restarts >= self._config.restarts:
            end = "restarts"
        elif self._clock() >= self._deadline:
            end = "seconds"
        elif self.steps_left <= 0:
            end = "steps"
        if end is None:
            return outcome
        return replace(
            outcome, text=joined(outcome.text, over(end, self.limits, self._config.restarts)), end=end
        )

    def _start_sandbox(self) -> Sandbox:
        sandbox = self._wiring.sandbox(self.task)
        try:
            sandbox.start()
            sandbox.files.write(WORKSPACE / START_FILE, self.text.encode("utf-8"))
            if self._config.public_cases:
                for path, data in self._wiring.public_files(self.task).items():
                    sandbox.files.write(WORKSPACE / path, data)
            self._serving = self._wiring.furnish(self.task, sandbox, self.probes)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def _raise_unless_ended_from_inside(self) -> None:
        """Find out who ended the sandbox: a command in it gets a result where what ran inside may be the cause.

        Raises:
            SandboxDiedError: It was ended from outside, and the episode cannot be measured.
        """
        self.sandbox.run(["true"], cwd="/")

    def _replace_sandbox(self) -> Outcome:
        """Start a new sandbox in place of one that the agent's own processes have ended."""
        self.restarts += 1
        self.close()
        self.sandbox = self._start_sandbox()
        return Outcome(
            text="[The sandbox was destroyed by what ran in it. A new one was started; its /workspace holds "
            "only what lay there at the beginning.]",
        )
