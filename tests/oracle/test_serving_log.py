"""The probe log: what is noted of each call, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from served import Served

from icae_env.errors import ConfigError
from icae_env.oracle.probes import MOST_BYTES, read_probes, write_probes


def test_what_is_noted_of_a_call(box: Served) -> None:
    box.log.step, box.log.phase = 7, "spec"
    box.run(
        "mkdir -p d/e; echo in > d/in; echo deep > d/e/f; sleep 0.05"
    )  # dates are no finer than a few milliseconds
    box.run("cd d; echo typed | ../executable sh 'cat; echo out > made; echo no >&2; exit 9' in")
    (probe,) = box.probes()
    assert (probe.index, probe.step, probe.phase) == (0, 7, "spec")
    assert probe.argv == ("../executable", "sh", "cat; echo out > made; echo no >&2; exit 9", "in")
    assert (probe.cwd, probe.stdin, probe.stdout, probe.stderr) == (
        "/workspace/d",
        "typed\n",
        "typed\n",
        "no\n",
    )
    assert (probe.exit_code, probe.terminal, probe.truncated) == (9, False, False)
    assert probe.files == {"d/in": "in\n"} and probe.written == {"d/made": "out\n"}
    assert 0 < probe.seconds < 30


def test_files_that_arguments_name_are_kept_as_they_were(box: Served) -> None:
    box.run(
        "mkdir d; echo a > d/a; echo b > d/b; ln -s /etc/passwd link; mkfifo fifo; ./executable args d/ --in=d/a link fifo missing"
    )
    (probe,) = box.probes()
    assert probe.files == {"d/a": "a\n", "d/b": "b\n"}
    assert probe.written == {}


def test_standard_input_from_a_file(box: Served) -> None:
    box.run("seq 3 > three; { read -r _; ./executable cat; } < three")
    (probe,) = box.probes()
    assert probe.stdin == "2\n3\n" == probe.stdout


def test_what_is_long_is_cut_and_said_to_be(box: Served) -> None:
    box.run("head -c 200000 /dev/zero | ./executable cat > /dev/null")
    (probe,) = box.probes()
    assert probe.truncated and probe.stdout == "\0" * MOST_BYTES == probe.stdin


def test_bytes_that_are_no_text(box: Served, tmp_path: Path) -> None:
    box.run(r"printf '\xff' | ./executable cat $'\xfe' 2>/dev/null; printf '\xff' | ./executable cat")
    probes = box.probes()
    write_probes(tmp_path / "probes.jsonl", probes)
    assert tuple(read_probes(tmp_path / "probes.jsonl")) == probes
    assert len(probes) == 2


def test_a_log_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "probes.jsonl").write_text("{}\n")
    with pytest.raises(ConfigError, match=r"probes\.jsonl"):
        list(read_probes(tmp_path / "probes.jsonl"))
