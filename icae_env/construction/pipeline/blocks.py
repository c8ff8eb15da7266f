"""Examples in a PRD: fenced ``case`` blocks, written by the model with an input and filled in with what the golden printed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_BLOCK = re.compile(r"^```case[ \t]*\n(.*?)^```[ \t]*$\n?", re.DOTALL | re.MULTILINE)


def inputs_of(prd: str) -> tuple[list[Any], list[str]]:
    """Return the inputs of a PRD's examples, and what is wrong with the blocks."""
    inputs: list[Any] = []
    faults: list[str] = []
    for number, body in enumerate(_BLOCK.findall(prd), 1):
        try:
            value = json.loads(body)
        except ValueError as error:
            faults.append(f"Example {number} of the PRD is not JSON: {error}.")
            continue
        if not isinstance(value, dict) or set(value) != {"input"}:
            faults.append(
                f'Example {number} of the PRD must be {{"input": ...}} and nothing else: outputs come from the package.'
            )
            continue
        inputs.append(value["input"])
    return inputs, faults


def filled(prd: str, printed: Mapping[str, str]) -> str:
    """Return a PRD with the outputs in its examples; an example whose output is not known is left out.

    Args:
        prd: As the model wrote it.
        printed: What the golden printed, by ``key`` of the input.
    """

    def block(match: re.Match[str]) -> str:
        given = json.loads(match[1])["input"]
        output = printed.get(key(given))
        if output is None:
            return ""
        text = json.dumps({"input": given, "output": output.removesuffix("\n")}, ensure_ascii=False)
        return f"```case\n{text}\n```\n"

    return _BLOCK.sub(block, prd)


def emptied(prd: str) -> str:
    """Return a PRD with the inputs of its examples alone, as the model writes it."""

    def block(match: re.Match[str]) -> str:
        return f"```case\n{json.dumps({'input': json.loads(match[1])['input']}, ensure_ascii=False)}\n```\n"

    return _BLOCK.sub(block, prd)


def key(value: Any) -> str:
    """Return what is the same for equal inputs only."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
