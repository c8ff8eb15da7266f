from __future__ import annotations

import gzip
import io
import os
import pickle
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from icae_env.errors import ConfigError, SandboxDiedError
from icae_env.evaluation.archive import Refused, SubmissionLimits, name_problem
from icae_env.evaluation.submission import Submission, load_submission, take_snapshot
from icae_env.sandbox.base import MIB, SandboxConfig
from icae_env.sandbox.fake import FakeBackend, FakeSandbox


@pytest.fixture
def sandbox() -> FakeSandbox:
    made = FakeBackend().create(SandboxConfig())
    made.start()
    return made


def reasons(submission: Submission) -> dict[str, str]:
    return {entry.path: entry.reason.partition(":")[0] for entry in submission.refused}


def test_takes_files_modes_and_empty_directories(sandbox: FakeSandbox) -> None:
    sandbox.files.write("/workspace/run", b"#!/bin/sh\n", mode=0o755)
    sandbox.files.write("/workspace/a/b.txt", b"x")
    sandbox.files.mkdir("/workspace/empty/inner")
    taken = take_snapshot(sandbox)
    assert taken.files == {"a/b.txt": (b"x", 0o644), "run": (b"#!/bin/sh\n", 0o755)}
    assert taken.directories == ("a", "empty", "empty/inner")
    assert (taken.file_count, taken.size, taken.refused) == (2, 11, ())
    assert sandbox.kills == 1
    take_snapshot(sandbox, quiesce=False)
    assert sandbox.kills == 1


def test_twice_gives_the_same_bytes_whatever_the_order(sandbox: FakeSandbox) -> None:
    for name in "cab":
        sandbox.files.write(f"/workspace/{name}", name.encode())
    first = take_snapshot(sandbox)
    sandbox.files.remove("/workspace/a")
    sandbox.files.write("/workspace/a", b"a")
    assert take_snapshot(sandbox).archive == first.archive
    assert first.sha256 == take_snapshot(sandbox).sha256


def test_refuses_and_reports(sandbox: FakeSandbox) -> None:
    files = sandbox.files
    files.write("/workspace/ok", b"1")
    files.link("/workspace/passwd", "/etc/passwd")
    files.link("/workspace/dir", "/")
    files.special("/workspace/fifo")
    files.sparse("/workspace/giant", 17 * MIB)
    files.sparse("/workspace/small-sparse", 1 * MIB)
    files.write("/workspace/new\nline", b"")
    files.write("/workspace/bad\udcff", b"")
    files.write("/workspace/rcb_tests/stdout/native/double@000.txt", b"forged")
    files.write("/workspace/rcb_tests/test.sh", b"")
    taken = take_snapshot(sandbox)
    assert set(taken.files) == {"ok", "rcb_tests/test.sh", "small-sparse"}
    assert reasons(taken) == {
        "passwd": "link",
        "dir": "link",
        "fifo": "special file",
        "giant": "sparse",
        "new\nline": "name",
        "bad\\udcff": "name",
        "rcb_tests/stdout": "outputs",
    }
    assert Submission.model_validate(taken.model_dump()) == taken


def test_limits_cut_in_the_order_of_names(sandbox: FakeSandbox) -> None:
    for name in "abcd":
        sandbox.files.write(f"/workspace/{name}", b"12345")
    sandbox.files.write("/workspace/c", b"1")
    by_total = take_snapshot(sandbox, limits=SubmissionLimits(total=11))
    assert set(by_total.files) == {"a", "b", "c"}
    assert reasons(by_total) == {"d": "total"}
    by_file = take_snapshot(sandbox, limits=SubmissionLimits(file=4))
    assert set(by_file.files) == {"c"}
    assert reasons(by_file) == {"a": "too large", "b": "too large", "d": "too large"}
    by_count = take_snapshot(sandbox, limits=SubmissionLimits(entries=2))
    assert set(by_count.files) == {"a", "b"}
    assert reasons(by_count) == {"c": "too many"}


def test_many_refused_entries_are_summed_up(sandbox: FakeSandbox) -> None:
    for index in range(1200):
        sandbox.files.link(f"/workspace/l{index:04d}", "x")
    taken = take_snapshot(sandbox)
    assert len(taken.refused) == 1001
    assert taken.refused[-1].reason == "200 more entries were refused"


def test_dead_sandbox_is_an_error(sandbox: FakeSandbox) -> None:
    sandbox.die()
    with pytest.raises(SandboxDiedError):
        take_snapshot(sandbox)


