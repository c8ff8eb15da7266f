"""Directories of very many entries, and questions of very long words, cost the host little."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from icae_env.evaluation.archive import SubmissionLimits
from icae_env.evaluation.submission import take_snapshot
from icae_env.sandbox import rootfiles
from icae_env.sandbox.base import Backend, SandboxConfig
from icae_env.sandbox.editor import Editor
from icae_env.tasks import records_file
from icae_env.user_agent import UserAgent, load_records

MANY = "import os\nfor n in range(120_000): os.close(os.open(f'{n:06d}' + 'n' * 100, os.O_CREAT))"
HOSTILE = {
    "joined": "set" * 660, "one letter": "a" * 2000, "orders": "give all rules " * 130, "bulk": "all the of your these " * 90,
    "sources": "where original source code " * 70, "lines": "? " * 1000, "signs": "{}[]\\|^~$#@&%+<>=/!:;.-" * 80,
    "folds": "\N{LATIN SMALL LIGATURE FFI}" * 2000, "marks": "a\N{COMBINING ACUTE ACCENT}" * 1000,
}  # fmt: skip


@pytest.mark.bubblewrap
def test_a_directory_of_very_many_files(bubblewrap: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rootfiles, "MAX_NAMES", 10_000)
    with bubblewrap.create(SandboxConfig()) as sandbox:
        assert sandbox.run(["python3", "-c", MANY]).exit_code == 0
        tracemalloc.start()
        begun = time.monotonic()
        shown = Editor(sandbox.files).view(".")
        taken = take_snapshot(sandbox, limits=SubmissionLimits(entries=500))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert time.monotonic() - begun < 20
    assert shown.ok
    assert peak < 16 << 20
    names = [f"{number:06d}" + "n" * 100 for number in range(500)]
    assert sorted(taken.files) == names  # the first by name, whatever the order of the directory
    assert names[0] in shown.text


@pytest.mark.parametrize("question", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("task", ["bracex", "ssf", "stockholm"])
def test_hostile_questions_are_answered_at_once_and_alike(task: str, question: str) -> None:
    file = records_file(task, "L1")
    assert isinstance(file, Path)
    records = load_records(file)
    agent = UserAgent(records)
    begun = time.perf_counter()
    reply = agent.session().ask(question[:2000])
    assert time.perf_counter() - begun < 0.25
    assert agent.session().ask(question[:2000]) == reply
    assert sum(record.oracle_response in reply.text for record in records.records) <= 3
