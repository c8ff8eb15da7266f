"""The stages of a build over a directory: what is kept, what is redone, what is refused. Nothing is run in a sandbox here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from icae_env.construction.pipeline import BuildOptions, BuildReport, build_task
from icae_env.construction.pipeline.blocks import emptied, filled, inputs_of, key
from icae_env.construction.pipeline.ledger import Ledger
from icae_env.construction.pipeline.prompts import Prompts
from icae_env.construction.pipeline.reading import kind_of, parts, telling_names
from icae_env.errors import ConfigError, ModelError
from icae_env.llm.script_file import Script
from icae_env.llm.scripted import ScriptedModel

FACTS = {
    "registry": "pypi", "package": "shouter", "version": "1.0", "licence": "MIT", "url": "", "identifiers": ["shouter"],
}  # fmt: skip
FOUND = {
    "behaviours": [
        {"id": "caps", "summary": "All is capital.", "evidence": [{"file": "tests/test_it.py", "line": 3}]}
    ]
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "tests").mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[project]\nname = "shouter"\nversion = "1.0"\n')
    (folder / "shouter.py").write_text("def shout_it(text):\n    return text.upper()\n")
    (folder / "tests" / "test_it.py").write_text(
        'from shouter import shout_it\n\nassert shout_it("a") == "A"\n'
    )
    return folder


def build(source: Path, *answers: Any, resume: bool = False, **options: Any) -> BuildReport:
    """Build until the answers are used up."""
    texts = [answer if isinstance(answer, str) else json.dumps(answer) for answer in answers]
    script = Script.model_validate(
        {"completions": [{"text": text} for text in texts] or [{"error": "request"}]}
    )
    given = {
        "id": "shouts",
        "source": str(source),
        "language": "python",
        "root": source.parent / "root",
        **options,
    }
    return build_task(BuildOptions(**given), ScriptedModel.of(script), resume=resume)


def finished(source: Path) -> dict[str, int]:
    folder = source.parent / "root" / ".build" / "shouts"
    return {
        file.name: file.stat().st_mtime_ns for file in folder.glob("*.json") if "unfinished" not in file.name
    }


def test_each_stage_is_kept_until_what_it_was_made_from_changes(source: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        build(source, FACTS, FOUND)
    first = finished(source)
    assert sorted(first) == ["01-source.json", "02-behaviours.json"]
    with pytest.raises(ConfigError, match="was begun"):
        build(source)
    with pytest.raises(ModelError):
        build(source, resume=True)  # both are kept, so that the first call is for the third stage
    assert finished(source) == first
    # A file that no behaviour is read from changes nothing.
    (source / "CHANGES.md").write_text("New.\n")
    with pytest.raises(ModelError):
        build(source, resume=True)
    assert finished(source) == first
    # A prompt changes its stage and not the one before.
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "behaviours.md").write_text("List what $package does: $documents $$")
    with pytest.raises(ModelError):
        build(source, FACTS, FOUND, resume=True, prompts=prompts)
    second = finished(source)
    assert {name for name in first if first[name] != second[name]} == {"02-behaviours.json"}
    (source / "tests" / "test_it.py").write_text("import shouter\n\n\n")
    report = build(source, FACTS, FOUND, resume=True, prompts=prompts, repairs=0)
    assert report.rejected is not None
    assert report.rejected.faults == ("caps: evidence tests/test_it.py:3: this line is empty.",)
    assert [stage.name for stage in report.stages if not stage.kept] == ["source", "behaviours"]


def test_an_answer_is_repaired_so_often_and_no_more(source: Path) -> None:
    wrong = {**FACTS, "identifiers": ["shouter", "whisper"]}
    report = build(source, "no object", wrong, {**FACTS, "licence": 3}, FACTS, repairs=2)
    assert report.rejected is not None
    assert report.rejected.stage == "behaviours"
    kept = json.loads(report.rejected.file.read_text())
    assert [attempt["faults"][0] for attempt in kept["attempts"]] == [
        "The answer holds no JSON object.",
        "identifiers: whisper does not occur in the source.",
        "licence: Input should be a valid string.",
    ]
    assert report.use.calls == 3
    assert (report.folder, report.ok) == (None, False)
    # Its costs are not lost when the stage comes through later on.
    with pytest.raises(ModelError):
        build(source, FACTS, FOUND, resume=True)
    folder = source.parent / "root" / ".build" / "shouts"
    assert json.loads((folder / "02-behaviours.json").read_text())["use"]["calls"] == 5
    assert not report.rejected.file.exists()


def test_telling_names_of_the_code_are_banned_unasked(source: Path) -> None:
    ground = {
        "title": "Shouts", "domain": "text", "prd": "Print `text` by shout_it.\n\n```case\n{\"input\": 1, \"output\": \"1\"}\n```\n",
        "signature": "text", "native": [{"stem": "a", "description": "A", "cases": [{"id": "a", "input": 1, "behaviour": "b"}]}],
    }  # fmt: skip
    report = build(source, FACTS, FOUND, ground, repairs=0, native=1)
    assert report.rejected is not None
    assert set(report.rejected.faults) == {
        'Example 1 of the PRD must be {"input": ...} and nothing else: outputs come from the package.',
        "prd names the source: shout_it. Say it in other words.",
        "The case 'a' must name the behaviour that it shows.",
        "No case shows the behaviour 'caps'.",
        'No case is public: mark a few simple ones with "public": true.',
    }


def test_an_answer_that_was_cut_off_is_told_so(source: Path) -> None:
    script = Script.model_validate({"completions": [{"text": json.dumps(FACTS), "finish": "length"}]})
    options = BuildOptions(
        id="shouts", source=str(source), language="python", root=source.parent / "root", repairs=0
    )
    report = build_task(options, ScriptedModel.of(script))
    assert report.rejected is not None
    assert "cut off" in report.rejected.faults[0]


def test_two_builds_of_one_task_do_not_meet(source: Path) -> None:
    with (
        Ledger(source.parent / "root" / ".build" / "shouts").held(),
        pytest.raises(ConfigError, match="Another process"),
    ):
        build(source)


def test_a_kill_between_the_two_moves_is_mended(source: Path) -> None:
    root = source.parent / "root"
    made = root / ".build" / "shouts" / "made"
    (made / "tasks" / "shouts").mkdir(parents=True)
    (made / "user_agent_data").mkdir()
    (root / "user_agent_data" / "shouts").mkdir(parents=True)
    with pytest.raises(ConfigError, match="exists already"):
        build(source)
    with pytest.raises(ModelError):
        build(source, resume=True)
    assert (made / "user_agent_data" / "shouts").is_dir()
    assert not (root / "user_agent_data" / "shouts").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [("no-such-folder", "neither a directory"), ("npm:thing==1.0", "neither a directory")],
)
def test_a_source_that_is_none_is_refused(source: Path, given: str, said: str) -> None:
    root = source.parent / "root"
    with pytest.raises(ConfigError, match=said):
        build(Path(given), root=root)
    assert not root.exists()


def test_a_source_without_tests_is_refused(source: Path) -> None:
    (source / "tests" / "test_it.py").unlink()
    with pytest.raises(ConfigError, match="No tests"):
        build(source)


def test_an_id_that_is_taken_is_refused(source: Path) -> None:
    with pytest.raises(ConfigError, match="already"):
        build(source, id="bracex")


@pytest.mark.parametrize(
    ("source", "pin"),
    [
        ("inflection==0.5.1", "pypi:inflection==0.5.1"),
        ("pypi:a.b-c==1.0rc1", "pypi:a.b-c==1.0rc1"),
        ("svgpath@2.6.0", "npm:svgpath@2.6.0"),
        ("npm:@lume/kiwi@0.4.4", "npm:@lume/kiwi@0.4.4"),
        ("inflection", "None"),
        ("inflection>=0.5", "None"),
        ("a==1; touch b", "None"),
    ],
)
def test_only_pinned_packages_are_packages(source: str, pin: str, tmp_path: Path) -> None:
    assert str(BuildOptions(id="x", source=source, language="python", root=tmp_path).pin) == pin


def test_what_a_file_is_good_for() -> None:
    kinds = {
        "test_it.py": "test", "src/__tests__/a.js": "test", "spec/a_spec.rb": "test", "src/test/java/ATest.java": "test",
        "README.rst": "document", "docs/use.md": "document", "docs/CHANGELOG.md": None, "setup.py": "metadata", "a.gemspec": "metadata",
        "LICENSE": "metadata", "src/a.rs": "code", "node_modules/a/index.js": None, ".git/config": None, "a.egg-info/x.txt": None,
        "logo.png": None, "tests/data/a.png": None, "latest.py": "code",
    }  # fmt: skip
    assert {path: kind_of(path) for path in kinds} == kinds


def test_telling_names_are_those_that_no_text_holds_by_chance() -> None:
    code = "class BraceExpander:\n    def expand(self): ...\n    def keep_all(self): ...\nexport function parseIt() {}\nfunc (a *T) RunAll() {}\n"
    assert telling_names([code]) == ("BraceExpander", "keep_all", "parseIt", "RunAll")


def test_long_files_come_in_parts_with_their_line_numbers() -> None:
    found = parts({"a.py": "\n".join(f"line {number}" for number in range(1, 101)), "b.py": "last\n"}, 500)
    assert len(found) > 2
    assert all(len(part) < 700 for part in found)
    assert found[1].startswith("=== a.py (continued)")
    assert "100| line 100" in "".join(found)
    assert found[-1].endswith("=== b.py\n1| last\n")


def test_examples_get_their_outputs_from_the_golden_alone() -> None:
    prd = 'A\n\n```case\n{"input": {"a": 1}}\n```\n\nB\n\n```case\n{"input": 2}\n```\n'
    assert inputs_of(prd) == ([{"a": 1}, 2], [])
    full = filled(prd, {key({"a": 1}): "one\n"})
    assert full == 'A\n\n```case\n{"input": {"a": 1}, "output": "one"}\n```\n\nB\n\n'
    assert emptied(full) == 'A\n\n```case\n{"input": {"a": 1}}\n```\n\nB\n\n'
    assert inputs_of(full)[1] != []


def test_a_prompt_with_an_unknown_variable_is_refused(tmp_path: Path) -> None:
    (tmp_path / "facts.md").write_text("$nothing")
    with pytest.raises(ConfigError, match="nothing") as caught:
        Prompts(tmp_path).fill("facts.md", {"pin": "x"})
    assert caught.value.file == tmp_path / "facts.md"
