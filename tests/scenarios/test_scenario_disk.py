"""A full disk, a full table of processes, and edits through and around links: the agent is told and can go on."""

from __future__ import annotations

import pytest
from scenario_tools import bash, create, keys, view

from icae_env.sandbox.base import MIB, Limits

SMALL = Limits(workspace=8 * MIB, scratch=8 * MIB, file=64 * MIB)


def test_a_full_workspace_is_told_and_mended_by_the_agent(begin):
    play = begin(resources=SMALL)
    assert "No space left" in play.bash("head -c 20M /dev/zero > big; echo code $?")
    assert "code 1" in play.obs["text"]
    for action in (create("other", "y" * 200_000), create("dir/sub/other", "y" * 200_000)):
        done, text = play.edit(action)
        assert not done
        assert "disk is full" in text and "Mend" in text
    assert "No space left" in play.bash("echo lots > a && head -c 100000 /dev/zero > b")
    play.do(keys("echo x > c; echo done"))
    assert play.bash("rm -rf big a b c dir && echo freed") == "freed\n"
    assert play.edit(create("other", "y" * 200_000))[0]
    assert play.files.read("/workspace/other") == b"y" * 200_000
    assert play.submit() == 0.0


def test_a_failed_edit_leaves_the_old_file_whole(begin):
    play = begin(resources=SMALL)
    play.edit(create("keep", "old\n" * 1000))
    play.bash("head -c 20M /dev/zero > big")
    replaced = {
        "type": "edit",
        "op": "replace",
        "path": "keep",
        "old": "old\n" * 1000,
        "new": "new" * 500_000,
    }
    for action in (
        create("keep", "z" * 3_000_000),
        replaced,
        {"type": "edit", "op": "insert", "path": "keep", "line": 1, "text": "q" * 3_000_000},
    ):
        done, text = play.edit(action)
        assert not done and "disk is full" in text
        assert play.files.read("/workspace/keep") == b"old\n" * 1000
    assert play.bash("ls -A").split() == ["big", "keep", "start.md"]


@pytest.mark.parametrize("place", ["/tmp", "/home/agent", "/dev/shm", "/var/tmp", "/run"])
def test_every_other_full_place_is_told_and_mended(begin, place):
    play = begin(resources=SMALL, restarts=100, command_seconds=30)
    play.bash(
        f"head -c 700M /dev/zero > {place}/a; head -c 700M /dev/zero > {place}/b; cp /bin/bash {place}/c"
    )
    text = play.bash("echo out; exit 1") if place == "/run" else play.bash(f"cp /bin/bash {place}/d; echo $?")
    assert "full" in text or "No space left" in text or "out" in text, text
    play.bash(f"rm -f {place}/a {place}/b {place}/c {place}/d")
    play.settles()
    assert play.edit(create(f"{place}/again", "x"))[0], play.obs
    assert play.submit() == 0.0


def test_no_more_inodes_or_processes_is_not_the_end(begin):
    play = begin(
        resources=Limits(workspace=MIB, memory=256 * MIB, processes=48), restarts=100, command_seconds=3
    )
    play.bash("mkdir many; cd many; seq 30000 | xargs touch 2>/dev/null")
    play.bash("cd /workspace; rm -rf many")
    play.settles()
    play.bash("for i in $(seq 100); do sleep 500 & done 2>&1 | tail -1")
    play.bash("pkill sleep; kill $(jobs -p)")
    play.settles()
    assert play.submit() == 0.0


def test_a_file_beyond_the_size_limit_is_refused_inside(begin):
    play = begin(resources=Limits(file=2 * MIB))
    play.bash("head -c 3000000 /dev/zero > f")
    assert play.code != 0
    done, text = play.edit(create("g", "x" * 3_000_000))
    assert int(play.bash("stat -c %s f")) <= 2 * MIB
    assert done or "larger than" in text


