"""Programs that wait for input, page or take the whole screen, in a shell that has no keyboard."""

from __future__ import annotations

import time

import pytest
from real_sandboxes import place_or_skip
from scenario_tools import INTERRUPT, TASK, Play, keys

import icae_env

PLACES = [
    pytest.param(("bubblewrap", "host"), marks=pytest.mark.bubblewrap),  # has the interactive programs
    pytest.param(("docker", "python"), marks=pytest.mark.docker),
]


@pytest.fixture(scope="session", params=PLACES, ids="-".join)
def where(request):
    return place_or_skip(*request.param)


@pytest.mark.parametrize(
    "command",
    ["read -r x; echo got:$x", "cat", "cat -", "python3", "python3 -c 'input()'", "python3 -i", "bash", "sh -i", "sort", "wc", "grep x",
     "mapfile lines; echo ${#lines[@]}", "select x in a b; do echo $x; done", "read -p 'Continue? [y/N] ' a; echo", "tee f", "xargs echo",
     "git rebase -i HEAD", "while read -r l; do echo $l; done"],
)  # fmt: skip
def test_waiting_on_standard_input_gets_end_of_file(play, command):
    begun = time.monotonic()
    play.bash(command)
    assert time.monotonic() - begun < 10, play.obs
    play.answers()


@pytest.mark.parametrize(
    "command",
    ["cat </dev/tty", "read -rs password </dev/tty", "python3 -c 'import getpass; getpass.getpass()'", "stty -echo </dev/tty; cat /dev/tty",
     "python3 -c 'open(\"/dev/tty\").read()'", "sleep 60", "wait -n 2>/dev/null; sleep 60", "tail -f start.md", "yes >/dev/null",
     "while :; do :; done", "mkfifo p; cat p", "exec 9<>p2; mkfifo q; cat q", "read -t 60 x <> <(sleep 60)", "kill -STOP $BASHPID; sleep 60",
     "python3 -c 'import signal; signal.signal(2, signal.SIG_IGN); signal.pause()'", "(trap '' INT TERM HUP; sleep 60)",
     "flock /tmp/l flock /tmp/l true", "python3 -c 'import socket; s = socket.socket(); s.bind((\"\", 0)); s.listen(); s.accept()'"],
)  # fmt: skip
def test_waiting_on_anything_else_meets_the_limit_which_is_named(hasty, command):
    begun = time.monotonic()
    text = hasty.bash("echo before; " + command)
    assert time.monotonic() - begun < 6
    assert hasty.code == 124, hasty.obs
    assert text.startswith("before\n")
    assert "0.5 s" in text
    hasty.answers()


@pytest.mark.parametrize("command", ["less start.md", "more start.md", "man ls", "git log", "git diff HEAD~50", "git help commit",
                                     "python3 -c 'help(str)'", "journalctl", "systemctl", "git branch -a"])  # fmt: skip
def test_no_pager_waits(play, command):
    play.bash('git init -q . && for i in $(seq 60); do git commit -q --allow-empty -m "commit $i"; done')
    begun = time.monotonic()
    play.bash(command)
    assert time.monotonic() - begun < 15
    assert play.code != 124, play.obs
    play.answers()


@pytest.mark.parametrize("program", ["vim", "vi", "nano", "top", "less", "emacs", "git commit --allow-empty", "crontab -e", "sudo ls",
                                     "su", "passwd", "ssh agent@192.0.2.1", "ssh localhost", "ftp 192.0.2.1", "tmux", "screen"])  # fmt: skip
def test_whole_screen_and_password_programs_do_not_wedge_the_shell(hasty, program):
    begun = time.monotonic()
    hasty.bash("git init -q .; " + program)
    hasty.bash(f"{program} </dev/tty >/dev/tty 2>&1")
    assert time.monotonic() - begun < 12
    hasty.settles()


def test_a_person_can_page_and_edit_on_the_terminal(play):
    play.bash("seq 500 >/tmp/numbers")
    assert "\n20" in play.do(keys("less /tmp/numbers"))
    assert "500" in play.do(keys("G", enter=False))
    assert "500" not in play.do(keys("g", enter=False)).split("\n")
    play.do(keys("q", enter=False))
    play.bash("command -v vim")
    if play.code != 0:  # not every image has an editor
        return
    play.do(keys("vim -u NONE made.txt", wait=1))
    play.do(keys("iby hand<Esc>:wq", wait=1))
    assert play.bash("cat made.txt") == "by hand\n"
    play.do(keys("top", wait=1))
    assert "load average" in play.do(keys("", enter=False))
    play.do(keys("q", enter=False))
    assert "back" in play.do(keys("echo b''ack"))


def test_ending_the_terminal_gives_a_fresh_one(play):
    for ending in ("exit", "kill -9 $$", "exec true", "kill -9 -1", "stty raw; kill -HUP $$"):
        play.do(keys(ending, wait=0.3))
        for _ in range(3):
            text = play.do(keys("echo c''ame", wait=0.5))
            if "came" in text:
                break
        assert "came" in text, ending
    play.do(keys("sleep 1000"))
    play.do(INTERRUPT)
    assert "again" in play.do(keys("echo a''gain", wait=0.5))
    play.answers()


def test_odd_keys_are_typed_or_pressed_and_never_fail(play):
    for odd in ["", "<", "<C-", "<nothing>", "-l", "--", "#{pane_id}", "$(touch /tmp/x)", ";", "kill-server", "\x00", "\x1b[31m", "\ud800",
                "é\u202e漢字👩‍👩‍👧", "a" * 20_000, "\n\n", "\t", "<C-c><C-d><C-z><Up><F12>", "%", "\\", "'\"`"]:  # fmt: skip
        play.do(keys(odd, enter=False))
        play.do(INTERRUPT)
    play.answers()


def test_the_terminal_lives_through_a_dead_shell(where):
    env = icae_env.make_env(TASK, restarts=100, command_seconds=1, **where)
    try:
        play = Play(env)
        play.do(keys("cd /tmp"))
        play.bash("exit 4")
        assert "/tmp" in play.do(keys("pwd"))
        play.bash("kill -9 -1")
        play.settles()
        text = play.do(keys("echo o''n", wait=0.5))
        if "on" not in text.split("\n"):  # the first keys may be met by the end of the killed one
            text = play.do(keys("echo o''n", wait=0.5))
        assert "on" in text.split("\n")
    finally:
        env.close()


def test_semicolons_and_long_text_are_typed_whole(play):
    play.do(keys("cat >typed", wait=0.3))
    play.do(keys("a;", enter=False))
    play.do(keys(";", enter=False))
    play.do(keys(";;b\\;" + "".join(f"{n};" for n in range(10)), wait=0.3))
    for number in range(30):  # a line of a terminal holds 4095 bytes
        play.do(keys(f"{number:04d}" + "é;" * 1000, wait=0.02))
    play.do(keys("<C-d>", enter=False, wait=0.5))
    lines = play.files.read("/workspace/typed").decode().splitlines()
    assert lines == [
        "a;;;;b\\;0;1;2;3;4;5;6;7;8;9;",
        *(f"{number:04d}" + "é;" * 1000 for number in range(30)),
    ]


def test_screens_of_two_episodes_never_meet(begin):
    one, two = begin(), begin()
    for number in range(4):
        one.do(keys("exit"))  # the last screen of the machine ends, and the numbers of screens begin anew
        two.do(keys(f"echo two-{number} > mine"))
        one.do(keys(f"echo one-{number} > mine"))
        two.do(keys("exit"))
        assert one.bash("cat mine") == f"one-{number}\n"
        assert two.bash("cat mine") == f"two-{number}\n"
