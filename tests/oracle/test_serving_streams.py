"""A call through the client is like a call of the program itself: arguments, streams, exit codes, signals, files."""

from __future__ import annotations

import hashlib

import pytest
from served import Served


def test_arguments_arrive_as_they_are(box: Served) -> None:
    done = box.run(r"""./executable args '' ' a  b ' $'new\nline' $'\xff\xfe' 'ünïcode'""")
    assert done.exit_code == 3
    assert (
        done.stdout
        == b"[./executable]\n[args]\n[]\n[ a  b ]\n[new\nline]\n" + b"[\xff\xfe]\n" + "[ünïcode]\n".encode()
    )


def test_it_sees_the_name_that_it_is_called_by(box: Served) -> None:
    assert box.text("mkdir d; cd d; ../executable args") == "[../executable]\n[args]\n"
    assert box.text("PATH=/workspace:$PATH; executable args") == "[executable]\n[args]\n"


def test_many_arguments(box: Served) -> None:
    done = box.run("./executable args $(seq 20000) | md5sum")
    expected = b"".join(
        b"[%s]\n" % word for word in [b"./executable", b"args", *(b"%d" % n for n in range(1, 20001))]
    )
    assert done.stdout.split()[0].decode() == hashlib.md5(expected).hexdigest()


def test_exit_codes_and_signals(box: Served) -> None:
    assert box.text("for n in 0 1 77 255; do ./executable exit $n; echo $?; done") == "0\n1\n77\n255\n"
    assert (
        box.text("exec 2> /dev/null; for n in 6 9 11 15; do ( ./executable raise $n ); echo $?; done")
        == "134\n137\n139\n143\n"
    )


@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_001])
def test_input_and_output_of_any_size(box: Served, size: int) -> None:
    data = bytes(n % 251 for n in range(size))
    done = box.run("cat | ./executable cat", stdin=data)
    assert done.exit_code == 0 and done.stdout == data


def test_standard_input_from_a_file_keeps_its_position(box: Served) -> None:
    script = "seq 5 > five; { read -r first; ./executable cat; } < five; { ./executable exit 0; cat; } < five"
    assert box.text(script) == "2\n3\n4\n5\n1\n2\n3\n4\n5\n"


def test_what_the_program_does_not_read_is_left_to_others(box: Served) -> None:
    assert box.text('seq 3 | while read -r n; do ./executable args "$n"; done') == "".join(
        f"[./executable]\n[args]\n[{n}]\n" for n in (1, 2, 3)
    )


def test_both_outputs_on_one_pipe_keep_their_order(box: Served) -> None:
    assert box.run("./executable both 2>&1 | cat").stdout == b"out\nerr\n" * 50
    done = box.run("./executable both")
    assert (done.stdout, done.stderr) == (b"out\n" * 50, b"err\n" * 50)


def test_a_reader_that_stops_ends_the_program(box: Served) -> None:
    assert box.text("./executable forever | head -n 2; echo ${PIPESTATUS[0]}") == "line\nline\n141\n"


def test_closed_streams(box: Served) -> None:
    assert box.text("./executable cat <&-; echo $?; ./executable exit 5 >&- 2>&-; echo $?") == "0\n5\n"


def test_signals_are_passed_on(box: Served) -> None:
    script = """
        for number in INT TERM HUP; do
            ./executable hold > out & job=$!
            until grep -q holding out; do sleep 0.02; done
            kill -$number $job; wait $job; echo $?; tail -n 1 out
        done
    """
    assert box.text(script) == "42\ncaught 2\n55\ncaught 15\n41\ncaught 1\n"


def test_what_the_caller_ignores_the_program_is_started_to_ignore(box: Served) -> None:
    show = "./executable sh 'grep SigIgn /proc/self/status | tail -c 5'"  # the higher ones come from who started this process
    assert box.text(f"trap '' INT PIPE; {show}; trap - INT PIPE; {show}") == "1002\n0000\n"


def test_when_the_client_is_killed_so_is_the_program(box: Served) -> None:
    box.run(
        "./executable hold > out & job=$!; until grep -q holding out; do sleep 0.02; done; kill -KILL $job; wait"
    )
    for _ in range(100):
        if box.probes():
            break
        box.run("sleep 0.05")
    assert [probe.exit_code for probe in box.probes()] == [137]


def test_it_works_on_the_workspace_and_where_it_is_called(box: Served) -> None:
    script = "mkdir -p a/b; cd a/b; echo one > in; ../../executable sh 'pwd; cat in; echo two > out'; cat out; stat -c %U out"
    assert box.text(script) == "/workspace/a/b\none\ntwo\nagent\n"


def test_elsewhere_it_is_refused_with_the_reason(box: Served) -> None:
    done = box.run("cd /tmp; /workspace/executable args")
    assert done.exit_code == 126 and b"It sees /workspace only" in done.stderr


def test_what_it_leaves_running_is_ended_with_the_call(box: Served) -> None:
    script = """
        ./executable sh '(setsid sh -c "while :; do date +%N > beat; sleep 0.02; done" &) ; sleep 0.2'
        sleep 0.1; first=$(cat beat); sleep 0.3; [ "$first" = "$(cat beat)" ] && echo still
    """
    assert box.text(script) == "still\n"


def test_calls_at_the_same_time(box: Served) -> None:
    script = 'for n in $(seq 40); do ./executable sh "sleep 0.2; echo $n" & done; wait'
    assert sorted(map(int, box.run(script).stdout.split())) == list(range(1, 41))


def test_its_environment_is_the_servers(box: Served) -> None:
    text = box.text("SECRET=1 LANG=de_DE TZ=Asia/Tokyo TERM=dumb LD_PRELOAD= ./executable sh env")
    found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    assert found["LANG"] == "C.UTF-8" and found["TZ"] == "UTC" and found["TERM"] == "xterm-256color"
    assert "SECRET" not in found and "LD_PRELOAD" not in found


def test_the_client_also_lies_where_no_compiler_puts_anything(box: Served) -> None:
    assert (
        box.text("echo mine > executable; cat executable; /run/oracle/executable exit 4; echo $?")
        == "mine\n4\n"
    )
