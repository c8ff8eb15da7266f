from __future__ import annotations

import errno
from pathlib import PurePosixPath

import pytest

from icae_env import registry
from icae_env.errors import SandboxDiedError, SandboxStartError, SandboxUnavailableError
from icae_env.sandbox.base import MIB, WORKSPACE, Completed, Limits, SandboxConfig
from icae_env.sandbox.fake import FakeBackend, FakeCall, FakeSandbox
from icae_env.sandbox.fakefiles import FakeFiles


@pytest.fixture
def sandbox() -> FakeSandbox:
    made = FakeBackend().create(SandboxConfig())
    made.start()
    return made


def test_is_registered_and_always_available() -> None:
    backend = registry.resolve("sandbox", "fake")()
    assert backend.name == "fake"
    assert backend.availability().ok


def test_table_answers_by_argv() -> None:
    backend = FakeBackend({("echo", "x"): Completed(exit_code=0, stdout=b"x\n")})
    with backend.create(SandboxConfig()) as sandbox:
        assert sandbox.run(["echo", "x"]).stdout == b"x\n"
        unknown = sandbox.run(["rm"])
    assert unknown.exit_code == 127
    assert b"rm" in unknown.stderr


def test_callable_sees_call_and_can_write_files() -> None:
    def answer(call: FakeCall) -> Completed:
        call.sandbox.files.write(call.cwd / "seen", call.stdin)
        return Completed(exit_code=0, stdout=call.env["A"].encode() + call.env["TZ"].encode())

    with FakeBackend(answer).create(SandboxConfig(env={"A": "1"})) as sandbox:
        assert sandbox.run(["cat"], stdin=b"in").stdout == b"1UTC"
        assert sandbox.run(["cat"], env={"A": "2"}).stdout == b"2UTC"
        assert sandbox.files.read(WORKSPACE / "seen") == b""


def test_output_limit_cuts_and_says_so() -> None:
    backend = FakeBackend(lambda _: Completed(exit_code=0, stdout=b"x" * 100))
    with backend.create(SandboxConfig()) as sandbox:
        done = sandbox.run(["yes"], output_limit=10)
    assert done.stdout == b"x" * 10
    assert done.truncated


def test_death_start_error_and_live_set() -> None:
    backend = FakeBackend()
    with backend.create(SandboxConfig()) as sandbox:
        assert backend.live == {sandbox}
        sandbox.die()
        assert not sandbox.alive()
        with pytest.raises(SandboxDiedError):
            sandbox.run(["true"])
        with pytest.raises(SandboxDiedError):
            sandbox.kill_all()
    assert not backend.live
    sandbox.close()
    with pytest.raises(SandboxStartError, match="no room"):
        FakeBackend(start_error="no room").create(SandboxConfig()).start()


def test_run_fresh_holds_files_with_modes_and_leaves_nothing() -> None:
    def answer(call: FakeCall) -> Completed:
        mode = call.sandbox.files.stat(WORKSPACE / "a/run").mode
        return Completed(
            exit_code=0, stdout=call.sandbox.files.read(WORKSPACE / "a/run") + oct(mode).encode()
        )

    backend = FakeBackend(answer)
    done = backend.run_fresh(SandboxConfig(), {"a/run": (b"#!", 0o755)}, ["./a/run"])
    assert done.stdout == b"#!0o755"
    assert not backend.live


def test_what_it_cannot_do_is_refused(sandbox: FakeSandbox) -> None:
    with pytest.raises(SandboxUnavailableError, match="bubblewrap"):
        sandbox.open_pty(["bash"])
    with pytest.raises(SandboxUnavailableError, match="bubblewrap"):
        sandbox.attach_argv(["bash"])


