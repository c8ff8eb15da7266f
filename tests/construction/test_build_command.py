"""icae task build on a real package: killed, resumed, checked; a changed prompt; a finding of the gate."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import names_cases
import names_script
import names_texts
import pytest
from real_sandboxes import works_or_skip

from icae_env.tasks import load_hidden, load_public

pytestmark = [pytest.mark.bubblewrap, pytest.mark.network, pytest.mark.slow]
STAGES = (
    "source", "behaviours", "ground", "golden", "enhanced", "revision", "constraints", "levels", "witnesses", "examples", "audit",
)  # fmt: skip


class Place:
    """A data root, and the command that builds in it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.root = folder, folder / "root"
        self.build = self.root / ".build" / names_script.ID
        (folder / "prices.toml").write_text(names_script.PRICES)

    def command(self, entries: list[dict[str, Any]], *more: str) -> list[str]:
        model = names_script.write(self.folder / "script.jsonl", entries)
        return [
            sys.executable, "-m", "icae_env", "task", "build", "--source", names_script.SOURCE, "--id", names_script.ID,
            "--language", "python", "--model", model, "--out", str(self.root), "--enhanced", "30", "--sandbox", "bubblewrap",
            "--image", "host", "--prices", str(self.folder / "prices.toml"), "--json", *more,
        ]  # fmt: skip

    def run(self, entries: list[dict[str, Any]], *more: str) -> tuple[int, dict[str, Any], str]:
        done = subprocess.run(
            self.command(entries, *more),
            capture_output=True,
            text=True,
            check=False,
            env=self.env(),
            timeout=240,
        )
        return done.returncode, json.loads(done.stdout), done.stderr

    def env(self) -> dict[str, str]:
        return {**os.environ, "ICAE_HOME": str(self.folder.parent / "cache")}

    def files(self, stages: Sequence[str]) -> dict[str, tuple[bytes, int]]:
        found = {
            file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in self.build.glob("[0-9]*.json")
        }
        return {name: value for name, value in found.items() if name[3:].removesuffix(".json") in stages}

    def finished(self) -> list[str]:
        return [file.name[3:].removesuffix(".json") for file in sorted(self.build.glob("[0-9]*-*.json"))]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, int, dict[str, Any], list[str]]:
    """A build that was killed after its second stage and resumed, with its result and the stages that were kept."""
    works_or_skip("bubblewrap")
    place = Place(tmp_path_factory.mktemp("build") / "first")
    return (place, *_killed_and_resumed(place))


def _killed_and_resumed(place: Place) -> tuple[int, dict[str, Any], list[str]]:
    entries = names_script.completions()
    # Afterwards the model takes its time, so that the kill comes in the middle of the third stage.
    slow = [{**entry, "seconds": 60.0} if entry["phase"] == "ground" else entry for entry in entries]
    log = place.folder / "log.txt"
    with log.open("w") as stream:
        process = subprocess.Popen(place.command(slow), stdout=stream, stderr=stream, env=place.env())
        try:
            while "03-ground" not in log.read_text():
                assert process.poll() is None, log.read_text()
                time.sleep(0.05)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    kept = place.finished()
    assert kept == ["source", "behaviours"]
    assert not (place.root / "tasks").exists()
    before = place.files(kept)
    code, document, said = place.run(entries)
    assert (code, document["error"]["type"]) == (2, "ConfigError"), (
        said
    )  # a begun build is not begun again unasked
    code, document, said = place.run([entry for entry in entries if entry["phase"] not in kept], "--resume")
    assert place.files(kept) == before, said
    return code, document, kept


@pytest.fixture
def again(built: tuple[Place, int, dict[str, Any], list[str]], tmp_path: Path) -> Place:
    """A copy of the finished build's stages in a root of its own."""
    place = Place(tmp_path)
    shutil.copytree(built[0].build, place.build)
    return place


