from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from icae_env.errors import SandboxError
from icae_env.sandbox.base import MIB, Limits, Sandbox, SandboxConfig
from icae_env.sandbox.bubblewrap import BubblewrapBackend
from icae_env.sandbox.bwrap_program import program
from icae_env.sandbox.images import hostpython
from icae_env.sandbox.images.host import HostImage, host_image
from icae_env.sandbox.images.store import HOME_VARIABLE


def _unavailable() -> str:
    backend = BubblewrapBackend()
    try:
        found = backend.availability()
    finally:
        backend.close()
    return "" if found.ok else found.detail


pytestmark = [
    pytest.mark.bubblewrap,
    pytest.mark.skipif(bool(_unavailable()), reason=_unavailable() or "works"),
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    backend = BubblewrapBackend()
    with backend.create(SandboxConfig(image="host", limits=Limits(workspace=8 * MIB))) as started:
        yield started
    backend.close()


def _said(sandbox: Sandbox, command: str) -> str:
    answer = sandbox.run(["bash", "-c", command])
    assert answer.exit_code == 0, answer.stderr.decode()
    return answer.stdout.decode().strip()


def test_the_tools_run(sandbox: Sandbox) -> None:
    assert _said(sandbox, "python3 -c 'import json, ssl, sqlite3, ctypes; print(json.dumps([1]))'") == "[1]"
    assert _said(sandbox, "git --version").startswith("git version")
    assert _said(sandbox, "python3 -m pip --version").startswith("pip ")
    assert _said(sandbox, "whoami; hostname; tr '\\n' ' ' < /etc/hostname").split() == [
        "agent",
        "sandbox",
        "sandbox",
    ]


def test_node_runs_where_the_host_has_it(sandbox: Sandbox) -> None:
    if sandbox.run(["bash", "-c", "command -v node"]).exit_code != 0:
        pytest.skip("this machine has no node that a sandbox can use")
    assert _said(sandbox, "node -p '6*7'") == "42"


def test_no_installed_package_can_be_imported(sandbox: Sandbox) -> None:
    assert find_spec("pydantic")
    for name in ("pydantic", "icae_env", "bracex", "yaml", "setuptools"):
        answer = sandbox.run(["python3", "-c", f"import {name}"])
        assert answer.exit_code == 1, name
        assert b"ModuleNotFoundError" in answer.stderr
    found = _said(
        sandbox,
        "find / -xdev -name 'pydantic*' -not -path '/proc/*' 2>/dev/null | grep -v pip/_vendor || true",
    )
    assert found == ""


def test_nothing_of_this_project_or_the_host_is_seen(sandbox: Sandbox) -> None:
    names = "-name user_agent_data -o -name icae_env -o -name 'L1.json' -o -name .git -o -name .ssh -o -name .npmrc"
    assert _said(sandbox, f"find / \\( {names} \\) -not -path '/proc/*' 2>/dev/null || true") == ""
    assert _said(sandbox, "cat /etc/passwd | cut -d: -f1 | tr '\\n' ' '") == "root agent nobody"
    assert _said(sandbox, "find /etc -name 'shadow*' -o -name sudoers -o -name ssh || true") == ""
    assert str(Path.home()) not in _said(sandbox, "env; cat /proc/self/mountinfo | cut -d' ' -f5")


def test_the_toolchain_and_its_masks_cannot_be_written(sandbox: Sandbox) -> None:
    masks = [mount.target for mount in host_image().mounts if mount.kind == "tmpfs"]
    assert masks
    for place in ("/usr", "/usr/bin", "/etc", "/", *masks):
        assert sandbox.run(["touch", f"{place}/icae-mark"]).exit_code != 0, place


def test_the_same_machine_gives_the_same_image() -> None:
    first = host_image()
    assert first == host_image()
    assert HostImage.model_validate_json(first.model_dump_json()) == first


@pytest.mark.skipif(
    Path(sys.base_prefix).resolve().is_relative_to("/usr"), reason="the running Python is the one below /usr"
)
def test_a_python_that_others_cannot_reach_is_copied_without_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    prefix = Path(sys.base_prefix).resolve()
    copy = hostpython.copied(prefix)
    assert copy.is_relative_to(tmp_path)
    before = copy.stat().st_ino
    assert hostpython.copied(prefix).stat().st_ino == before
    try:
        bwrap = program()
    except SandboxError as error:
        pytest.skip(str(error))
    # In place of its original, which is then not there: what runs is the copy.
    command = "import json, ssl, sys, pip; print(sys.base_prefix)"
    argv = [
        str(bwrap), "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", str(Path.home()),
        "--ro-bind", str(copy), str(prefix), f"{prefix}/bin/python3", "-I", "-c", command,
    ]  # fmt: skip
    answer = subprocess.run(
        argv, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]}
    )
    assert answer.stdout.strip() == str(prefix), answer.stderr
    names = {path.name.split("-")[0] for path in copy.glob("lib/python3*/site-packages/*")}
    assert names == {"pip"}


def test_reachable_looks_at_every_step(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b"
    place.mkdir(parents=True)
    tmp_path.chmod(0o755)
    open_steps = all(step.stat().st_mode & 1 for step in tmp_path.parents)
    assert hostpython.reachable(place) == open_steps
    (tmp_path / "a").chmod(0o700)
    assert not hostpython.reachable(place)
