"""icae run and icae evaluate with a language of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from icae_program import document, icae

from icae_env.sandbox.images import store


def test_an_episode_in_another_language(bubblewrap: list[str], tmp_path: Path) -> None:
    run = ("run", "--task", "bracex", "--agent", "noop", "--language", "JS", *bubblewrap)
    done = icae(*run, "--out", str(tmp_path), "--json")
    assert done.exit_code == 0, done.stderr
    (episode,) = document(done)["episodes"]
    assert (episode["language"], episode["reward"]) == ("javascript", 0.0)
    (folder,) = (tmp_path / "episodes").iterdir()
    assert folder.name == "bracex-L1-javascript-noop-s0"
    assert "in javascript, in the directory" in " ".join((folder / "trajectory.jsonl").read_text().split())


def test_the_image_goes_by_the_language(tmp_path: Path) -> None:
    if store.find("node") is None:
        pytest.skip("the image 'node' is not built; mend: icae images build node")
    (tmp_path / "rcb_tests").mkdir()
    (tmp_path / "rcb_tests" / "test.sh").write_text("node -e 0\n")
    evaluate = (
        "evaluate",
        str(tmp_path),
        "--task",
        "bracex",
        "--sandbox",
        "bubblewrap",
        "--suite",
        "public",
        "--json",
    )
    assert document(icae(*evaluate, "--language", "js"))["report"]["image"]["name"] == "node"
    own = document(icae(*evaluate))["report"]["image"]["name"]
    assert own == ("python" if store.find("python") else "host")


def test_an_unknown_language_is_refused_before_anything_starts() -> None:
    done = icae("run", "--task", "bracex", "--agent", "noop", "--language", "dart")
    assert done.exit_code == 2
    assert "There is no language 'dart'" in done.output
