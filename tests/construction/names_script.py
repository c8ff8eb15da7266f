"""The completions of a scripted model that makes a task of inflection 0.5.1: one fault of each kind among them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import names_cases
import names_questions
import names_texts as texts

SOURCE = "inflection==0.5.1"
ID = "name-forms"
PRICES = '[models."scripted:*"]\ninput = 2.0\noutput = 10.0\n'
USAGE = {"input_tokens": 1000, "output_tokens": 100}
COST_OF_ONE = 0.003
FACTS = {
    "registry": "pypi", "package": "inflection", "version": "0.5.1", "licence": "MIT",
    "url": "https://github.com/jpvanhal/inflection",
    "identifiers": [
        "Janne Vanhala", "jpvanhal", "Ruby on Rails", "camelize", "dasherize", "humanize", "ordinalize", "parameterize", "pluralize",
        "singularize", "tableize", "titleize", "transliterate",
    ],
}  # fmt: skip


def completions() -> list[dict[str, Any]]:
    """Every answer with the stage that asks for it; within a stage they come in this order."""
    return [{"phase": stage, "text": text, "usage": USAGE} for stage, text in _answers()]


def write(file: Path, entries: list[dict[str, Any]]) -> str:
    """Write a script and return the model's name."""
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return f"scripted:{file}"


def golden(adapter: str) -> dict[str, Any]:
    return {
        "files": [
            {"path": "install.sh", "text": texts.INSTALL, "executable": True},
            {"path": "rcb_tests/test.sh", "text": texts.TEST, "executable": True},
            {"path": "adapter.py", "text": adapter},
        ]
    }


def _answers() -> Iterator[tuple[str, str]]:
    yield "behaviours", json.dumps(FACTS)[:-40]  # cut in the middle: no JSON
    yield "behaviours", "Here it is:\n```json\n" + json.dumps(FACTS) + "\n```"
    found = [
        {"id": name, "summary": summary, "evidence": [{"file": "test_inflection.py", "line": line}]}
        for name, (summary, line) in names_cases.BEHAVIOURS.items()
    ]
    found[0]["evidence"] = [{"file": "test_inflection.py", "line": 9999}]  # no such line
    yield "behaviours", json.dumps({"behaviours": found})
    found[0]["evidence"] = [{"file": "test_inflection.py", "line": 231}]
    yield "behaviours", json.dumps({"behaviours": found})
    ground = {
        "title": "Forms of names", "domain": "text", "prd": texts.GROUND, "signature": texts.SIGNATURE,
        "native": names_cases.native(),
    }  # fmt: skip
    yield (
        "ground",
        json.dumps({**ground, "prd": texts.GROUND + "\nIt does what titleize does.\n"}),
    )  # names the source
    yield "ground", json.dumps(ground)
    # Steady to look at, and different in every run.
    unsteady = texts.ADAPTER.replace("import sys\n", "import sys\nimport uuid\n", 1).replace(
        'return inflection.ordinalize(case["number"])',
        'return inflection.ordinalize(case["number"]) + uuid.uuid4().hex',
    )
    yield "golden", json.dumps(golden(unsteady))
    yield "golden", json.dumps(golden(texts.ADAPTER))
    yield "enhanced", json.dumps({"files": names_cases.enhanced()})
    yield "revision", json.dumps({"edits": [texts.EDIT]})
    yield "constraints", json.dumps(_constraints())
    yield "levels", json.dumps({"prd": texts.L1})
    # All that is to be hidden is said.
    yield "levels", json.dumps({"prd": texts.fuller("L9")})
    yield "levels", json.dumps({"prd": texts.fuller("L2")})
    yield "levels", json.dumps({"prd": texts.fuller("L3")})
    yield "witnesses", json.dumps({"constraints": names_questions.witnesses()})
    yield "examples", json.dumps({"constraints": names_questions.examples()})
    yield "audit", json.dumps(names_questions.audit())


def _constraints() -> dict[str, Any]:
    reference, meaning = texts.REFERENCE
    return {
        "constraints": [
            {"id": name, "response": response, "triggers": triggers.split("|"), "hidden_down_to": down}
            for name, (down, response, triggers) in texts.CONSTRAINTS.items()
        ],
        "references": [{"reference": reference, "meaning": meaning, "levels": ["L1", "L2", "L3"]}],
        "fallback": texts.FALLBACK,
    }
