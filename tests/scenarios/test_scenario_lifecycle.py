"""However a process that holds episodes ends, nothing of them is left a few seconds later."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from real_sandboxes import place_or_skip
from scenario_tools import TASK, Play, eventually, marker, on_host

import icae_env
from icae_env import registry
from icae_env.errors import EpisodeStateError

PROGRAM = Path(__file__).with_name("parent_program.py")
PATIENCE = 5.0


def places(bubblewrap: int, docker: int) -> list[dict[str, str]]:
    """Return places for a program; the docker ones are left out where docker does not work, and bubblewrap ones must."""
    found = [place_or_skip("bubblewrap")] * bubblewrap
    backend = registry.resolve("sandbox", "docker")()
    works = backend.availability().ok
    backend.close()
    return found + ([place_or_skip("docker")] * docker if works else [])


def _groups() -> list[Path]:
    """Return the control groups of sandboxes, of all processes."""
    return [*Path("/sys/fs/cgroup").glob("icae_env/*-*"), *Path("/sys/fs/cgroup").glob("memory/icae_env/*-*")]


class Traces:
    """What a process may leave on the machine."""

    def __init__(self, mark: str, folder: Path) -> None:
        self.mark, self.folder, self.pid = mark, folder, -1

    def left(self) -> list[str]:
        """Return descriptions of what is still there."""
        found = [f"process {pid}" for pid in on_host(self.mark)]
        found += [f"process {pid} of the temporary folder" for pid in on_host(str(self.folder))]
        found += [f"file {path}" for path in self.folder.iterdir() if path.name.startswith("icae")]
        for group in _groups():
            if group.name.split("-")[0] in (str(self.pid), f"probe-{self.pid}"):
                found.append(f"group {group}")
        return found + self.containers()

    def containers(self) -> list[str]:
        from icae_env.sandbox.docker import janitor

        path = janitor.socket_path()
        if path is None or not os.access(path, os.W_OK):
            return []
        return [
            f"container {key}"
            for key, owner in janitor.owned(None, path).items()
            if owner.startswith(f"{self.pid}:")
        ]

    def children(self) -> list[str]:
        """Return the processes whose parent was the process: its launcher among them."""
        return [folder.name for folder in Path("/proc").glob("[0-9]*") if _parent(folder.name) == self.pid]


def _parent(pid: str) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return -1


class Parent:
    """A running ``parent_program.py``."""

    def __init__(self, tmp_path: Path, where: list[dict[str, str]], how: str) -> None:
        self.traces = Traces(marker(), tmp_path)
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), self.traces.mark, json.dumps(where), how],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)},
        )  # fmt: skip
        self.traces.pid = self.process.pid

    def __enter__(self) -> Parent:
        assert self.process.stdout
        self.line = self.process.stdout.readline().strip()
        if not self.line:
            self.process.kill()
            raise AssertionError(self.process.communicate()[1])
        self.descendants = self.traces.children()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def is_gone(self) -> bool:
        """Wait for the end and for the clean-up; return whether nothing is left within the time."""
        self.process.wait(timeout=60)
        gone = eventually(lambda: not self.traces.left() and not self._launchers(), PATIENCE)
        assert gone, [*self.traces.left(), *self._launchers()]
        return gone

    def _launchers(self) -> list[str]:
        return [f"child {pid}" for pid in self.descendants if Path(f"/proc/{pid}").exists()]


@pytest.mark.bubblewrap
@pytest.mark.docker
@pytest.mark.parametrize("how", ["kill", "int", "term"])
def test_a_killed_process_leaves_nothing(tmp_path, how):
    where = places(5, 2)
    with Parent(tmp_path, where, how) as parent:
        assert len(on_host(parent.traces.mark)) >= 2 * len(where)
        parent.process.send_signal(
            {"kill": signal.SIGKILL, "int": signal.SIGINT, "term": signal.SIGTERM}[how]
        )
        assert parent.is_gone()


@pytest.mark.bubblewrap
@pytest.mark.docker
@pytest.mark.parametrize(("how", "code"), [("return", 0), ("os._exit", 3), ("raise", 4), ("thread", 0)])
def test_a_process_that_ends_without_closing_leaves_nothing(tmp_path, how, code):
    with Parent(tmp_path, places(2, 1), how) as parent:
        assert parent.is_gone()
        assert parent.process.returncode == code


@pytest.mark.bubblewrap
@pytest.mark.docker
def test_a_forked_child_neither_harms_nor_shelters_the_sandboxes(tmp_path):
    with Parent(tmp_path, places(3, 1), "fork") as parent:
        child = int(parent.line)
        try:
            parent.descendants = [pid for pid in parent.descendants if int(pid) != child]
            assert on_host(parent.traces.mark)
            parent.process.kill()
            parent.process.wait()
            sleepers = [pid for pid in on_host(parent.traces.mark) if pid != child]
            assert eventually(
                lambda: not [pid for pid in on_host(parent.traces.mark) if pid != child], PATIENCE
            ), sleepers
            assert eventually(lambda: not parent.traces.containers(), PATIENCE)
            assert Path(f"/proc/{child}").exists(), "the child lives on"
        finally:
            os.kill(child, signal.SIGKILL)
        assert parent.is_gone()


@pytest.mark.bubblewrap
@pytest.mark.docker
def test_killed_while_it_starts_sandboxes(tmp_path):
    """At any moment of a start: nothing may be left by a request that was under way."""
    program = "import json,sys,icae_env,threading\nfor place in json.loads(sys.argv[2]):\n def go(place=place):\n" \
        "  while True:\n   env = icae_env.make_env('bracex', **place); env.reset(seed=0)\n   print('x', flush=True); env.close()\n" \
        " threading.Thread(target=go).start()"  # fmt: skip
    for delay in (0.0, 0.03, 0.11):
        traces = Traces(marker(), tmp_path)
        with subprocess.Popen([sys.executable, "-c", program, traces.mark, json.dumps(places(1, 1))], stdout=subprocess.PIPE,
                              env={**os.environ, "TMPDIR": str(tmp_path)}) as process:  # fmt: skip
            traces.pid = process.pid
            process.stdout.readline()
            launchers = traces.children()
            time.sleep(delay)
            process.kill()
        assert _goes(traces, launchers), traces.left()
        time.sleep(0.5)
        assert not traces.left()


def _goes(traces: Traces, launchers: list[str]) -> bool:
    """Return whether all traces and these processes go away in time."""
    return eventually(
        lambda: not traces.left() and not any(Path(f"/proc/{pid}").exists() for pid in launchers), PATIENCE
    )


def test_calls_out_of_order_are_clear_errors(where):
    env = icae_env.make_env(TASK, **where)
    with pytest.raises(EpisodeStateError, match="reset"):
        env.step({"type": "submit"})
    env.reset(seed=0)
    env.step({"type": "bash", "command": "touch here"})
    env.reset(seed=0)
    assert "here" not in env.step({"type": "bash", "command": "ls"})[0]["text"]
    _, _, terminated, _, info = env.step({"type": "submit"})
    assert terminated and info["report"].overall == 0.0
    for _ in range(2):
        with pytest.raises(EpisodeStateError, match="over"):
            env.step({"type": "submit"})
    assert env.report.overall == 0.0
    env.reset(seed=0)
    env.close()
    env.close()
    for call in (env.reset, lambda: env.step({"type": "submit"})):
        with pytest.raises(EpisodeStateError, match="closed"):
            call()


def test_a_sandbox_outlives_the_thread_that_started_it(where):
    word, made = marker(), []

    def start() -> None:
        env = icae_env.make_env(TASK, **where)
        made.append(Play(env))
        made[0].bash(f"A=kept; sleep {word} &")

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    time.sleep(0.5)
    try:
        assert made[0].bash("echo $A; jobs | wc -l") == "kept\n1\n"
        assert on_host(word)
    finally:
        made[0].env.close()
    assert eventually(lambda: not on_host(word))


@pytest.mark.bubblewrap
def test_64_episodes_and_nothing_after_close(tmp_path, monkeypatch):
    where, word = place_or_skip("bubblewrap"), marker()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # the machine's is shared with other processes
    groups_before = set(_groups())  # those of other tests' backends, which keep templates
    files = len([*Path("/proc/self/fd").iterdir()])
    envs = [icae_env.make_env(TASK, **where) for _ in range(64)]
    try:
        plays = [Play(env) for env in envs]
        for number, play in enumerate(plays):
            play.bash(f"echo {number} > mine; sleep {word} &")
        assert [play.bash("cat mine") for play in plays] == [f"{number}\n" for number in range(64)]
        assert eventually(lambda: len(on_host(word)) == 64)
    finally:
        for env in envs:
            env.close()
    assert eventually(lambda: not on_host(word))
    assert not [
        path for path in _groups() if path.name.startswith(f"{os.getpid()}-") and path not in groups_before
    ]
    assert [*tmp_path.iterdir()] == []
    assert len([*Path("/proc/self/fd").iterdir()]) <= files + 8
