from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from icae_env.sandbox import doctor, leftovers
from icae_env.sandbox.images import definition, dockerbuild, owner
from icae_env.sandbox.images.store import BUILD_PREFIX, HOME_VARIABLE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    return tmp_path


def test_every_part_is_looked_at_and_what_fails_has_a_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://someone:canary-pw@pypi.test/simple")
    found = {check.name: check for check in doctor.checks()}
    parts = {
        "platform",
        "user namespaces",
        "bwrap",
        "tmux",
        "docker",
        "image builder",
        "memory limit",
        "package mirrors",
    }
    assert parts <= set(found)
    assert {f"image {name}" for name in definition.names()} <= set(found)
    assert {"sandbox bubblewrap", "sandbox docker"} <= set(found)
    assert [check for check in found.values() if not check.ok and not check.mend] == []
    assert all(check.detail for check in found.values())
    assert "canary-pw" not in repr(found)


def test_an_image_is_reported_as_not_built(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("icae_env.sandbox.images.store.SYSTEM_HOME", home / "system")
    found = {check.name: check for check in doctor.checks()}
    assert found["image base"] == doctor.Check(
        name="image base", ok=False, detail="not built", mend="icae images build base"
    )


def test_a_broken_config_is_reported_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[mirror]\nbad = 1\n")
    monkeypatch.setenv("ICAE_CONFIG", str(config))
    found = {check.name: check for check in doctor.checks()}["package mirrors"]
    assert not found.ok
    assert str(config) in found.detail


def test_an_owner_is_alive_only_under_its_own_start_time() -> None:
    mine = owner.owner()
    assert owner.alive(mine)
    pid = mine.split(":")[0]
    assert not owner.alive(f"{pid}:1")
    assert not owner.alive("")
    assert not owner.alive("nonsense:1")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        label = owner.owner(child.pid)
        assert owner.alive(label)
        child.kill()
        # A zombie holds nothing any more.
        while owner.start_time(child.pid) is not None:
            pass
        assert not owner.alive(label)


def test_reap_clears_folders_of_dead_builders(home: Path) -> None:
    stale = home / "images" / f"{BUILD_PREFIX}dead"
    (stale / "rootfs").mkdir(parents=True)
    (stale / "rootfs").chmod(0o500)
    assert str(stale) in leftovers.reap()
    assert not stale.exists()


@pytest.fixture
def containers(home: Path) -> Iterator[list[str]]:
    if problem := dockerbuild.missing():
        pytest.skip(problem[0])
    import docker

    client = docker.from_env()
    client.api.import_image_from_data(_empty_tar(), repository="icae_env/test-reap", tag="1")
    with subprocess.Popen([sys.executable, "-c", "pass"]) as child:
        dead = owner.owner(child.pid)
    made = [
        client.containers.create("icae_env/test-reap:1", ["/x"], labels={owner.OWNER_LABEL: label})
        for label in (dead, owner.owner())
    ]
    yield [container.name or "" for container in made]
    for container in client.containers.list(all=True, filters={"ancestor": "icae_env/test-reap:1"}):
        container.remove(force=True)
    client.images.remove("icae_env/test-reap:1", force=True)
    client.close()


def _empty_tar() -> bytes:
    return b"\0" * 10240


@pytest.mark.docker
def test_reap_removes_containers_of_dead_owners_only(containers: list[str]) -> None:
    import docker

    removed = leftovers.reap()
    client = docker.from_env()
    names = {container.name for container in client.containers.list(all=True)}
    client.close()
    assert f"container {containers[0]}" in removed
    assert containers[0] not in names
    assert containers[1] in names
