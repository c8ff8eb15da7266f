"""Wrappers: each does one thing to an ``ICAEEnv``."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, SupportsFloat

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from icae_env.env.actions import InvalidAction, parse_action
from icae_env.env.blocks import parse_text
from icae_env.env.observations import Observation, plain
from icae_env.env.spaces import UnicodeText
from icae_env.env.trajectory import (
    ModelLine,
    ObservationLine,
    ResetLine,
    StepLine,
    encode,
    open_for_append,
    plain_value,
)
from icae_env.errors import InfraError
from icae_env.llm.base import Completion, Message

_ON_RESET = ("task", "level", "sandbox", "image", "image_digest")


class Recorder(gymnasium.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Write every reset, step and model call to a file of JSON lines as it happens (see ``icae_env.env.trajectory``).

    A line that cannot be written is an ``InfraError``, and nothing of it is left.

    Args:
        env: The environment.
        file: Where lines are appended; its parents are made.
    """

    def __init__(self, env: gymnasium.Env[Observation, Any], file: Path | str) -> None:
        RecordConstructorArgs.__init__(self, file=str(file))
        gymnasium.Wrapper.__init__(self, env)
        self.file = Path(file)
        self._fd = -1
        self._index = 0
        self._conversations: dict[str, list[Message]] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Reset the environment and write a ``reset`` line."""
        obs, info = self.env.reset(seed=seed, options=options)
        self._index = 0
        self._conversations.clear()
        self._write(
            ResetLine(
                seed=seed,
                options=plain_value(options or {}),
                observation=ObservationLine(**plain(obs)),
                info=plain_value(info),
            )
        )
        return obs, info

    def step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment and write a ``step`` line."""
        begin = time.perf_counter()
        obs, reward, terminated, truncated, info = self.env.step(action)
        self._write(
            StepLine(
                index=self._index,
                action=_fields(action),
                observation=ObservationLine(**plain(obs)),
                reward=float(reward),
                terminated=bool(terminated),
                truncated=bool(truncated),
                seconds=round(time.perf_counter() - begin, 6),
                info={key: plain_value(value) for key, value in info.items() if key not in _ON_RESET},
            )
        )
        self._index += 1
        return obs, reward, terminated, truncated, info

    def model(
        self, phase: str, messages: Sequence[Message], completion: Completion, cost: float | None
    ) -> None:
        """Write a ``model`` line: a language model's answer, and what of the conversation is new since its last one.

        Args:
            phase: Name of the agent's phase; each has a conversation of its own.
            messages: All of the conversation that the model was given.
            completion: Its answer.
            cost: US dollars; None: unknown.
        """
        before = self._conversations.get(phase, [])
        kept = _same_at_start(before, messages)
        self._write(
            ModelLine(
                index=self._index,
                phase=phase,
                kept=kept,
                added=tuple(messages[kept:]),
                completion=completion.model_copy(update={"raw": {}}),
                cost=cost,
            )
        )
        self._conversations[phase] = [*messages, completion.message]

    def close(self) -> None:
        """Close the file and the environment."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self.env.close()

    def _write(self, line: ResetLine | StepLine | ModelLine) -> None:
        try:
            if self._fd < 0:
                self._fd = open_for_append(self.file)
            self._append(encode(line))
        except OSError as error:
            raise InfraError(f"The trajectory {self.file} cannot be written: {error.strerror}.") from error

    def _append(self, line: bytes) -> None:
        # One write call for a line: a killed process leaves whole lines, with at most the last one cut off.
        written = os.write(self._fd, line)
        try:
            while written < len(line):
                written += os.write(self._fd, line[written:])
        except OSError:
            os.ftruncate(self._fd, os.fstat(self._fd).st_size - written)
            raise


class TextActions(gymnasium.ActionWrapper[Observation, Any, Any], RecordConstructorArgs):
    """Take a language model's message as the action: its one fenced block says what to do (``parse_text``).

    Args:
        env: The environment.
    """

    def __init__(self, env: gymnasium.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        gymnasium.ActionWrapper.__init__(self, env)
        self.action_space = UnicodeText()

    def action(self, action: Any) -> Any:
        """Return the action that a message means."""
        return parse_text(action) if isinstance(action, str) else action


def _same_at_start(before: Sequence[Message], now: Sequence[Message]) -> int:
    """Return how many messages two conversations share at their beginning."""
    count = 0
    for one, other in zip(before, now, strict=False):
        if one is not other and one != other:
            break
        count += 1
    return count


def _fields(action: Any) -> dict[str, Any]:
    parsed = parse_action(action)
    fields: dict[str, Any] = parsed.model_dump(mode="json", exclude_none=True)
    if isinstance(parsed, InvalidAction) and not isinstance(action, InvalidAction):
        fields["given"] = str(action)[:10_000]
    return fields
