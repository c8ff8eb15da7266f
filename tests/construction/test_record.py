"""icae task record: what the golden prints is written, steadily and whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from real_sandboxes import works_or_skip

from icae_env.construction import new_task, record_task
from icae_env.errors import ConfigError

pytestmark = pytest.mark.bubblewrap


@pytest.fixture(autouse=True)
def _needs_bubblewrap() -> None:
    works_or_skip("bubblewrap")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "cache"))


def record(folder: Path, *, check: bool = False) -> list[str]:
    done = record_task(folder, sandbox="bubblewrap", image="host", check=check)
    assert done.cases == 2 + folder.joinpath("cases/native/plain.json").read_text().count('"id"') - 1
    return [item.case for item in done.differences]


@pytest.mark.parametrize("protocol", ["rcb", "stdin"])
def test_outputs_are_written_and_all_else_stays(tmp_path: Path, protocol: str) -> None:
    folder = new_task("my-task", "python", protocol, tmp_path)
    file = folder / "cases" / "native" / "plain.json"
    right = file.read_text()
    assert record(folder, check=True) == []
    odd = right.replace('  "cases": [', '\t"cases" :\n[').replace('"hello\\n"', "null")
    file.write_text(odd)
    file.chmod(0o640)
    assert record(folder, check=True) == ["plain-01"]
    assert file.read_text() == odd
    assert record(folder) == ["plain-01"]
    assert file.read_text() == odd.replace("null", '"hello\\n"')
    assert file.stat().st_mode & 0o777 == 0o640
    # By the comparison 'text' the final newline is nothing to write.
    file.write_text(file.read_text().replace('"hello\\n"', '"hello"'))
    before = file.stat().st_mtime_ns
    assert record(folder) == []
    assert file.stat().st_mtime_ns == before
    assert [path.name for path in (folder / "cases").iterdir() if path.name.startswith(".")] == []


def test_outputs_that_change_from_run_to_run_are_refused(tmp_path: Path) -> None:
    folder = new_task("my-task", "python", "rcb", tmp_path)
    adapter = folder / "golden" / "adapter.py"
    adapter.write_text(adapter.read_text().replace('"(empty)"', "__import__('os').urandom(8).hex()"))
    before = {file: file.read_bytes() for file in folder.rglob("*.json")}
    with pytest.raises(ConfigError, match=r"different things for empty-01\."):
        record(folder)
    assert {file: file.read_bytes() for file in folder.rglob("*.json")} == before


@pytest.mark.parametrize(
    ("request_text", "said"),
    [('{"op": "no-such"}', "missing"), ('{"op": "echo", "text": "caf\u00e9"}', "UTF-8")],
)
def test_an_input_without_an_output_is_refused_by_name(tmp_path: Path, request_text: str, said: str) -> None:
    folder = new_task("my-task", "python", "rcb", tmp_path)
    adapter = folder / "golden" / "adapter.py"
    adapter.write_text(adapter.read_text().replace('.encode("utf-8")', '.encode("latin-1")'))
    file = folder / "cases" / "native" / "plain.json"
    entry = f'{{"id": "plain-00", "input": {request_text}, "expected_output": null}},'
    file.write_text(file.read_text().replace('"cases": [', f'"cases": [{entry}'))
    before = file.read_bytes()
    with pytest.raises(ConfigError, match=rf"no output to record for plain-00 .*{said}"):
        record(folder)
    assert file.read_bytes() == before
