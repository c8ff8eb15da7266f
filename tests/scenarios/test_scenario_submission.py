"""What a workspace can hold when it is handed in."""

from __future__ import annotations

import pytest
from scenario_tools import SUBMIT, bash, eventually, keys, marker, on_host

from icae_env.evaluation import load_submission
from icae_env.sandbox.base import MIB, Limits


def hand_in(play):
    """Submit and return the submission."""
    assert play.submit() == 0.0
    return play.env.unwrapped.submission


def test_odd_entries_are_refused_and_named(play, tmp_path):
    play.bash(
        "echo kept > kept; chmod 640 kept; mkdir -p empty deep/er; echo x > deep/er/file; chmod 755 deep/er/file; mkfifo fifo; ln -s /etc/passwd link; ln -s . loop; "
        "ln kept hard; truncate -s 5G sparse 2>/dev/null || truncate -s 400M sparse; touch $'new\\nline' $'bad\\xff'; touch -- -rf; echo s > secret; chmod 000 secret; "
        "mkdir locked; echo y > locked/in; chmod 000 locked; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'; mknod null c 1 3; "
        "mkdir -p rcb_tests/stdout/native; echo 1 > rcb_tests/stdout/native/a@000.txt; : > '   '"
    )  # fmt: skip
    made = hand_in(play)
    refused = {entry.path: entry.reason for entry in made.refused}
    for path, reason in (("fifo", "special"), ("link", "link"), ("loop", "link"), ("sparse", "sparse"), ("new\nline", "control"), ("bad\\udcff", "UTF-8"), ("sock", "special"),
                         ("rcb_tests/stdout", "outputs")):  # fmt: skip
        assert reason in refused[path], refused
    assert made.files["kept"] == (b"kept\n", 0o640)
    assert made.files["hard"] == (b"kept\n", 0o640)
    assert made.files["deep/er/file"] == (b"x\n", 0o755)
    assert {"empty", "deep", "deep/er"} <= set(made.directories)
    assert {"-rf", "   ", "start.md"} <= set(made.files)
    assert "null" not in made.files and "fifo" not in made.files
    assert not any("root:" in data.decode("utf-8", "replace") for data, _ in made.files.values())
    made.store(tmp_path / "s.tar.gz")
    assert load_submission(tmp_path / "s.tar.gz") == made


def test_equal_workspaces_are_equal_submissions(begin):
    sums = set()
    for _ in range(2):
        play = begin()
        play.bash(
            "mkdir -p b a; for i in 3 1 2; do echo $i > a/$i; done; touch -d 2001-01-01 a/1; sleep 0.01; echo x > b/x"
        )
        sums.add(hand_in(play).sha256)
    assert len(sums) == 1


@pytest.mark.slow
def test_20000_files(begin):
    play = begin(command_seconds=60)
    play.bash(
        'mkdir many; cd many; python3 -c \'\nfor n in range(20500): open(f"{n:05d}", "w").write(str(n))\''
    )
    made = hand_in(play)
    assert 19_900 <= made.file_count <= 20_000
    assert "too many" in made.refused[-1].reason
    assert made.files["many/00007"] == (b"7", 0o644)


def test_directories_of_any_depth(play):
    play.bash(
        'python3 -c \'\nimport os\nfor n in range(3000):\n os.mkdir("d"); os.chdir("d")\nopen("end", "w").close()\''
    )
    play.bash("mkdir -p a/b/c/d/e/f/g/h/i/j; echo end > a/b/c/d/e/f/g/h/i/j/k")
    made = hand_in(play)
    assert made.files["a/b/c/d/e/f/g/h/i/j/k"] == (b"end\n", 0o644)
    assert len(made.refused) == 1


def test_more_bytes_than_a_submission_may_hold(begin):
    play = begin(command_seconds=60, resources=Limits(workspace=600 * MIB, file=300 * MIB))
    play.bash(
        "head -c 140M /dev/zero > a; for i in b c d; do head -c 100M /dev/zero > $i; done; echo small > e"
    )
    made = hand_in(play)
    assert {entry.path: entry.reason.split(":")[0] for entry in made.refused} == {
        "a": "too large",
        "d": "total",
    }
    assert made.files["e"] == (b"small\n", 0o644)


def test_what_runs_at_submit_is_gone_and_changes_nothing(begin):
    play, word = begin(), marker()
    play.bash(
        f"(while :; do echo $RANDOM > grow; ln -sf /etc/passwd late; rm -f kept; echo x > kept; done; sleep {word}) & sleep {word} & disown -a"
    )
    play.bash(
        f"setsid nohup bash -c 'trap \"\" TERM HUP INT; while :; do sleep {word}; done' >/dev/null 2>&1 &"
    )
    play.do(keys(f"sleep {word}"))
    made = hand_in(play)
    assert "start.md" in made.files
    assert eventually(lambda: not on_host(word))


def test_submitting_twice_changes_nothing(begin):
    from icae_env.errors import EpisodeStateError

    play = begin()
    play.bash("echo 1 > a")
    made, report = hand_in(play), play.env.unwrapped.report
    with pytest.raises(EpisodeStateError):
        play.env.step(SUBMIT)
    with pytest.raises(EpisodeStateError):
        play.env.step(bash("echo 2 > a"))
    assert play.env.unwrapped.submission is made
    assert play.env.unwrapped.report is report


@pytest.mark.parametrize("command", ["rm -rf /workspace/* /workspace/.??*", "chmod 000 /workspace", "kill -9 -1", ":(){ :|:& };:", "ln -s /proc/self/mem m; ln -s / r; cd r",
                                     "mkdir -p rcb_tests; mkfifo rcb_tests/test.sh", "mkdir -p rcb_tests/test.sh", "ln -s /bin/true rcb_tests", "touch rcb_tests",
                                     "mkdir -p rcb_tests/native rcb_tests/enhanced; touch rcb_tests/test.sh; chmod 000 rcb_tests"])  # fmt: skip
def test_hostile_workspaces_score_zero(begin, command):
    play = begin(command_seconds=2, restarts=100)
    play.bash(command)
    assert hand_in(play) is not None
    assert play.env.unwrapped.report.status == "ok"
