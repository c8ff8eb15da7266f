"""icae play: a person's lines become actions."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest
from icae_program import ICAE, document, icae

ANSWER = "A `{` without its closing brace is text"


@pytest.mark.bubblewrap
def test_each_kind_of_line_does_what_it_says(bubblewrap: list[str]) -> None:
    lines = [
        "echo one; false", "", "?What about an unclosed brace?", ":edit notes.txt", "first", "second", ".",
        "wc -l < notes.txt", ":view notes.txt", ":prd", ":help", ":nonsense", ":submit",
    ]  # fmt: skip
    done = icae("play", *bubblewrap, typed="\n".join(lines) + "\n")
    assert done.exit_code == 0, done.stderr
    for part in (
        "[exit code 1]",
        ANSWER,
        "Created /workspace/notes.txt (2 lines",
        "':nonsense' is no command",
        "overall",
    ):
        assert part in done.stdout
    assert "asks the user" in done.stdout


@pytest.mark.bubblewrap
def test_an_episode_of_a_person_ends_in_one_document(bubblewrap: list[str]) -> None:
    done = icae("play", *bubblewrap, "--json", typed="?Empty members?\nls\n:submit\n")
    told = document(done)
    assert (told["status"], told["reward"], told["steps"], told["questions"]) == ("ok", 0.0, 3, 1)
    assert "[200 actions, 16 questions] >" in done.stderr


@pytest.mark.bubblewrap
@pytest.mark.parametrize("typed", ["ls\n:quit\n", "ls\n", ""])
def test_leaving_scores_nothing(bubblewrap: list[str], typed: str) -> None:
    done = icae("play", *bubblewrap, "--json", typed=typed)
    assert done.exit_code == 0, done.stderr
    assert (document(done)["status"], document(done)["reward"]) == ("left", None)


@pytest.mark.bubblewrap
def test_a_file_is_edited_in_the_persons_editor(bubblewrap: list[str], tmp_path: Path) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\n"
        "file.write_bytes(file.read_bytes().replace(b'old', b'new') or b'made\\n')\n"
    )
    variables = {**os.environ, "EDITOR": f"{sys.executable} {editor}", "TERM": "dumb", "NO_COLOR": "1"}
    variables.pop("VISUAL", None)
    child = pexpect.spawn(
        ICAE[0],
        [*ICAE[1:], "play", *bubblewrap],
        env=variables,
        timeout=30,
        encoding="utf-8",
        dimensions=(40, 160),
    )
    child.delaybeforesend = None
    for line, answer in (
        ("printf 'old\\r\\n\\xc3\\xa4 old' > 'a b'", None),
        (":edit a b", "CRLF line ends, no newline"),
        ("od -An -c 'a b'", r"n   e   w  .r  .n 303 244 +n   e   w"),
        (":edit fresh", "Created /workspace/fresh"),
        ("cat fresh", "made"),
        ("printf '\\xff' > bytes", None),
        (":edit bytes", "cannot be edited here"),
        (":quit", "nothing was scored"),
    ):
        child.expect("questions. > ")
        child.sendline(line)
        if answer:
            child.expect(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
