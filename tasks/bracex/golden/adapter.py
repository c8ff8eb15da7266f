"""Answer the cases of one suite with the pinned package, in the task's own terms."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "vendor"))

import bracex  # noqa: E402  (the package lies in vendor/)

CEILING = 1000


def words(text: str, case: dict[str, Any]) -> list[str]:
    """Return the words of one text; raises the package's error over the ceiling."""
    return bracex.expand(
        text,
        keep_escapes=case.get("keep_backslashes", False),
        limit=case.get("max_words", CEILING),
        return_empty=case.get("blank_if_none", False),
    )


def line(text: str, case: dict[str, Any]) -> str:
    """Return the one line that answers one text: its words, their number, or the refusal."""
    try:
        found = words(text, case)
    except bracex.ExpansionLimitException:
        return f"error: more than {case.get('max_words', CEILING)} words"
    return str(len(found)) if case["op"] == "count" else json.dumps(found, ensure_ascii=False)


def answer(case: dict[str, Any]) -> str:
    """Return the whole output of one case."""
    texts = case["texts"] if case["op"] == "batch" else [case["text"]]
    return "".join(line(text, case) + "\n" for text in texts)


def main() -> None:
    """Write one output file per case; a case that fails leaves the others alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases-dir", required=True)
    suite = parser.parse_args().cases_dir
    out = ROOT / "rcb_tests" / "stdout" / suite
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted((ROOT / "rcb_tests" / suite).glob("*.json")):
        for index, case in enumerate(json.loads(file.read_text(encoding="utf-8"))["cases"]):
            try:
                text = answer(case["input"])
            except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
                print(f"{file.stem}@{index:03d}: {error!r}", file=sys.stderr)
                continue
            (out / f"{file.stem}@{index:03d}.txt").write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
