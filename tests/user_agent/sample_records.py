"""A small record file of a task that exists nowhere else: a program that books rooms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FALLBACK = "Nobody has decided that."
SIGNATURE = 'bookrooms (no arguments). stdin: {"rooms": [str], "wishes": [{"room": str, "from": str}]}. stdout: {"booked": [int]}.'

CONSTRAINTS: list[dict[str, Any]] = [
    {
        "constraint_id": "R1",
        "trigger_keywords": ["overlap", "double booking", "same room twice", "clash", "collision"],
        "oracle_response": "When two wishes overlap in one room, the earlier one in the list wins and the later is refused.",
        "witnesses": [{"case": "clash-01", "naive_output": "both"}],
        "examples": {"colloquial": ["Anna and Ben both typed the red attic for noon, who has to leave?"]},
    },
    {
        "constraint_id": "R2",
        "trigger_keywords": ["time zone", "daylight saving", "utc", "local time", "offset"],
        "oracle_response": "All times are read as UTC; an offset such as +02:00 is an error.",
    },
    {
        "constraint_id": "R3",
        "trigger_keywords": ["minimum length", "shortest slot", "minWidth", "minutes", "rounding"],
        "oracle_response": "A slot shorter than 15 minutes is extended to 15 minutes.",
    },
    {
        "constraint_id": "R4",
        "trigger_keywords": ["capacity", "too many people", "crowd", "seats", "limit"],
        "oracle_response": "A wish for more people than a room seats is moved to the next larger room.",
    },
    {
        "constraint_id": "R5",
        "trigger_keywords": ["holiday", "weekend", "closed", "sunday", "calendar"],
        "oracle_response": "Wishes on a Sunday are refused with the reason CLOSED.",
    },
    {
        "constraint_id": "R6",
        "trigger_keywords": ["exit code", "status", "failure", "return code", "error"],
        "oracle_response": "Exit code 4 means that at least one wish was refused.",
    },
]

POINTERS = [
    {
        "vague_reference": "as the caretaker's ledger has it",
        "actual_meaning": "Rooms are listed floor by floor, the cellar last.",
    }
]


def write_records(file: Path, **changes: Any) -> Path:
    """Write the sample to ``file``, with parts of ``oracle_data`` replaced."""
    oracle = {
        "hidden_constraints": CONSTRAINTS,
        "context_pointers": POINTERS,
        "golden_api_signature": SIGNATURE,
        "fallback_response": FALLBACK,
    }
    file.write_text(json.dumps({"oracle_data": oracle | changes}))
    return file
