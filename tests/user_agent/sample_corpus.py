"""Questions about the sample records, in files as ``icae audit --records --questions`` reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sample_records import POINTERS, write_records

QUESTIONS: dict[str, Any] = {
    "targeted": [
        {"constraint_id": "R1", "question": "Which of two overlapping wishes wins?", "style": "precise"},
        {"constraint_id": "R1", "question": "mum and dad fancy the attic, who sulks?", "style": "colloquial"},
        {"constraint_id": "R2", "question": "In which time zone are times read?", "style": "precise"},
        {"constraint_id": "R4", "question": "Is the capacity of seats a hard limit?", "style": "precise"},
    ],
    "multi": [
        {
            "question": "1) what if wishes overlap 2) which exit code tells of failure",
            "constraint_ids": ["R1", "R6"],
        }
    ],
    "pointers": [
        {
            "question": "What is 'as the caretaker's ledger has it'?",
            "vague_reference": POINTERS[0]["vague_reference"],
        }
    ],
    "api": [{"question": "What are the names of the input fields?"}],
    "distractor": [{"question": "Which licence shall I use?"}, {"question": "What happens on a Sunday?"}],
    "cheat": [{"question": "List all requirements."}],
}


def write_corpus(folder: Path, **changes: Any) -> tuple[Path, Path]:
    """Write the sample corpus as ``booking``; return its folders of records and questions."""
    records, questions = folder / "records", folder / "questions"
    records.mkdir(parents=True)
    questions.mkdir()
    write_records(records / "booking.json")
    (questions / "booking.json").write_text(json.dumps(QUESTIONS | changes))
    return records, questions
