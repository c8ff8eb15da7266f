"""A small corpus in upstream's layout, with its usual oddities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDERS = {"L1": "prd_json", "L2": "prd_json_medium", "L3": "prd_json_easy"}
ALIAS = "realcode@001"
KEY = "some-user__shouter"


def write(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


def record(level: str) -> dict[str, Any]:
    return {
        "fuzzy_prd": f"# Shouting\n\nPrint the word of `text` loudly, as {level} has it. Odd words get the house mark.\n",
        "oracle_data": {
            "hidden_constraints": [
                {
                    "constraint_id": "empty_word",
                    "trigger_keywords": ["empty word", "no letters", "empty string", "blank", "nothing"],
                    "oracle_response": "For an empty word print NOTHING.",
                    "difficulty": 3,
                }
            ],
            "context_pointers": [
                {
                    "vague_reference": "the house mark",
                    "actual_meaning": "The house mark is an exclamation mark.",
                }
            ],
            "golden_api_signature": 'input: {"text": string}, output: one line',
            "fallback_response": "The document does not say.",
        },
        "model": "writer-9",
    }


def case(text: str, output: Any, **more: Any) -> dict[str, Any]:
    return {"input": {"text": text}, "expected_output": output, **more}


def write_corpus(root: Path, *, tests: str = f"rcb_tests_repos/{KEY}/rcb_tests", alias: str = ALIAS) -> Path:
    for level, folder in FOLDERS.items():
        write(root / folder / f"{alias}.json", record(level))
    entry = {
        "key": KEY,
        "username": "some-user",
        "repo_name": "shouter",
        "language": "Python",
        "total_code_files": 3,
    }
    write(root / "repo_alias.json", {alias: entry})
    suites = root / tests
    native = [case("ab", "AB!"), case("cde", "CDE!", weight=2), case("", "NOTHING!")]
    write(suites / "test_cases" / "Words Plain.json", {"description": "Words.", "cases": native})
    write(suites / "test_cases" / "lists.json", {"description": "Lists.", "cases": [case("1", ["1"])]})
    write(suites / "enhanced_test_cases" / "lists.json", {"description": "More.", "cases": [case("2", "2!")]})
    public = [case("ab", "AB!"), case("1", '["1"]'), case("zz", "ZZ!")]
    write(suites / "public_test_cases" / "shown.json", {"description": "Shown.", "cases": public})
    return root


SUBMISSION = """#!/usr/bin/env bash
cd "$(dirname "$0")/.."
exec python3 - "$2" <<'END'
import json, pathlib, sys
suite = sys.argv[1]
out = pathlib.Path("rcb_tests/stdout") / suite
out.mkdir(parents=True, exist_ok=True)
for file in pathlib.Path("rcb_tests", suite).glob("*.json"):
    for index, case in enumerate(json.loads(file.read_text())["cases"]):
        text = case["input"]["text"]
        (out / f"{file.stem}@{index:03d}.txt").write_text(text.upper() + "!")
END
"""
