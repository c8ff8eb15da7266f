"""Upstream's record files as this package writes them: the known part, with what can be mended mended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from icae_env.construction.icae_bench.notes import Notes

_TOP = {"fuzzy_prd", "oracle_data", "public_test_cases"}
_ORACLE = ("hidden_constraints", "context_pointers", "golden_api_signature", "fallback_response")
_RECORD = ("constraint_id", "trigger_keywords", "oracle_response", "witnesses", "examples", "artefact")
_POINTER = ("vague_reference", "actual_meaning")


def clean_records(data: dict[str, Any], file: Path, notes: Notes) -> dict[str, Any]:
    """Return the part of a record file that has an effect; everything else is noted with its value."""
    _note_unknown(data, _TOP, "", file, notes)
    oracle = data.get("oracle_data")
    if not isinstance(oracle, dict):
        notes.add(file, "oracle_data", "There are no records.", oracle)
        return {"oracle_data": {"hidden_constraints": []}}
    _note_unknown(oracle, set(_ORACLE), "oracle_data", file, notes)
    cleaned: dict[str, Any] = {
        "hidden_constraints": _constraints(oracle.get("hidden_constraints"), file, notes),
        "context_pointers": _pointers(oracle.get("context_pointers"), file, notes),
    }
    for key in ("golden_api_signature", "fallback_response"):
        text = _text(oracle.get(key))
        if text.strip():
            cleaned[key] = text
        else:
            notes.add(file, f"oracle_data.{key}", "This is missing or empty.")
    return {"oracle_data": cleaned}


def _constraints(entries: Any, file: Path, notes: Notes) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    seen: set[str] = set()
    for place, entry in _objects(entries, "oracle_data.hidden_constraints", file, notes):
        _note_unknown(entry, set(_RECORD), place, file, notes)
        response = _text(entry.get("oracle_response"))
        if not response.strip():
            notes.add(file, place, "A record without a response was left out.", entry)
            continue
        name = _text(entry.get("constraint_id")) or f"constraint_{len(kept) + 1}"
        own, number = name, 2
        while own in seen:
            own, number = f"{name}-{number}", number + 1
        if own != entry.get("constraint_id"):
            notes.add(
                file, f"{place}.constraint_id", f"It is called '{own}' here.", entry.get("constraint_id")
            )
        seen.add(own)
        record = {key: entry[key] for key in _RECORD if key in entry}
        kept.append(
            {**record, "constraint_id": own, "trigger_keywords": _texts(entry.get("trigger_keywords")), "oracle_response": response}
        )  # fmt: skip
    return kept


def _pointers(entries: Any, file: Path, notes: Notes) -> list[dict[str, str]]:
    if isinstance(entries, dict):
        entries = [{"vague_reference": key, "actual_meaning": value} for key, value in entries.items()]
    kept = []
    for place, entry in _objects(entries, "oracle_data.context_pointers", file, notes):
        _note_unknown(entry, set(_POINTER), place, file, notes)
        pointer = {key: _text(entry.get(key)) for key in _POINTER}
        if all(value.strip() for value in pointer.values()):
            kept.append(pointer)
        else:
            notes.add(file, place, "A pointer without reference or meaning was left out.", entry)
    return kept


def _objects(entries: Any, place: str, file: Path, notes: Notes) -> list[tuple[str, dict[str, Any]]]:
    if entries is None:
        return []
    if not isinstance(entries, list):
        notes.add(file, place, "This is no list and was left out.", entries)
        return []
    found = []
    for index, entry in enumerate(entries):
        if isinstance(entry, dict):
            found.append((f"{place}.{index}", entry))
        else:
            notes.add(file, f"{place}.{index}", "This is no object and was left out.", entry)
    return found


def _note_unknown(data: dict[str, Any], known: set[str], place: str, file: Path, notes: Notes) -> None:
    for key, value in data.items():
        if key not in known:
            notes.add(file, f"{place}.{key}" if place else key, "This key is unknown.", value)


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [text for item in values if (text := _text(item)).strip()]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
