"""icae import: a corpus of another benchmark becomes tasks of this one."""

from __future__ import annotations

import json
from pathlib import Path

from icae_program import document, icae

NAME = "realcode@007"


def write(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


def corpus(root: Path) -> Path:
    for folder in ("prd_json", "prd_json_medium", "prd_json_easy"):
        oracle = {"hidden_constraints": [], "context_pointers": [], "fallback_response": "No."}
        write(root / folder / f"{NAME}.json", {"fuzzy_prd": "Add.", "oracle_data": oracle, "seed": 1})
    write(
        root / "repo_alias.json", {NAME: {"key": "a__b", "username": "a", "repo_name": "b", "language": "C#"}}
    )
    for suite in ("test_cases", "enhanced_test_cases"):
        cases = [{"input": [1, 2], "expected_output": "3"}]
        write(root / "rcb_tests" / NAME / suite / "sums.json", {"description": "Sums.", "cases": cases})
    return root


def test_a_corpus_is_imported_and_listed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = icae("import", "icae-bench", str(corpus(tmp_path / "corpus")), "--out", str(out))
    assert done.exit_code == 0, done.output
    assert f"{NAME}: csharp, L1, L2, L3, 1 native (0 public) and 1 enhanced cases" in done.stdout
    assert "prd_json/realcode@007.json: seed: This key is unknown." in done.stdout
    assert "1 tasks imported, 0 left out." in done.stdout
    told = document(icae("tasks", "--json", env={"ICAE_TASKS_PATH": str(out)}))
    (listed,) = [item for item in told["tasks"] if item["id"] == NAME]
    assert (listed["language"], listed["image"]) == ("csharp", "mono")


def test_what_was_left_out_is_told(tmp_path: Path) -> None:
    place = str(corpus(tmp_path / "corpus"))
    icae("import", "icae-bench", place, "--out", str(tmp_path / "out"))
    done = icae("import", "icae-bench", place, "--out", str(tmp_path / "out"), "--json")
    assert done.exit_code == 1
    (left,) = document(done)["skipped"]
    assert "exists already" in left["reason"]


def test_wrong_input_is_refused(tmp_path: Path) -> None:
    assert icae("import", "icae-bench", str(tmp_path), "--out", str(tmp_path / "out")).exit_code == 2
    done = icae(
        "import", "icae-bench", str(tmp_path), "--out", str(tmp_path / "out"), "--comparison", "loose"
    )
    assert done.exit_code == 2
    assert "There is no comparison 'loose'" in done.output


def test_a_place_that_cannot_hold_tasks_is_named_with_a_mend(tmp_path: Path) -> None:
    place, file = str(corpus(tmp_path / "corpus")), tmp_path / "file"
    file.write_text("x")
    done = icae("import", "icae-bench", place, "--out", str(file))
    assert done.exit_code == 2
    assert "file/tasks: Not a directory. Mend: give a path whose folders are folders" in done.stderr
    assert file.read_text() == "x"
    done = icae("import", "icae-bench", place, "--out", "/proc/none", "--json")
    assert "/proc/none: No such file or directory. Mend: " in document(done)["error"]["message"]
