"""The terminal: a real screen for interactive programs."""

from __future__ import annotations

import shutil

import pytest

from icae_env.sandbox.base import Sandbox
from icae_env.sandbox.terminal import Terminal, split_keys


@pytest.fixture
def terminal(sandbox: Sandbox):
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    made = Terminal(sandbox)
    yield made
    made.close()


def test_keys_are_split_into_text_and_names():
    assert list(split_keys("ab<C-c><Up>x<nothing>")) == [
        ("ab", True),
        ("C-c", False),
        ("Up", False),
        ("x<nothing>", True),
    ]
    assert list(split_keys("<Esc>:q<Enter>")) == [("Escape", False), (":q", True), ("Enter", False)]
    assert list(split_keys("")) == []


def test_an_interactive_program(terminal):
    assert "$" in terminal.send()
    terminal.send("python3 -q", enter=True)
    assert terminal.send("print(6*7)", enter=True).splitlines()[-2:] == ["42", ">>>"]
    screen = terminal.send("<C-d>")
    assert screen.splitlines()[-1].endswith("$")


def test_full_screen_program_and_special_keys(terminal):
    terminal.send("printf 'one\\ntwo\\nthree\\n' > f; less f", enter=True)
    screen = terminal.send()
    assert "one\ntwo\nthree" in screen
    assert "(END)" in screen
    assert "$" in terminal.send("q")


def test_what_is_typed_is_not_interpreted(terminal):
    text = "echo ';' \"a  b\" -n '#{pane_id}' $((1+1))"
    screen = terminal.send(text, enter=True)
    assert "; a  b -n #{pane_id} 2" in screen


def test_a_new_shell_after_the_old_one_ended(terminal):
    terminal.send("exit", enter=True)
    assert "again" in terminal.send("echo again", enter=True)


def test_it_is_the_sandbox_and_clean(terminal, monkeypatch):
    monkeypatch.setenv("ICAE_CANARY", "host-secret")
    screen = terminal.send(
        "clear; id -u; env | grep -c CANARY; grep CapEff /proc/self/status; pwd", enter=True
    )
    lines = screen.splitlines()
    assert "1000" in lines
    assert "0" in lines
    assert "/workspace" in lines
    assert any("0000000000000000" in line for line in lines)