def test_files_read_write_list_remove(sandbox: FakeSandbox) -> None:
    files = sandbox.files
    files.write("/workspace/d/a", b"12345", mode=0o755)
    files.write("/workspace/d/a", b"abc")
    assert files.stat("/workspace/d/a").mode == 0o755
    assert files.read("/workspace/d/a", offset=1, limit=1) == b"b"
    assert files.list("/workspace") == ["d"]
    with pytest.raises(FileExistsError):
        files.write("/workspace/d/a", b"", exclusive=True)
    with pytest.raises(IsADirectoryError):
        files.read("/workspace/d")
    with pytest.raises(NotADirectoryError):
        files.list("/workspace/d/a")
    with pytest.raises(FileNotFoundError):
        files.read("/workspace/nothing")
    files.remove("/workspace/d")
    files.remove("/workspace/d")
    files.remove("/nowhere/at/all")
    assert files.list("/workspace") == []


def test_links_resolve_inside_and_final_link_is_seen_by_stat(sandbox: FakeSandbox) -> None:
    files = sandbox.files
    files.write("/etc/passwd", b"inside")
    files.link("/workspace/abs", "/etc/passwd")
    files.link("/workspace/up", "../../../../etc")
    assert files.stat("/workspace/abs").kind == "link"
    assert files.read("/workspace/abs") == b"inside"
    assert files.read("/workspace/up/passwd") == b"inside"
    files.write("/workspace/abs", b"changed")
    assert files.read("/etc/passwd") == b"changed"
    files.remove("/workspace/abs")
    assert files.read("/etc/passwd") == b"changed"


def test_link_loops_end(sandbox: FakeSandbox) -> None:
    sandbox.files.link("/workspace/a", "b")
    sandbox.files.link("/workspace/b", "a")
    with pytest.raises(OSError) as caught:
        sandbox.files.read("/workspace/a")
    assert caught.value.errno == errno.ELOOP


def test_special_and_sparse(sandbox: FakeSandbox) -> None:
    sandbox.files.special("/workspace/fifo")
    sandbox.files.sparse("/workspace/big", 20 * MIB)
    assert sandbox.files.stat("/workspace/fifo").kind == "other"
    with pytest.raises(OSError):
        sandbox.files.read("/workspace/fifo")
    sparse = sandbox.files.stat("/workspace/big")
    assert (sparse.size, sparse.blocks) == (20 * MIB, 0)


def test_quota_is_given_back_by_remove() -> None:
    config = SandboxConfig(limits=Limits(workspace=MIB, file=MIB))
    with FakeBackend().create(config) as sandbox:
        sandbox.files.write("/workspace/a", bytes(MIB))
        with pytest.raises(OSError) as full:
            sandbox.files.write("/workspace/b", b"1")
        assert full.value.errno == errno.ENOSPC
        sandbox.files.remove("/workspace/a")
        sandbox.files.write("/workspace/b", b"1")
        with pytest.raises(OSError) as big:
            sandbox.files.write("/workspace/b", bytes(MIB + 1))
        assert big.value.errno == errno.EFBIG


def test_root_and_parent_paths() -> None:
    files = FakeFiles()
    files.write("/a/b/c", b"1")
    assert files.list("/") == ["a"]
    assert files.read(PurePosixPath("/a/b/../b/c")) == b"1"
    assert files.stat("/").kind == "directory"


def test_shell_answers_from_the_commands_and_dies_with_the_sandbox() -> None:
    backend = FakeBackend(commands=lambda command: (command.upper(), 3))
    with backend.create(SandboxConfig()) as sandbox:
        result = sandbox.make_shell().run("echo x")
        assert (result.text, result.exit_code, result.cwd) == ("ECHO X", 3, "/workspace")
        sandbox.die()
        with pytest.raises(SandboxDiedError):
            sandbox.make_shell().run("echo x")
    with FakeBackend().create(SandboxConfig()) as plain:
        assert plain.make_shell().run("ls -l").exit_code == 127


def test_true_always_works_while_it_lives() -> None:
    with FakeBackend(lambda _: Completed(exit_code=9)).create(SandboxConfig()) as sandbox:
        assert sandbox.run(["true"]).exit_code == 0
        assert sandbox.run(["false"]).exit_code == 9
