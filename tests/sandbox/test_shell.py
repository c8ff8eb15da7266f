"""The persistent shell: nothing that bash accepts may wedge it (the kinds of trouble users of such environments report)."""

from __future__ import annotations

import time

import pytest

from icae_env.sandbox.base import Sandbox
from icae_env.sandbox.shell import Shell, ShellResult


@pytest.fixture
def shell(sandbox: Sandbox):
    made = Shell(sandbox)
    yield made
    made.close()


def answers(shell: Shell) -> ShellResult:
    """The shell still works: this is what every test ends with."""
    result = shell.run("echo still $((40+2))", timeout=10)
    assert result.text == "still 42\n"
    assert result.exit_code == 0
    return result


def test_state_persists(shell):
    assert shell.run("cd /tmp; X=5; f() { echo f$X; }").exit_code == 0
    result = shell.run("f; pwd; false")
    assert result.text == "f5\n/tmp\n"
    assert (result.exit_code, result.cwd, result.note) == (1, "/tmp", "")


def test_exit_reports_code_and_restarts_where_the_shell_was(shell):
    shell.run("cd /tmp; X=5")
    result = shell.run("echo bye; exit 3")
    assert (result.exit_code, result.restarted, result.text) == (3, True, "bye\n")
    assert "exit code 3" in result.note and "/tmp" in result.note
    assert shell.run("pwd; echo [$X]").text == "/tmp\n[]\n"


def test_restart_falls_back_to_the_workspace(shell):
    shell.run("mkdir -p /tmp/gone && cd /tmp/gone && rmdir /tmp/gone")
    shell.run("exit 0")
    assert shell.run("pwd").text == "/workspace\n"


def test_heredoc_of_any_size_is_byte_identical(shell, sandbox):
    lines = [f"line {n} $HOME `x` \\ 'q' \"d\"" for n in range(500)]
    lines[250] = "y" * 10_000
    body = "\n".join(lines) + "\n"
    result = shell.run(f"cat > /workspace/big <<'EOF'\n{body}EOF")
    assert (result.text, result.exit_code) == ("", 0)
    assert sandbox.files.read("/workspace/big") == body.encode()


def test_command_of_a_megabyte(shell):
    assert shell.run(f"x={'a' * 1_000_000}; echo ${{#x}}").text == "1000000\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("echo 'open", 2), ("if true; then", 2), ("cat <<EOF\nabc", 0), ("echo $(", 2), ("}", 2), (")", 2), ("\\", 127),
        ("set -e", 0), ("set -euo pipefail", 0), ("set -C", 0), ("set -n", 0), ("set -f; IFS=x", 0), ("shopt -s extdebug", 0),
        ("trap 'echo dbg' DEBUG", 0), ("PROMPT_COMMAND='exit 5'; PS1='$(sleep 9)'", 0), ("exec 2>&-", 0), ("exec >/tmp/zz", 0),
        ("exec 0<&- 1>&-", 0), ("stty raw < /dev/tty", 0), ("stty -icanon min 100 < /dev/tty", 0), ("stty echo < /dev/tty", 0),
        ("alias echo=false", 0), ("unset PATH", 0), ("readonly PWD", 0), ("cd /nowhere 2>/dev/null", 1),
        ("return 7", 7), ("kill -INT $$", 130), ("printf '\\e[2J\\e]0;t\\a\\x1b(0'", 0), ("ulimit -n 5", 0), ("disown -a; bg; fg", 1),
        ("\x03\x04\x1a", 127), ("echo \ud800", 0), ("# only a comment", 0), ("", 0), ("   \n\n  ", 0),
    ],
)  # fmt: skip
def test_oddities_leave_a_working_shell(shell, command, code):
    result = shell.run(command, timeout=10)
    assert not result.timed_out, result
    if not result.restarted:
        assert result.exit_code == code
    next_result = shell.run("builtin echo alive", timeout=10)
    assert "alive" in next_result.text or next_result.restarted or next_result.exit_code != 0
    shell.run("exit", timeout=10)
    answers(shell)


def test_nul_is_refused_clearly(shell):
    result = shell.run("echo a\0b")
    assert result.exit_code == 2
    assert "NUL" in result.note
    answers(shell)


def test_waiting_for_input_gets_end_of_file(shell):
    assert shell.run("read x; echo got:$x", timeout=5).text == "got:\n"
    assert shell.run("cat; echo end", timeout=5).text == "end\n"
    assert shell.run("python3; echo $?", timeout=20).text == "0\n"


def test_waiting_on_the_terminal_meets_the_limit(shell):
    begun = time.monotonic()
    result = shell.run("cat /dev/tty", timeout=1)
    assert time.monotonic() - begun < 4
    assert (result.timed_out, result.exit_code) == (True, 124)
    assert "1 s" in result.note
    answers(shell)


def test_no_pager_stops(shell):
    made = shell.run(
        "git init -q repo && cd repo && for i in $(seq 120); do git commit -q --allow-empty -m c$i; done; git log | wc -l",
        timeout=60,
    )
    assert int(made.text) > 500
    assert shell.run("git log", timeout=10).exit_code == 0


