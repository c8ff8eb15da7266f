"""Spaces for text: gymnasium's ``Text`` lists its characters and so rejects most of Unicode."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

from icae_env.env.actions import InvalidAction, parse_action
from icae_env.env.shared_texts import SharedTexts

MAX_OBSERVATION = 8 * 1024 * 1024
"""Characters of the longest observation text (the first one holds the whole PRD and is not cut)."""
NO_EXIT_CODE = -1
"""Stands where the last action has no exit code."""
_COUNT = np.iinfo(np.int32).max
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class UnicodeText(spaces.Space[str]):
    """Any text that UTF-8 can carry, up to a length.

    Args:
        max_length: Characters.
        seed: Seed or generator for sampling.
    """

    def __init__(
        self, max_length: int = MAX_OBSERVATION, seed: int | np.random.Generator | None = None
    ) -> None:
        super().__init__(seed=seed)
        self.max_length = max_length

    @property
    def is_np_flattenable(self) -> bool:
        """Return False: text has no fixed shape."""
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Return a short random text that also holds characters beyond ASCII."""
        codes = self.np_random.integers(0x20, 0xD7FF, size=int(self.np_random.integers(0, 32)))
        return "".join(map(chr, codes))[: self.max_length]

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is such a text."""
        if not isinstance(x, str) or len(x) > self.max_length:
            return False
        try:
            x.encode("utf-8")
        except UnicodeEncodeError:
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash((type(self), self.max_length))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.max_length})"


class ActionSpace(UnicodeText):
    """JSON text of a valid action. Mappings and action models are members too, since ``step`` takes them.

    Samples look around and do no harm; they never submit.
    """

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Return the JSON text of a harmless action: a look at the workspace, a small echo, a question."""
        word = "".join(_LETTERS[i] for i in self.np_random.integers(0, len(_LETTERS), size=6))
        choices: tuple[dict[str, Any], ...] = (
            {"type": "bash", "command": f"echo {word}"},
            {"type": "bash", "command": "ls"},
            {"type": "edit", "op": "view", "path": "start.md"},
            {"type": "edit", "op": "create", "path": f"notes/{word}.txt", "text": f"{word}\n"},
            {"type": "ask_user", "question": f"What does {word} mean?"},
        )
        return json.dumps(choices[int(self.np_random.integers(0, len(choices)))])

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is a valid action in one of the three forms."""
        if isinstance(x, str) and not super().contains(x):
            return False
        return not isinstance(parse_action(x), InvalidAction)


def count_space() -> spaces.Box:
    """Return the space of a count: a 32-bit integer scalar from 0."""
    return spaces.Box(0, _COUNT, shape=(), dtype=np.int32)


def observation_space() -> spaces.Dict:
    """Return the space of observations: one for all tasks, so that vector environments can mix them."""
    return spaces.Dict(
        {
            "text": UnicodeText(),
            "exit_code": spaces.Box(NO_EXIT_CODE, _COUNT, shape=(), dtype=np.int32),
            "steps_left": count_space(),
            "questions_left": count_space(),
        }
    )


@create_shared_memory.register(UnicodeText)
def _create_shared_texts(space: UnicodeText, n: int = 1, ctx: Any = None) -> SharedTexts:
    return SharedTexts(n)


@read_from_shared_memory.register(UnicodeText)
def _read_shared_texts(space: UnicodeText, shared_memory: SharedTexts, n: int = 1) -> SharedTexts:
    return shared_memory  # gymnasium reads once and expects to see what is written later


@write_to_shared_memory.register(UnicodeText)
def _write_shared_text(space: UnicodeText, index: int, value: str, shared_memory: SharedTexts) -> None:
    shared_memory.write(index, value)
