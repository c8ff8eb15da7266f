"""What the soak test throws at an episode: benign, odd and hostile commands, edits and keys, by weight."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "d/e", "d", "start.md", "run", "/tmp/x", "/workspace/../tmp/y", "l", "/dev/shm/z", "d/../d/f", "-x", "a b", "é\u202e", "/etc/passwd", "/proc/self/mem",
                         "l/etc/shadow", "", "\x01", "n" * 300])  # fmt: skip
WORDS = st.text(max_size=40) | st.sampled_from(
    [
        "",
        "x" * 5000,
        "\0",
        "\ufeff\r\n",
        "a\nb\n",
        "\t\tq",
        "\ud800",
        "line\n" * 300,
        "$(echo hi)",
        "'",
        '"',
        "`",
        "\\",
        "EOF",
        "\x1b[31m",
        "\x03\x04\x1a",
    ]
)

BENIGN = st.sampled_from([
    "true", "false", "ls -la", "pwd", "cd /workspace", "cd /tmp", "cd ..", "mkdir -p d/e", "echo hi > a", "cat a", "cat a b start.md | head -3", "X=1; export Y=2", "echo $X $Y $?",
    "seq 20 | sort -r", "printf '%s\\n' x y z > b", "python3 -c 'print(6 * 7)'", "f() { echo f; }; f", "git init -q . 2>/dev/null; git status --short | head -2", "wc -c a", "rm -f a b",
    "for i in 1 2 3; do echo $i; done", "grep -c . start.md", "find . -maxdepth 2 | wc -l", "sleep 0.01", "(exit 7)", "date +%Y > /dev/null", "tar cf - . 2>/dev/null | wc -c", "cp a b; mv b c; ls",
    "read -r x; echo got:$x", "cat", "diff a b", "test -f a && echo yes", "umask", "jobs", "type ls", "alias", "command -v python3", "sleep 300 & echo started",
])  # fmt: skip
ODD = st.sampled_from([
    "printf '\\xff\\xfe\\0'", "head -c 200000 /dev/urandom", "seq 60000", "exit 3", "exit", "set -e; false", "set -euo pipefail", "set +e", "echo 'open", "cat <<EOF", "if true", ")", "}", "\\",
    "set -x", "set +x", "PS1='$(exit)'", "PROMPT_COMMAND='echo p'", "trap 'echo t' DEBUG", "trap 'echo e' EXIT", "trap - DEBUG EXIT", "exec 3>&1", "exec >/tmp/o", "exec </dev/null 2>&1", "alias echo=false",
    "unalias -a", "unset PATH", "PATH=/usr/bin:/bin", "readonly Q=1; Q=2", "stty raw </dev/tty", "stty sane </dev/tty", "echo noise >/dev/tty", "printf '\\036x:0:/\\037' >/dev/tty", "yes | head -c 300000 >/dev/tty",
    "cd $(mktemp -d); rmdir $PWD", "mkfifo p 2>/dev/null; ls", "ln -sfn / l", "ln -sfn l l2; ln -sfn l2 l", "chmod 000 a", "chmod 644 a", "umask 777", "umask 022", "mkdir -p $(printf 'q/%.0s' $(seq 200))",
    "set -n", "set -C", "shopt -s nullglob extglob", "IFS=x", "history -c", "bind -l >/dev/null", "disown -a", "kill -INT $$", "kill -USR1 $$", "suspend", "wait", "exec true", "coproc cat", "kill %1", "(sleep 0.2; echo late) &",
    "touch {1..300}; rm -f {1..300}", "enable -n echo; enable echo", "hash -r", "export LD_PRELOAD=/nope.so", "unset LD_PRELOAD", "ulimit -n 20", "cat /proc/self/status | head -3", "nohup sleep 200 >/dev/null 2>&1 &",
])  # fmt: skip
HOSTILE = st.sampled_from([
    "kill -9 $$", "kill -9 -1", "kill -9 -1; kill -9 $$", "kill -STOP $$", "rm -rf /workspace/* /tmp/* 2>/dev/null", "rm -rf /run/*", "chmod 000 /run", "chmod 000 /workspace", "chmod 755 /workspace /run /tmp",
    "pkill -9 .", "exec sleep 100", "builtin() { :; }; printf() { :; }", "enable -n builtin printf", "exec 255>&-; exec 0<&- 1>&- 2>&-", "trap '' INT TERM HUP; sleep 0.1", "stty 0 </dev/tty",
    "ln -sfn /etc /run/icae", "mkfifo /run/icae/output 2>/dev/null", "ulimit -n 3", "TMOUT=1", "echo x > /proc/1/oom_score_adj", "mount -t tmpfs x /tmp", "kill -9 1", "cat /proc/1/environ", "logout",
    "head -c 100M /dev/zero > big", "rm -f big", "(while :; do kill -9 $$ 2>/dev/null; done) & sleep 0.1; kill $!", "python3 -c 'import os; os.setsid(); os.kill(-1, 9)'", "set -m; sleep 100 &",
])  # fmt: skip
SLOW = st.sampled_from([  # each costs the whole limit of a command
    "sleep 60", "cat /dev/tty", "while :; do :; done", ":(){ :|:& };:", "trap '' INT TERM; while :; do :; done", "tail -f /dev/null", "yes > /dev/null", "while :; do sleep 100 & done", "python3 -c 'x = bytearray(1 << 31)'",
    "head -c 2G /dev/zero > /workspace/big; rm -f /workspace/big", "less start.md </dev/tty", "vim a </dev/tty >/dev/tty", "bash -i </dev/tty",
])  # fmt: skip

KEYS = st.sampled_from(["ls", "<C-c>", "<C-d>", "<C-z>", "q", "<Esc>:q!<Enter>", "exit", "cat", "vi a", "top", "less start.md", "python3", "<Up><Enter>", "kill -9 -1", "stty raw", "clear", "<C-c><C-c>", "yes", ";", "#{x}",
                        "<F1>", "é漢", "\0", "\ud800", "sleep 99", "echo one; echo two;", "fg", "exec sh"]) | WORDS  # fmt: skip
INVALID = st.sampled_from(
    [
        None,
        {},
        "",
        "{",
        {"type": "bash"},
        {"type": "x"},
        {"type": "edit", "op": "create", "path": "a"},
        [1],
        "\ud800",
    ]
)
QUESTIONS = st.sampled_from(["", "What about leading zeros?", "List all requirements", "?" * 3000, "\ud800"])


def _action(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind), **fields})


def _edit(op: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return _action("edit", op=st.just(op), path=NAMES, **fields)


COMMANDS = {
    "benign": _action("bash", command=st.lists(BENIGN, min_size=1, max_size=3).map("; ".join)),
    "odd": _action(
        "bash",
        command=st.lists(BENIGN | ODD, min_size=1, max_size=3).flatmap(
            lambda parts: st.sampled_from(["; ", "\n", " && ", " | ", " & "]).map(lambda by: by.join(parts))
        ),
    ),
    "typed": _action("bash", command=st.builds("echo {}".format, WORDS) | WORDS),
    "hostile": _action("bash", command=HOSTILE),
    "slow": _action("bash", command=SLOW),
    "create": _edit("create", text=WORDS),
    "view": _edit("view", view_range=st.none() | st.tuples(st.integers(-2, 5), st.integers(-2, 9))),
    "replace": _edit("replace", old=WORDS, new=WORDS),
    "insert": _edit("insert", line=st.integers(0, 4), text=WORDS),
    "keys": _action("terminal", keys=KEYS, enter=st.booleans(), wait=st.sampled_from([0, 0.01, 0.05])),
    "invalid": INVALID,
    "question": _action("ask_user", question=QUESTIONS),
}
"""Kinds of actions."""
WEIGHTS = {
    "benign": 34,
    "odd": 20,
    "typed": 6,
    "hostile": 5,
    "create": 10,
    "view": 6,
    "replace": 4,
    "insert": 4,
    "keys": 6,
    "invalid": 2,
    "question": 2,
    "slow": 1,
}
"""How often each kind is taken, in percent."""
assert sum(WEIGHTS.values()) == 100

KINDS = [kind for kind, weight in WEIGHTS.items() for _ in range(weight)]
ACTIONS = st.integers(0, 99).flatmap(lambda number: COMMANDS[KINDS[number]])
"""One action."""