def test_bad_bytes_become_valid_text(shell):
    assert shell.run(r"printf '\xff\xfe'").text == "\ufffd\ufffd"
    result = shell.run("head -c 5000000 /dev/urandom", output_limit=10_000)
    result.text.encode()
    assert len(result.text) < 12_000
    assert "5000000 bytes" in result.note


def test_head_and_tail_are_kept(shell):
    result = shell.run("seq 1 2000000", output_limit=2000)
    assert result.text.startswith("1\n2\n")
    assert result.text.endswith("2000000\n")
    assert "left out" in result.text and "left out" in result.note


def test_background_job_returns_at_once_and_does_not_disturb(shell):
    begun = time.monotonic()
    assert shell.run("(while :; do echo noise; sleep 0.01; done) & echo done", timeout=10).text.startswith(
        "done\n"
    )
    assert time.monotonic() - begun < 2
    assert shell.run("sleep 0.1; echo clean").text == "clean\n"
    assert "Running" in shell.run("jobs").text


def test_interrupted_command_keeps_the_shell_and_partial_output(shell):
    shell.run("X=7; sleep 500 & ")
    result = shell.run("echo before; sleep 30; echo never", timeout=1)
    assert result.text == "before\n"
    assert (result.timed_out, result.restarted, result.exit_code) == (True, False, 124)
    assert shell.run("echo $X; jobs | wc -l").text == "7\n1\n"


def test_deaf_program_is_killed(shell):
    result = shell.run("X=1; bash -c 'trap \"\" INT TERM HUP; while :; do sleep 1; done'", timeout=1)
    assert result.timed_out
    answers(shell)
    processes = shell.run("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").text
    assert "while :; do sleep 1" not in processes


def test_signals_that_end_a_loop_do_not_swallow_the_answer(shell):
    begun = time.monotonic()
    result = shell.run(
        "X=4; for i in 1 2; do python3 -c 'import os; os.kill(os.getpid(), 2)'; done; echo not reached",
        timeout=20,
    )
    assert result.exit_code == 130
    assert not result.timed_out
    assert shell.run("kill -INT $$", timeout=20).exit_code == 130
    assert time.monotonic() - begun < 10
    assert shell.run("echo $X").text == "4\n"


def test_deaf_shell_is_replaced(shell):
    result = shell.run("trap '' INT; while :; do :; done", timeout=1)
    assert (result.timed_out, result.restarted) == (True, True)
    assert "restarted" in result.note
    answers(shell)


@pytest.mark.parametrize(
    "command",
    ["kill -9 $$", "kill -9 -1; kill -9 $$", "exec true", "exec nothing-there", "kill -STOP $$", "suspend -f", "logout", "TMOUT=1",
     ":(){ :|:& };: ; sleep 2", "exec bash -i </dev/tty >/dev/tty 2>&1", "builtin() { :; }; alias builtin=:", "enable -n printf",
     "python3 -c 'import termios; termios.tcflow(open(\"/dev/tty\"), termios.TCOOFF)'", "exec 3>&1 4<&0 200>&1; kill -HUP -1"],
)  # fmt: skip
def test_hostile_commands_leave_a_working_shell(shell, command):
    shell.run(command, timeout=3)
    time.sleep(0.1)
    for _ in range(3):  # a fork bomb's last children may cost one more restart
        if shell.run("echo ok", timeout=3).text == "ok\n":
            break
    answers(shell)


@pytest.mark.parametrize("command", ["rm -rf /run/*; echo q", "chmod 000 /run", "rm -rf /run/icae; touch /run/icae",
                                     "rm -rf /run/icae; ln -s /etc /run/icae", "mkfifo /run/icae/x; mv /run/icae/x /run/icae/output"])  # fmt: skip
def test_losing_the_output_file_is_said(shell, command):
    shell.run(command, timeout=5)
    answers(shell)


def test_output_space_full_is_said_and_mended(shell):
    shell.run("dd if=/dev/zero of=/run/fill bs=1M 2>/dev/null", timeout=20)
    result = shell.run("echo lost")
    assert result.text == "lost\n" or "full" in result.note
    shell.run("rm -f /run/fill")
    answers(shell)


def test_terminal_noise_is_dropped_and_forged_marks_fool_nobody(shell):
    assert shell.run("yes | head -c 3000000 >/dev/tty; echo ok", timeout=20).text == "ok\n"
    shell.run(r"printf '\036%s:0:/etc\037' 0123456789abcdef >/dev/tty; sleep 0.2")
    assert shell.run("pwd").text == "/workspace\n"


def test_odd_directories(shell):
    shell.run("mkdir -p $'/tmp/a\\nb:c \\xff' && cd $'/tmp/a\\nb:c \\xff'")
    shell.run("exit 1")
    assert shell.run("pwd | od -An -c | tr -d ' \\n'").text.startswith("/tmp/a\\nb:c")


def test_two_shells_share_files_not_state(sandbox):
    first, second = Shell(sandbox), Shell(sandbox)
    try:
        first.run("X=1; echo data > /tmp/f")
        assert second.run("echo [$X]; cat /tmp/f").text == "[]\ndata\n"
    finally:
        first.close()
        second.close()
