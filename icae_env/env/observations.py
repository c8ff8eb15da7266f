"""What the agent sees: text within a limit and three counts; nothing in it differs between equal runs."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from icae_env.env.spaces import NO_EXIT_CODE


class Observation(TypedDict):
    """One observation. The counts are 0-d int32 arrays, as gymnasium's ``Box`` wants them."""

    text: str
    exit_code: npt.NDArray[np.int32]
    """Of a bash command; 0 or 1 for an edit that was done or refused; -1 where there is none."""
    steps_left: npt.NDArray[np.int32]
    questions_left: npt.NDArray[np.int32]


def observation(text: str, exit_code: int | None, steps_left: int, questions_left: int) -> Observation:
    """Return an observation with fresh arrays."""
    return {
        "text": text,
        "exit_code": np.array(NO_EXIT_CODE if exit_code is None else exit_code, dtype=np.int32),
        "steps_left": np.array(max(steps_left, 0), dtype=np.int32),
        "questions_left": np.array(max(questions_left, 0), dtype=np.int32),
    }


def plain(obs: Observation) -> dict[str, Any]:
    """Return an observation as JSON values."""
    return {
        "text": obs["text"],
        "exit_code": int(obs["exit_code"]),
        "steps_left": int(obs["steps_left"]),
        "questions_left": int(obs["questions_left"]),
    }


def cut(text: str, limit: int) -> str:
    """Return at most ``limit`` characters: head and tail of ``text``, and between them what is left out.

    Args:
        text: Output of an action.
        limit: Characters (at least 200, so that the note fits).
    """
    if len(text) <= limit:
        return text
    note = "\n[... {} characters left out here: the output limit is {} characters ...]\n"
    kept = limit - len(note.format(len(text), limit))
    head = (kept + 1) // 2
    tail = kept - head
    return text[:head] + note.format(len(text) - kept, limit) + text[len(text) - tail :]


def clean(text: str) -> str:
    """Return ``text`` as UTF-8 can carry it: lone surrogates (of odd file names) become ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
