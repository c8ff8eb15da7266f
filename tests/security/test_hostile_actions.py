"""Actions and what answers them: nothing an agent sends or prints raises, hangs or swells the host's process."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import icae_env
from icae_env.sandbox.base import Backend
from icae_env.sandbox.editor import Editor
from icae_env.sandbox.fakefiles import FakeFiles

MIB = 1 << 20
LEARN = (
    'trap \'case $BASH_COMMAND in *036*) n=$(echo "$BASH_COMMAND" | grep -oE "[0-9a-f]{8}..[0-9a-f]{8}" | tr -dc 0-9a-f);'
    ' printf "\\036%s:%s:/x\\037" $n {code} >/dev/tty;; esac\' DEBUG'
)
"""Learn the nonce of the answer, which a DEBUG trap may, and answer in its place."""
FORGED = ("$(printf 9%.0s $(seq 5000))", "99999999999", "-1", "4294967296", "1e9")


@pytest.fixture
def episode(attacked: Backend, attacked_image: str) -> Iterator[Any]:
    """Return an environment whose episode has begun."""
    env = icae_env.make_env("bracex", "L1", attacked, image=attacked_image)
    env.reset(seed=0)
    yield env
    env.close()


def test_a_forged_exit_code_is_no_answer(episode: Any) -> None:
    for code in FORGED:
        for command in (LEARN.replace("{code}", code), "echo hi", "trap - DEBUG", "exit 3"):
            obs = episode.step({"type": "bash", "command": command})[0]
            assert -(2**31) <= int(obs["exit_code"]) < 2**31
            assert obs["exit_code"].dtype == np.int32
    assert episode.step({"type": "bash", "command": "echo on"})[0]["text"].rstrip().endswith("on")


def test_odd_paths_are_observations(episode: Any) -> None:
    paths = [
        "a/" * 1500 + "x", "x/../" * 700 + "y", "n" * 256, "\x01\x7f", "/proc/1/environ", "/proc/1/mem", "/proc/self/mem",
        "/proc/1/root/etc/shadow", "/proc/self/fd/0", "/dev/tty", "/dev/ptmx", "/proc/kcore", "/sys", "/../../etc/passwd",
    ]  # fmt: skip
    for path in paths:
        for action in (
            {"op": "create", "text": "x"},
            {"op": "view"},
            {"op": "insert", "line": 0, "text": "x"},
        ):
            obs, _, terminated, truncated, _ = episode.step({"type": "edit", "path": path, **action})
            assert isinstance(obs["text"], str)
            assert not terminated
            assert not truncated


def test_the_hosts_rights_are_not_lent_to_an_edit(episode: Any) -> None:
    """The host's root may lower a badness and trace the init; an edit through a link may not."""
    step = episode.step
    step(
        {
            "type": "bash",
            "command": "sleep 100 & p=$!; ln -s /proc/$p/oom_score_adj badness; ln -s /proc/1 init",
        }
    )
    step(
        {
            "type": "bash",
            "command": "for f in environ maps mem stack syscall; do ln -s /proc/1/$f init-$f; done",
        }
    )
    step({"type": "edit", "op": "create", "path": "badness", "text": "-900"})
    assert int(step({"type": "bash", "command": "cat badness"})[0]["text"]) >= 0
    for name in ("environ", "maps", "mem", "stack", "syscall"):
        for path in (f"init-{name}", f"init/{name}", f"/proc/1/{name}"):
            text = step({"type": "edit", "op": "view", "path": path})[0]["text"]
            assert "permission" in text or "0 bytes" in text or "no such file" in text, text


def test_a_view_of_many_lines_is_quick_and_small() -> None:
    files = FakeFiles(quota=64 * MIB, file_limit=64 * MIB)
    files.mkdir("/workspace")
    files.write("/workspace/lines", b"\n" * (16 * MIB))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.monotonic()
    result = Editor(files).view("lines")
    assert time.monotonic() - begun < 5
    assert len(result.text) < MIB
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 512 * 1024
    assert f"{16 * MIB:6d}\t" in result.text


@pytest.mark.parametrize("line", [b"", b"x", b"x y"], ids=["empty", "letter", "words"])
def test_the_hint_for_a_text_that_is_not_found_is_quick(line: bytes) -> None:
    files = FakeFiles(quota=64 * MIB, file_limit=64 * MIB)
    files.mkdir("/workspace")
    files.write("/workspace/lines", (line + b"\n") * (MIB // (len(line) + 1)))
    old = "x" + f"\n{line.decode()}" * 200_000 + "\ny"
    begun = time.monotonic()
    assert not Editor(files).replace("lines", old, "z").ok
    assert time.monotonic() - begun < 5


def test_the_hint_still_finds_the_line() -> None:
    files = FakeFiles(quota=MIB, file_limit=MIB)
    files.mkdir("/workspace")
    files.write("/workspace/f", b"a\n  b\n\tc \nd\n")
    assert "line 2." in Editor(files).replace("f", "b\nc", "z").text
    assert "white space" not in Editor(files).replace("f", "b\nd", "z").text
