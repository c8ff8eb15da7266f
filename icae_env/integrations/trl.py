"""An environment for TRL's trainers (``GRPOTrainer(environment_factory=...)``); TRL itself is not needed to import this.

    from functools import partial
    from icae_env.integrations.trl import ICAEToolEnv

    trainer = GRPOTrainer(..., environment_factory=partial(ICAEToolEnv, task="bracex", steps=40))

TRL makes one object for each rollout of a batch and uses it again for the next batch. It offers each public method but
``reset`` and ``get_reward`` to the model as a tool, with a schema made from signature and docstring, so this class has no other
public method, and the docstrings are written for the model.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any, Literal

from icae_env.env.actions import parse_action
from icae_env.env.observations import plain
from icae_env.errors import InfraError, SandboxUnavailableError
from icae_env.factory import make_env
from icae_env.integrations.messages import Shown

_OVER = "The episode is over; nothing was done."
_FAILED = "The episode failed on the host's side and is over."


class ICAEToolEnv:
    """One environment whose actions are methods.

    The attribute ``info`` holds the last step's info, ``infra_error`` what failed on the host's side in this episode, ``earned``
    the rewards of its steps so far; all three are for the host.

    Args:
        **settings: As for ``icae_env.make_env``; its ``reward`` says what steps earn.

    Raises:
        ConfigError: A setting is wrong.
    """

    def __init__(self, **settings: Any) -> None:
        self._env = make_env(**settings)
        # A trainer never closes its environments: their sandboxes go with the object, at the latest when Python ends.
        weakref.finalize(self, self._env.close)
        self.info: Mapping[str, Any] = {}
        self.infra_error: InfraError | None = None
        self.earned = 0.0
        self._running = False

    def reset(
        self, *, seed: int | None = None, task: str | None = None, level: str | None = None, **columns: Any
    ) -> str:
        """Begin an episode and return the rules and the requirements, which TRL appends to the prompt.

        TRL hands over the columns of the data set's row: ``seed``, ``task`` and ``level`` choose the episode, others are ignored.
        Rollouts that are compared with each other (a group of GRPO) have one row, and so one episode if these choose it.

        Args:
            seed: Seeds the choice of task and level.
            task: One of this environment's tasks; None: drawn.
            level: A level; None: drawn from this environment's.
            **columns: Further columns, such as ``prompt``.

        Raises:
            UnknownNameError: The task or the level is not known.
            SandboxUnavailableError: There is no sandbox on this machine. Other failures of the host's side end this
                rollout only, unmeasured, so that a long training goes on.
        """
        del columns
        self._running, self.infra_error, self.earned, self.info = False, None, 0.0, {}
        options = {name: value for name, value in (("task", task), ("level", level)) if value is not None}
        try:
            observation, self.info = self._env.reset(seed=seed, options=options)
        except SandboxUnavailableError:
            raise
        except InfraError as error:
            self.infra_error = error
            return _FAILED
        self._running = True
        return str(observation["text"])

    def bash(self, command: str) -> str:
        """Run a command in a persistent bash: directory, variables and functions stay for the next one.

        Args:
            command: Any bash text, of one or many lines.

        Returns:
            What it printed, its exit code, and how many actions and questions are left.
        """
        return self._act({"type": "bash", "command": command})

    def edit(
        self,
        op: Literal["view", "create", "replace", "insert"],
        path: str,
        *,
        text: str | None = None,
        old: str | None = None,
        new: str | None = None,
        line: int | None = None,
        view_range: list[int] | None = None,
    ) -> str:
        """View or change one file, byte for byte. Relative paths start at /workspace.

        Args:
            op: view shows a file with line numbers, or lists a directory; create writes a whole file, one that exists is
                replaced; replace puts new in place of old, which must occur exactly once; insert puts text after a line.
            path: The file (for view also a directory).
            text: With create all of the file, with insert the new lines.
            old: With replace the exact text to look for, white space included.
            new: With replace what stands there afterwards.
            line: With insert the number of the line to insert after; 0 is the top.
            view_range: With view the first and the last line, counted from 1; -1 as last means the end.

        Returns:
            What was done or shown, and how many actions and questions are left.
        """
        given = {"text": text, "old": old, "new": new, "line": line, "view_range": view_range}
        chosen = {name: value for name, value in given.items() if value is not None}
        return self._act({"type": "edit", "op": op, "path": path, **chosen})

    def ask_user(self, question: str) -> str:
        """Ask the user what the requirements leave open. Questions are limited; specific ones get answers.

        Args:
            question: One question, about one thing.

        Returns:
            The answer, and how many actions and questions are left.
        """
        return self._act({"type": "ask_user", "question": question})

    def submit(self) -> str:
        """Hand in the workspace as it is. This ends the episode.

        Returns:
            That the episode is over.
        """
        return self._act({"type": "submit"})

    def get_reward(self) -> float | None:
        """Return the sum of the episode's rewards; a rollout that ended without ``submit`` is scored as it stands.

        Returns:
            The sum; None where nothing was measured, since the host's side failed: TRL leaves such a rollout out.
        """
        if self._running:
            self.submit()
        return None if self.infra_error is not None else self.earned

    def _act(self, action: Mapping[str, Any]) -> str:
        """Carry out one action; what a model must see comes back as text, and nothing that a model does raises."""
        if not self._running:
            return _FAILED if self.infra_error is not None else _OVER
        try:
            observation, reward, terminated, truncated, self.info = self._env.step(parse_action(action))
        except InfraError as error:
            self._running, self.infra_error = False, error
            return _FAILED
        self.earned += reward
        self._running = not (terminated or truncated)
        return Shown(**plain(observation), end=self.info.get("end")).with_counts()
