"""The shell over whole episodes: exit codes, restarts, heredocs, bytes, background work, hostile commands."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from scenario_tools import INTERRUPT, Play, create, eventually, keys, marker, on_host


@pytest.mark.parametrize(
    ("command", "code"),
    [("exit 3", 3), ("exit 0", 0), ("exit 255", 255), ("trap 'exit 9' EXIT; exit 3", 9), ("trap 'echo bye' EXIT; exit 4", 4),
     ("set -e; false", 1), ("set -u; echo $undefined", 1), ("exec true", 0), ("exec false", 1), ("exec bash -c 'exit 17'", 17),
     ("kill -9 $$", 137), ("logout", 1), ("f() { exit 6; }; f", 6), ("trap 'kill -9 $$' EXIT; exit 2", 137), ("kill -TERM $$; exit 5", 5)],
)  # fmt: skip
def test_ending_the_shell_reports_code_and_restart(play, command, code):
    play.bash("mkdir -p sub; cd sub")
    text = play.bash(command)
    if (
        "restarted" not in text
    ):  # logout is an error in a shell that is no login shell; set -u ends no interactive one
        assert command.startswith(("logout", "set -u")), play.obs
    else:
        assert play.code == code, play.obs
        assert "restarted in /workspace/sub" in text
    assert play.bash("pwd") == "/workspace/sub\n"
    play.answers()


def test_restart_goes_to_the_workspace_when_its_directory_is_gone(play):
    play.bash("mkdir /tmp/d; cd /tmp/d; rm -rf /tmp/d")
    assert "restarted in /workspace" in play.bash("exit 1")
    assert play.bash("pwd") == "/workspace\n"


def test_heredocs_are_byte_identical(play):
    lines = [f"{n}\t$HOME `id` $(id) \\\\ \\ 'single' \"double\" !{n} é漢\u202eabc" for n in range(500)]
    lines[250] = "long " + "z" * 10_000
    body = "\n".join(lines) + "\n"
    assert play.bash(f"cat > f <<'EOF'\n{body}EOF") == ""
    assert play.files.read("/workspace/f") == body.encode()


def test_heredoc_with_crlf_keeps_every_byte(play):
    body = "a\r\nb\r\n\rlone\r\r\n"
    play.bash(f"cat > f <<'EOF'\n{body}EOF\n")
    assert play.files.read("/workspace/f") == body.encode()
    play.bash(
        "cat > g <<'EOF'\r\na\r\nEOF\r\n"
    )  # the whole command has CRLF line ends: the delimiter is EOF\r
    play.answers()


def test_heredoc_that_never_ends_and_other_open_ends(play):
    for text in ("cat <<'EOF'\nabc", "echo 'open", 'echo "', "if true", "for x in a", "case x in", "{", "((", "$((", "`", "[[ a", "f() {",
                 "cat <<A <<B\nA", "\\", "echo \\", "#", "<<<", "cat <(", "coproc cat"):  # fmt: skip
        play.bash(text)
        play.answers()


def test_huge_single_line_as_command_and_as_output(play):
    wide = "w" * 3_000_000
    play.bash(f"printf %s {wide} > wide; wc -c < wide")
    assert play.obs["text"] == "3000000\n"
    text = play.bash("cat wide")
    assert len(text) <= 16_000
    assert "16000 characters" in text
    assert text.startswith("www") and "www" in text[-200:]


@pytest.mark.parametrize("command", [r"printf '\xff\xfe'", "head -c 5M /dev/urandom", r"printf 'a\0b'", r"printf '\xed\xa0\x80'", "seq 3000000",
                                     r"printf '\xf0\x9f'; sleep 0.1; printf '\x98\x80'", "yes | head -c 20M", "cat /bin/bash", r"printf '\e[?1049h\e]0;x\a'",
                                     r"printf '\u202e\u2066\u200f'", "for i in $(seq 30000); do echo é; done"])  # fmt: skip
def test_any_output_is_valid_text_within_the_limit(play, command):
    text = play.bash(command)
    text.encode("utf-8")
    assert len(text) <= 16_000
    play.answers()


def test_cut_output_keeps_head_and_tail_and_says_so(begin):
    play = begin(output_chars=1000)
    text = play.bash("echo HEAD; seq 100000; echo TAIL")
    assert text.startswith("HEAD\n1\n")
    assert "TAIL\n" in text
    assert "1000 characters" in text
    assert len(text) <= 1000


def test_background_work_returns_at_once_and_is_gone_after_submit(play):
    word = marker()
    begun = time.monotonic()
    text = play.bash(
        f"sleep {word} & nohup setsid sleep {word} >/dev/null 2>&1 & (sleep {word} &) ; echo done"
    )
    assert text.endswith("done\n")
    assert time.monotonic() - begun < 3
    play.bash(
        f"python3 -c 'import os,time\nif os.fork()==0:\n os.setsid()\n if os.fork()==0: time.sleep({word})' &"
    )
    play.do(keys(f"sleep {word}"))
    assert eventually(lambda: len(on_host(word)) >= 4)
    assert play.submit() == 0.0
    assert eventually(lambda: not on_host(word))


def test_killing_everything_harms_nobody_else(begin):
    play, other = begin(restarts=100, command_seconds=20), begin()
    other.bash("A=kept; sleep 1000 &")
    word = marker()
    with subprocess.Popen(["sleep", word]) as host:
        try:
            for command in ("pkill -9 -f python; kill -9 -1", "kill -9 -1; kill -9 $$", f"kill -9 {os.getpid()} {host.pid} {os.getppid()}",
                            "for p in $(seq 1 400); do kill -9 $p; done 2>/dev/null", "pkill -9 .; killall -9 bash; kill -STOP -1"):  # fmt: skip
                text = play.bash(command)
                if play.code in (137, 129):
                    assert "restarted" in text
                play.settles()
            assert host.poll() is None
        finally:
            host.kill()
    assert other.bash("echo $A; jobs | wc -l") == "kept\n1\n"
    assert play.submit() == 0.0
    assert other.submit() == 0.0


def test_death_in_the_background_during_edits_and_keys(play):
    """Kill rounds keep firing while edits and keys are on their way."""
    play.bash("(while :; do kill -9 -1; done) & true")
    play.bash("(trap '' HUP TERM; for i in $(seq 200); do sleep 0.01; kill -9 $$ 2>/dev/null; done) &")
    for number in range(10):
        done, text = play.edit(create(f"n{number}", f"{number}\n"))
        assert done, text
        play.do(keys("kill -9 -1", wait=0.02))
    play.settles(10)
    assert play.bash("cat n?") == "".join(f"{number}\n" for number in range(10))


@pytest.mark.parametrize(
    "command",
    [":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb; wait", "while :; do sleep 100 & done", "python3 -c 'import os\nwhile 1: os.fork()'",
     "trap 'setsid bash -c \"sleep 100\" &' EXIT; exit 1", "trap '' HUP INT TERM QUIT; while :; do :; done", "trap 'while :; do :; done' EXIT; exit",
     "exec sleep 1000", "exec 1>&- 2>&-; exec cat /dev/tty", "exec </dev/zero", "kill -STOP $$", "while :; do kill -STOP $$; done & wait",
     "PS1= PS2= PS4=; set -x", "unset -f cd; alias cd=false; cd /tmp", "enable -n builtin printf echo; printf x", "function printf { exit; }",
     "builtin() { sleep 100; }; command() { sleep 100; }", "declare -r PWD OLDPWD", "readonly PATH=; ls", "ulimit -n 3", "ulimit -f 0; echo x > f",
     "ulimit -v 1000; ls", "ulimit -u 1; ls", "umask 777; echo x > f; mkdir e", "export BASH_ENV=/workspace/evil ENV=x LD_PRELOAD=/nope.so; ls",
     "stty 0 </dev/tty", "stty raw -echo -isig </dev/tty; cat /dev/tty", "python3 -c 'import fcntl,termios; fcntl.ioctl(0, termios.TIOCNOTTY)'",
     "exec 255>&-", "for i in $(seq 3 300); do eval \"exec $i>&-\"; done 2>/dev/null", "shopt -s extglob nullglob failglob; ls *zz", "bind -x '\"a\": exit'",
     "python3 -c 'import os; [os.close(i) for i in range(300)]' ; true", "printf '\\e[6n' >/dev/tty; read -rsn 20 -d R x </dev/tty", "history -c; fc -l",
     "kill -WINCH $$; kill -USR1 $$; true", "kill -ALRM $$", "TMOUT=1; sleep 0.1", "set -m; sleep 100 | sleep 100", "times; suspend"],
)  # fmt: skip
def test_hostile_commands_leave_a_working_episode(hasty, command):
    begun = time.monotonic()
    hasty.bash(command)
    assert time.monotonic() - begun < 20
    for _ in range(4):
        if hasty.bash("builtin echo ok") == "ok\n":
            break
    else:
        hasty.bash("exit")  # the agent has broken its own shell in a way that only a new one mends
    hasty.bash("exit")
    hasty.settles()


def test_fork_bombs_on_both_channels_and_submit_still_works(hasty):
    hasty.do(keys(":(){ :|:& };:"))
    hasty.bash("bomb() { bomb | bomb & }; bomb")
    hasty.do(INTERRUPT)
    hasty.edit(create("kept", "x"))
    begun = time.monotonic()
    assert hasty.submit() == 0.0
    assert time.monotonic() - begun < 30


def test_memory_hog_is_the_agents_loss(begin):
    from icae_env.sandbox.base import MIB, Limits

    play = begin(resources=Limits(memory=256 * MIB), command_seconds=20, restarts=100)
    play.bash("python3 -c 'x = bytearray(1 << 32)'")
    assert play.code != 0
    play.settles()
    play.bash("x=$(head -c 2G /dev/zero | tr '\\0' a)")
    play.settles()
    play.bash("python3 -c 'x = bytearray(1 << 32)' & python3 -c 'x = bytearray(1 << 32)' & wait")
    play.settles()
    assert play.submit() == 0.0


def test_ending_the_shell_without_end_ends_the_episode_with_a_score(begin):
    play = begin(restarts=3)
    for _ in range(2):
        play.bash("kill -9 $$")
    _, reward, terminated, truncated, info = play.env.step(
        {"type": "bash", "command": "kill -9 -1; kill -9 $$"}
    )
    assert (reward, terminated, truncated, info["end"]) == (0.0, False, True, "restarts")


def test_pulling_the_workspace_away(play):
    play.bash("mkdir -p /workspace/deep/er; cd /workspace/deep/er")
    play.bash("rm -rf /workspace/* /workspace/.[a-z]*")
    play.settles()
    play.bash("cd; rmdir /workspace; mv /workspace /tmp/w; rm -rf --no-preserve-root / 2>/dev/null")
    play.settles()
    assert play.edit(create("/workspace/back", "x"))[0]
    assert play.submit() == 0.0


def test_locking_the_workspace(play):
    play.bash("echo data > f; cd /workspace; chmod 000 /workspace /home/agent /tmp /run /dev/shm /var/tmp")
    for _ in range(3):
        if "alive" in play.bash("builtin echo alive"):
            break
    assert "alive" in play.obs["text"]
    play.edit(create("x", "x"))
    play.do(keys("ls"))
    play.bash("exit 1")
    play.bash("chmod 755 /workspace /home/agent /tmp /run /dev/shm /var/tmp")
    play.settles()
    assert play.bash("cat /workspace/f") == "data\n"


def test_a_locked_workspace_can_be_submitted(play):
    play.bash("echo data > f; chmod 000 f; mkdir -p d; echo x > d/y; chmod 000 d /workspace")
    assert play.submit() == 0.0


def test_the_environment_of_the_shell_is_not_the_hosts(play, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    assert "canary" not in play.bash("env; cat /proc/*/environ | tr '\\0' '\\n'")


def test_this_process_keeps_its_signals_and_directory(play):
    before = (
        Path.cwd(),
        signal.getsignal(signal.SIGINT),
        signal.getsignal(signal.SIGCHLD),
        os.getpgrp(),
        os.umask(0o22),
    )
    play.bash("cd /tmp; umask 0; kill -INT -1; kill -INT 0")
    play.settles()
    assert before[:4] == (
        Path.cwd(),
        signal.getsignal(signal.SIGINT),
        signal.getsignal(signal.SIGCHLD),
        os.getpgrp(),
    )


def test_equal_seeds_and_actions_are_equal_with_restarts_and_limits(begin):
    actions = [
        {"type": "bash", "command": "echo $$ > /dev/null; ls -a; umask; ulimit -a"},
        {"type": "bash", "command": "sleep 30"},
        {"type": "bash", "command": "exit 7"},
        {"type": "bash", "command": "pwd; env; id; tty; echo $- $BASH_VERSION $SHLVL"},
        create("a/b", "x\r\n"),
        {"type": "bash", "command": "kill -9 -1; kill -9 $$"},
        {"type": "ask_user", "question": "What about leading zeros?"},
        {"type": "bash", "command": "stat -c '%a %u %g %s' a a/b start.md"},
    ]

    def once():
        play: Play = begin(command_seconds=1)
        seen = [play.do(action) for action in actions]
        assert play.submit() == 0.0
        return seen, play.info

    assert once() == once()