@pytest.mark.parametrize("name", ["s.tar", "deep/er/s.tar.gz"])
def test_store_and_load_round_trip(tmp_path: Path, name: str) -> None:
    made = Submission.of(
        {"ünïcode": (b"\0\xff", 0o600), "x/" + "long" * 60: (b"y" * 5000, 0o755)},
        ["x", "empty"],
        [Refused(path="link", reason="link: ü")],
    )
    made.store(tmp_path / name)
    loaded = load_submission(tmp_path / name)
    assert loaded == made
    assert loaded.files == made.files
    assert loaded.directories == made.directories
    assert list((tmp_path / name).parent.iterdir()) == [tmp_path / name]


def test_content_is_decoded_from_the_archive_alone() -> None:
    made = Submission.of({"a": (b"1", 0o644)}, ["d"])
    again = Submission.model_validate(made.model_dump())
    assert again.files == {"a": (b"1", 0o644)}
    assert again.directories == ("d",)
    assert pickle.loads(pickle.dumps(made)).files == made.files
    assert "archive" not in repr(made)


def test_failed_store_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.tar").mkdir()
    (tmp_path / "s.tar" / "x").touch()
    with pytest.raises(OSError):
        Submission.of({}).store(tmp_path / "s.tar")
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.tar"]


def test_folder_of_the_host_is_taken_by_the_same_rules(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "run").write_bytes(b"1")
    (folder / "sub" / "run").chmod(0o755)
    (folder / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "fifo")
    loaded = load_submission(folder)
    assert loaded.files == {"sub/run": (b"1", 0o755)}
    assert reasons(loaded) == {"link": "link", "fifo": "special file"}
    loaded.store(tmp_path / "s.tar")
    assert load_submission(tmp_path / "s.tar") == loaded


def add(kind: bytes, name: str, **settings: object) -> Callable[[tarfile.TarFile], None]:
    def write(tar: tarfile.TarFile) -> None:
        member = tarfile.TarInfo(name)
        member.type = kind
        for key, value in settings.items():
            setattr(member, key, value)
        tar.addfile(member, io.BytesIO(b"x" * member.size))

    return write


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (add(tarfile.REGTYPE, "../out"), "cannot be stored"),
        (add(tarfile.REGTYPE, "a/../../out"), "cannot be stored"),
        (add(tarfile.REGTYPE, "/etc/passwd"), "cannot be stored"),
        (add(tarfile.REGTYPE, "a\x07"), "control characters"),
        (add(tarfile.SYMTYPE, "link", linkname="/etc"), "link, a device"),
        (add(tarfile.LNKTYPE, "hard", linkname="run"), "link, a device"),
        (add(tarfile.CHRTYPE, "dev"), "link, a device"),
        (add(tarfile.FIFOTYPE, "fifo"), "link, a device"),
        (add(tarfile.REGTYPE, "run"), "occurs twice"),
        (add(tarfile.REGTYPE, "run/below"), "below one that is a file"),
        (add(tarfile.REGTYPE, "big", size=2000), "more than a submission may"),
    ],
)
def test_forged_archives_are_refused(
    tmp_path: Path, member: Callable[[tarfile.TarFile], None], message: str
) -> None:
    path = tmp_path / "s.tar"
    with tarfile.open(path, "w") as tar:
        add(tarfile.REGTYPE, "run", size=1)(tar)
        member(tar)
    with pytest.raises(ConfigError, match=message) as caught:
        load_submission(path, SubmissionLimits(file=1000))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b", b"\x1f\x8bnonsense", b"x" * 3000, b"\0" * 511])
def test_damaged_archives_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.tar"
    path.write_bytes(data)
    with pytest.raises(ConfigError):
        load_submission(path)


def test_an_archive_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    whole = Submission.of({"a": (b"1" * 700, 0o644), "b": (b"2", 0o644)})
    path = tmp_path / "s.tar"
    content = len(whole.archive.rstrip(b"\0"))
    for length in (*range(0, content, 97), *range(512, content, 512)):
        path.write_bytes(whole.archive[:length])
        with pytest.raises(ConfigError):
            load_submission(path)


def test_gzip_bomb_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "s.tar.gz"
    path.write_bytes(gzip.compress(bytes(64 * MIB)))
    with pytest.raises(ConfigError, match="larger than"):
        load_submission(path, SubmissionLimits(total=MIB, entries=10))


def test_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such submission"):
        load_submission(tmp_path / "none.tar")


def test_tar_of_other_tools_is_read_and_brought_to_the_same_form(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "run").write_bytes(b"1")
    with tarfile.open(tmp_path / "s.tar", "w", format=tarfile.GNU_FORMAT) as tar:
        tar.add(tmp_path / "w", arcname=".")
    assert load_submission(tmp_path / "s.tar").sha256 == load_submission(tmp_path / "w").sha256


def test_name_problem() -> None:
    assert name_problem("a/b c/é") is None
    for bad in ("", "/a", "a//b", "a/./b", "..", "a/..", "a\0b", "x" * 256, "a/" * 2500 + "b"):
        assert name_problem(bad), bad