def test_links_lead_edits_nowhere_outside(play, tmp_path):
    (tmp_path / "secret").write_text("host only\n")
    tmp_path.chmod(0o755)
    play.bash(
        "ln -s / x; ln -s /proc/1/root y; ln -s /proc/self/root z; ln -s /proc/self/cwd w; ln -s ../../../../.. up; mkdir d; ln -s / d/e"
    )
    for path in ("x", "y", "z", "up", "d/e", "w", "x/proc/1/root", "x/proc/self/root", "d/../up"):
        for target in (
            f"{path}{tmp_path}/secret",
            f"{path}/etc/shadow",
            f"{path}/../../../../{tmp_path}/secret",
        ):
            text = play.edit(view(target))[1]
            assert "host only" not in text and "root:" not in text, target
        play.edit(create(f"{path}{tmp_path}/planted", "x"))
        play.edit(create(f"{path}/etc/planted", "x"))
    assert [entry.name for entry in tmp_path.iterdir()] == ["secret"]
    done, text = play.edit(create("x/workspace/through", "made\n"))  # inside, a link is as good as a path
    assert done, text
    assert play.bash("cat through") == "made\n"
    assert not play.edit(create("x/usr/bin/evil", "x"))[0]


@pytest.mark.parametrize("make", ["mkfifo f", "ln -s f f", "ln -s /dev/zero f", "ln -s /dev/full f", "ln -s /proc/self/mem f", "mkdir f", "ln -s nowhere/at/all f",
                                  "touch f; chmod 000 f", "ln -s /dev/tty f", "ln -s /dev/stdin f", "truncate -s 400M f", "ln -s /proc/kcore f", "mkdir f; chmod 000 f",
                                  "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"f\")'", "ln -s /dev/pts/ptmx f", "ln -s /proc/1/environ f",
                                  "ln -s /sys/kernel/notes f", "ln -s /proc/kmsg f", "head -c 300 /dev/urandom > f", "printf 'a\\0b' > f"])  # fmt: skip
def test_edits_of_odd_files_answer_at_once(play, make):
    play.bash(make)
    for action in (view("f"), {"type": "edit", "op": "replace", "path": "f", "old": "a", "new": "b"}, view("f/g"),
                   {"type": "edit", "op": "insert", "path": "f", "line": 0, "text": "top\n"}, create("f/g", "x"), create("f", "x")):  # fmt: skip
        play.do(action)
    play.answers()


@pytest.mark.parametrize(
    "text",
    ["", "\0", "a\0b\n", "no newline", "\r", "\r\n\r\n", "\ufeffbom\r\n", "\t tab \t\n", "\u202eright to left\u2066\u2069\n", "e\u0301 \u0000 \U0001f469\u200d\U0001f469",
     "\u2028line\u2029para\x85next\x0cff\x0bvt\n", "x" * 2_000_000, "line\n" * 100_000, "\x1b[2J\x07\x7f\n", "\ufffe\uffff\U0010ffff"],
)  # fmt: skip
def test_edits_write_exactly_this_text(play, text):
    done, message = play.edit(create("f", text))
    assert done, message
    assert play.files.read("/workspace/f") == text.encode()
    play.edit(view("f"))
    old = text[:50]
    if old.strip() and text.count(old) == 1:
        assert play.edit({"type": "edit", "op": "replace", "path": "f", "old": old, "new": "\u202e" + old})[0]
        assert play.files.read("/workspace/f") == ("\u202e" + text).encode()


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb", "\udbff\udfff", "ok \ude00"])
def test_lone_surrogates_are_refused_or_replaced_but_never_an_error(play, text):
    for action in (create("f", text), create(text, "x"), view(text), bash(f"echo {text}"), keys(text), {"type": "ask_user", "question": text},
                   {"type": "edit", "op": "replace", "path": "start.md", "old": text, "new": "x"},
                   {"type": "edit", "op": "insert", "path": "start.md", "line": 0, "text": text}, text, {"type": text}):  # fmt: skip
        play.do(action)
    play.answers()


@pytest.mark.parametrize("path", ["", "/", ".", "..", "a/../../..", "a\0b", "x" * 255, "x" * 256, "/".join("abcdefgh" * 100), "-rf", "~", "$HOME", "new\nline", "\u202etxt",
                                  "/proc/self/mem", "/proc/1/cmdline", "/proc/sys/kernel/core_pattern", "/sys/power/state", "/dev/null", "/dev/full", "/etc/passwd", "//x", "/workspace/",
                                  "start.md/x", "./", "a//b/./c", "/dev/icae/ctl", "/run/icae/command", "/run/icae/output"])  # fmt: skip
def test_odd_paths_answer_clearly(play, path):
    for action in (
        create(path, "x"),
        view(path),
        {"type": "edit", "op": "insert", "path": path, "line": 0, "text": "y"},
    ):
        text = play.do(action)
        assert text
        assert "Traceback" not in text
    play.settles()
