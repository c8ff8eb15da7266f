"""Read a model's answer: one JSON object, of the kind that was asked for."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from icae_env.llm.base import Completion

Answer = TypeVar("Answer", bound=BaseModel)
_LISTED = 12
"""Faults that are told at most."""
_DECODER = json.JSONDecoder()


def parsed(completion: Completion, kind: type[Answer]) -> tuple[Answer | None, tuple[str, ...]]:
    """Return the answer, or None and what is wrong with it."""
    if completion.finish == "length":
        return None, (
            "The answer was cut off by a limit on its length. Write the whole object, more briefly.",
        )
    if completion.finish == "filter":
        return None, ("The answer was withheld.",)
    text = completion.message.text
    begin = text.find("{")
    if begin < 0:
        return None, ("The answer holds no JSON object.",)
    try:
        # From the first brace on, so that a fence or a word of introduction does no harm.
        value, _ = _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError) as error:
        return None, (f"The answer is not JSON: {error}.",)
    return _validated(value, kind)


def faults_of(answer: BaseModel) -> tuple[str, ...]:
    """Return what no answer may hold, whatever its kind."""
    try:
        answer.model_dump_json().encode("utf-8")
    except ValueError:
        return ("The answer holds half of a surrogate pair.",)
    return ()


def _validated(value: Any, kind: type[Answer]) -> tuple[Answer | None, tuple[str, ...]]:
    try:
        # By way of JSON: strict about types, yet a list may fill a tuple.
        return kind.model_validate_json(json.dumps(value), strict=True), ()
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        told = [f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}." for fault in faults]
        more = [f"and {len(told) - _LISTED} more such faults"] if len(told) > _LISTED else []
        return None, (*told[:_LISTED], *more)
