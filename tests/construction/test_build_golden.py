"""A golden that a model wrote is run for real: what it cannot answer is said case by case."""

from __future__ import annotations

from pathlib import Path

import pytest
from real_sandboxes import works_or_skip

from icae_env.construction.pipeline import BuildOptions
from icae_env.construction.pipeline.models import Facts, GoldenFile
from icae_env.construction.pipeline.running import Golden
from icae_env.errors import InfraError, SandboxError
from icae_env.tasks import Case

pytestmark = pytest.mark.bubblewrap
RUN = """#!/usr/bin/env python3
import json, os, sys
sys.path.insert(0, "vendor")
import shouter
word = json.load(sys.stdin)
if word == "bytes":
    sys.stdout.buffer.write(b"\\xff")
elif word == "chance":
    print(os.urandom(8).hex())
elif word == "fail":
    raise SystemExit("no")
else:
    print(shouter.shout(word))
"""
INSTALL = "mkdir -p vendor && echo 'def shout(text): return text.upper()' > vendor/shouter.py\n"
FACTS = Facts(
    registry="other", package="shouter", version="1.0", licence="MIT", identifiers=("shouter", "Mr Loud")
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works_or_skip("bubblewrap")
    monkeypatch.setenv("ICAE_HOME", str(tmp_path / "cache"))


def golden(tmp_path: Path, install: str = INSTALL) -> Golden:
    options = BuildOptions(
        id="shouts", source="a==1", language="python", root=tmp_path, protocol="stdin", sandbox="bubblewrap", image="host"
    )  # fmt: skip
    files = (GoldenFile(path="install.sh", text=install), GoldenFile(path="run", text=RUN))
    return Golden(options, FACTS, files)


def test_outputs_are_taken_only_when_they_can_be_used(tmp_path: Path) -> None:
    words = ["hello", "bytes", "chance", "fail", "mr loud"]
    cases = [
        Case(
            id=word.replace(" ", "-"), suite="enhanced", stem="a", index=index, input=word, expected_output=""
        )
        for index, word in enumerate(words)
    ]
    printed = golden(tmp_path).print(cases)
    assert printed.outputs == {"hello": "HELLO\n"}
    assert list(printed.refused) == ["bytes", "chance", "fail", "mr-loud"]
    assert printed.refused["bytes"] == "its output is not UTF-8"
    assert "two runs print different things" in printed.refused["chance"]
    assert "no output" in printed.refused["fail"]
    assert printed.refused["mr-loud"] == "output names the source: Mr Loud. Say it in other words."


def test_an_installation_that_fails_is_no_failure_of_the_sandbox(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="what a pity") as caught:
        golden(tmp_path, "echo what a pity >&2; exit 3\n").install()
    assert not isinstance(caught.value, SandboxError)
