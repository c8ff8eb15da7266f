"""A reference on a terminal: it has one of its own, and keys, screen and signals go through."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from served import Served

from icae_env.sandbox.terminal import Terminal


@pytest.fixture
def terminal(box: Served) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    made = Terminal(box.sandbox)
    made.send("PS1='$ '; clear", enter=True)
    yield made
    made.close()


def test_it_has_the_size_and_kind_of_the_screen(terminal: Terminal) -> None:
    size = terminal.send("stty size; echo $TERM", enter=True).splitlines()
    rows_columns, kind = size[-3], size[-2]
    screen = terminal.send("clear; ./executable tty; ./executable tty < /dev/null | cat", enter=True)
    rows, columns = rows_columns.split()
    assert f"111 {rows}x{columns} {kind}" in screen
    assert "001 0x0" in screen


def test_a_question_and_a_typed_answer(terminal: Terminal, box: Served) -> None:
    assert terminal.send("./executable ask", enter=True).endswith("name?")
    screen = terminal.send("Ada", enter=True)
    assert "name? Ada\nhello Ada\n$" in screen
    (probe,) = box.probes()
    assert probe.terminal and probe.stdin == "Ada\r" and probe.stdout == "name? Ada\r\nhello Ada\r\n"


def test_an_interrupt_reaches_the_program(terminal: Terminal) -> None:
    assert "holding" in terminal.send("./executable hold; echo $?", enter=True)
    screen = terminal.send("<C-c>")
    assert "caught 2" in screen and "42" in screen.splitlines()


def test_a_full_screen_program_inside(terminal: Terminal) -> None:
    screen = terminal.send("seq 500 > f; clear; ./executable sh 'less f'", enter=True)
    assert "1\n2\n3\n" in screen
    screen = terminal.send("G")
    assert "\n500\n" in screen and "(END)" in screen
    assert terminal.send("q").rstrip().endswith("$")
    assert "still here" in terminal.send("echo still here", enter=True)


def test_the_screen_is_itself_again_after_a_kill(terminal: Terminal) -> None:
    terminal.send("./executable sh 'stty raw -echo; kill -9 $PPID'", enter=True)
    assert "echoed" in terminal.send("echo echo''ed", enter=True)


def test_what_is_typed_ahead_is_the_shells(terminal: Terminal) -> None:
    terminal.send("./executable sh 'sleep 0.5'", enter=True, wait=0.1)
    assert "ahead" in terminal.send("echo a''head", enter=True, wait=1.5).splitlines()