def test_a_real_package_becomes_a_task_that_the_gate_passes(
    built: tuple[Place, int, dict[str, Any], list[str]],
) -> None:
    place, code, document, kept = built
    gate = document["gate"]
    assert gate["faults"] == []
    assert (code, document["ok"]) == (0, True)
    assert next(check["name"] for check in gate["replayed"] if check["ok"]) == "golden, 3 times"
    assert [stage["name"] for stage in document["stages"]] == list(STAGES)
    assert [stage["name"] for stage in document["stages"] if stage["kept"]] == kept
    folder = place.root / "tasks" / names_script.ID
    assert "draft" not in (folder / "task.toml").read_text()
    hidden = load_hidden(folder)
    assert len(hidden.suite("native")) == sum(len(group["cases"]) for group in names_cases.native())
    assert len(hidden.suite("enhanced")) == names_cases.GOOD_ENHANCED
    outputs = {case.id: case.expected_output for case in hidden.cases}
    assert (outputs["slugs-13"], outputs["odd-labels-04"]) == ("rskbing\n", "École normale\n")
    ground = load_public(folder, "ground").prd
    assert '"output": "Raiders Of The Lost Ark"' in ground
    assert names_texts.EDIT["new"] in ground  # corrected by what was printed
    assert sorted(path.name for path in place.build.iterdir()) == sorted(
        f"{number:02d}-{name}.json" for number, name in enumerate(STAGES, 1)
    )


def test_faulty_answers_are_repaired_and_bad_cases_dropped_with_a_reason(
    built: tuple[Place, int, dict[str, Any], list[str]],
) -> None:
    place, _, document, _ = built
    faults = {
        stage: [fault for attempt in _kept(place, stage)["attempts"] for fault in attempt["faults"]]
        for stage in ("behaviours", "ground", "golden", "levels")
    }
    assert "not JSON" in faults["behaviours"][0]
    assert (
        faults["behaviours"][1] == "rank-endings: evidence test_inflection.py:9999: the file has 431 lines."
    )
    assert "names the source: titleize" in faults["ground"][0]
    assert "two runs print different things" in faults["golden"][0]
    assert "'teens' is to be hidden" in faults["levels"][0]
    dropped = {item["what"]: item["reason"] for stage in document["stages"] for item in stage["dropped"]}
    assert dropped["enhanced case odd-compacts-05"] == "its input is that of the native case compacts-01"
    assert "IndexError" in dropped["enhanced case odd-compacts-04"]
    assert len(dropped) == 2


def test_tokens_and_costs_are_kept_for_each_stage(
    built: tuple[Place, int, dict[str, Any], list[str]],
) -> None:
    place, _, document, _ = built
    entries = names_script.completions()
    for stage in STAGES[1:]:
        calls = sum(entry["phase"] == stage for entry in entries)
        use = _kept(place, stage)["use"]
        assert (use["calls"], use["usage"]["input_tokens"]) == (calls, 1000 * calls)
        assert use["cost"] == pytest.approx(calls * names_script.COST_OF_ONE)
    assert document["use"]["calls"] == len(entries)
    assert document["use"]["cost"] == pytest.approx(len(entries) * names_script.COST_OF_ONE)


def test_a_changed_prompt_redoes_its_stage_and_a_refused_answer_leaves_no_task(again: Place) -> None:
    prompts = again.folder / "prompts"
    prompts.mkdir()
    (prompts / "audit.md").write_text("Write questions on $constraints")
    before = again.files(STAGES[:-1])
    bad = {"phase": "audit", "text": '{"records": {}}', "usage": names_script.USAGE}
    code, document, _ = again.run([bad], "--resume", "--prompts", str(prompts), "--repairs", "0")
    assert code == 1
    assert [stage["name"] for stage in document["stages"] if not stage["kept"]] == ["audit"]
    assert document["rejected"]["stage"] == "audit"
    assert "'teens' is given 0 times, not once." in document["rejected"]["faults"]
    assert Path(document["rejected"]["file"]).name == "11-audit.unfinished.json"
    assert again.files(STAGES[:-1]) == before
    assert not (again.root / "tasks").exists()


def test_what_the_gate_finds_is_listed_and_the_task_is_a_draft(again: Place) -> None:
    audit = next(entry for entry in names_script.completions() if entry["phase"] == "audit")
    questions = json.loads(audit["text"])
    questions["distractors"] = [
        f"What is a slug of an accented letter, number {number}?" for number in range(10)
    ]
    (again.build / "11-audit.json").unlink()
    code, document, _ = again.run([{**audit, "text": json.dumps(questions)}], "--resume")
    assert code == 1
    assert ["the fallback to distractors" in fault["message"] for fault in document["gate"]["faults"]] == [
        True
    ]
    assert "draft = true" in (again.root / "tasks" / names_script.ID / "task.toml").read_text()
    code, document, _ = again.run([audit], "--resume")
    assert (code, "exists already" in document["error"]["message"]) == (2, True)


def _kept(place: Place, stage: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(next(place.build.glob(f"*-{stage}.json")).read_text())
    return document
