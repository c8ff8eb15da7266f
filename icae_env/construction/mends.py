"""What to do about a finding, by the place it was made in."""

from __future__ import annotations

_BY_FIELD = (
    ("trigger_keywords", "give at least five phrases in an asker's words, free of the source's names."),
    (
        "witnesses",
        "name a case whose expected output changes when the constraint is ignored, with the naive_output "
        "that a program prints which does not know of it.",
    ),
    ("constraint_id", "use the id under which every vaguer level hides it, too."),
    ("oracle_response", "say it in the same words at every level, free of the source's names."),
    ("examples", "write questions of your own in all three manners, unlike those of audit.json."),
    ("hidden_constraints", "let the level hide more requirements, or fewer."),
    ("golden_api_signature", "describe the interface in words of the task's own."),
    ("input", "use another input that does not name the source."),
    ("expected_output", "choose an input whose output does not name the source."),
)
_BY_FILE = (
    ("/prd/", "correct the text: complete, within its length, and free of the source's names."),
    ("/cases/", "write more cases, mark some native ones as public, and record them with icae task record."),
    ("/golden/", "write this file; icae task new makes an example of each."),
    ("/README.md", "write where the task comes from, its licence and how its cases were made."),
    ("/audit.json", "ask about the records and references that the levels have, each of them three times."),
)


def mend_of(file: str, field: str | None) -> str:
    """Return what to do about a finding in a file at a dotted field."""
    places = (field or "").split(".")
    named = (mend for name, mend in _BY_FIELD if name in places)
    lying = (mend for part, mend in _BY_FILE if part in f"/{file}")
    return next(named, None) or next(lying, "correct it there.")
