"""Real builds: each takes some ten seconds and needs a Debian mirror and a package registry."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from icae_env.errors import SandboxError
from icae_env.sandbox.images import build as builder
from icae_env.sandbox.images import definition, dockerbuild, mmdebstrap, rootfs
from icae_env.sandbox.images.mirror import INSIDE, Mirror, load_mirror
from icae_env.sandbox.images.records import BuiltImage
from icae_env.sandbox.images.store import ImageStore

CANARY = "canary-7c1e55d0"

pytestmark = [pytest.mark.slow, pytest.mark.network]
needs_mmdebstrap = pytest.mark.skipif(mmdebstrap.missing() is not None, reason=str(mmdebstrap.missing()))
needs_docker = pytest.mark.skipif(dockerbuild.missing() is not None, reason=str(dockerbuild.missing()))

TINY = """
description = "A small image with a pin and a step."
packages = ["python3", "python3-pip", "ca-certificates"]
pip = ["six==1.16.0"]
run = ["test -r /run/icae-mirror/npmrc", "test \\"$CANARY\\" = canary-7c1e55d0", "echo built > /opt/mark", "rm -rf /var/lib/x"]
"""


def _marked(mirror: Mirror) -> Mirror:
    """Return what really reaches packages here, with canaries added in every part."""
    return mirror.model_copy(
        update={
            "variables": {**mirror.variables, "CANARY": CANARY},
            "contents": {
                **mirror.contents,
                f"{INSIDE}/npmrc": f"//npm.test/:_authToken={CANARY}\n".encode(),
                "/home/agent/.m2/settings.xml": f"<password>{CANARY}</password>".encode(),
            },
        }
    )


def _holding(root: Path, needle: bytes) -> list[Path]:
    """Return every file whose name or content holds some bytes."""
    found = [path for path, _ in rootfs.entries(root) if needle in os.fsencode(path.name)]
    files = (path for path, _ in rootfs.entries(root) if path.is_file() and not path.is_symlink())
    return found + [path for path in files if needle in path.read_bytes()]


@pytest.fixture(scope="module")
def definitions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("builds")
    (folder / "images").mkdir()
    (folder / "images" / "tiny.toml").write_text(TINY)
    (folder / "images" / "wrong.toml").write_text('description = "d"\npackages = ["no-such-package-here"]')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ICAE_TASKS_PATH", str(folder))
        yield folder


@pytest.fixture(scope="module")
def built(definitions: Path) -> tuple[BuiltImage, list[str]]:
    """Return an image built by mmdebstrap with canaries in the mirror section, and what the builder said."""
    said: list[str] = []
    store, mirror = ImageStore(definitions / "store"), _marked(load_mirror())
    return builder.build("tiny", builder="mmdebstrap", store=store, mirror=mirror, progress=said.append), said


@needs_mmdebstrap
def test_a_build_keeps_nothing_of_the_mirror_section(built: tuple[BuiltImage, list[str]]) -> None:
    image, said = built
    assert said
    assert not [line for line in said if CANARY in line]
    assert _holding(image.rootfs, CANARY.encode()) == []
    assert _holding(image.rootfs, b"icae-mirror") == []
    assert not (image.rootfs / "etc/apt/sources.list").exists()
    for line in load_mirror().apt:
        host = line.split("://")[1].split("/")[0].encode()
        assert _holding(image.rootfs / "etc/apt", host) == []


@needs_mmdebstrap
def test_a_build_holds_packages_pins_and_steps(built: tuple[BuiltImage, list[str]]) -> None:
    image, _ = built
    assert (image.rootfs / "opt/mark").read_text() == "built\n"
    assert list(image.rootfs.glob("usr/local/lib/python3*/dist-packages/__pycache__/six.*.pyc"))
    assert image.record.packages["python3-pip"]
    assert image.digest == rootfs.digest(image.rootfs)


@needs_docker
@needs_mmdebstrap
def test_docker_builds_the_same_image_from_a_bare_debian(
    built: tuple[BuiltImage, list[str]], tmp_path: Path
) -> None:
    import docker

    mirror = _marked(load_mirror())
    root, sources = tmp_path / "rootfs", tmp_path / "sources.list"
    root.mkdir()
    sources.write_text("".join(line + "\n" for line in mirror.apt))
    argv = [
        "mmdebstrap",
        "--quiet",
        "--variant=minbase",
        "bookworm",
        "-",
        *([str(sources)] if mirror.apt else []),
    ]
    tag = "icae_env/test-debian:bookworm"
    client = docker.from_env()
    try:
        with subprocess.Popen(argv, stdout=subprocess.PIPE) as bare:
            client.api.import_image_from_stream(bare.stdout, *tag.split(":"))
        assert bare.returncode == 0
        dockerbuild.build(definition.load("tiny"), mirror, root, lambda line: None, base=tag)
        assert rootfs.digest(root) == built[0].digest
        assert client.containers.list(all=True, filters={"ancestor": tag}) == []
    finally:
        client.images.remove(tag, force=True)
        client.close()


@needs_mmdebstrap
def test_a_package_that_does_not_exist_fails_and_leaves_nothing(definitions: Path, tmp_path: Path) -> None:
    kept = ImageStore(tmp_path)
    with pytest.raises(SandboxError, match="no-such-package-here"):
        builder.build("wrong", builder="mmdebstrap", store=kept)
    assert [path.name for path in kept.root.iterdir()] == [".lock"]


KILLED = """
import sys
from pathlib import Path
from icae_env.sandbox.images import build
from icae_env.sandbox.images.store import ImageStore
build.build("tiny", builder="mmdebstrap", store=ImageStore(Path(sys.argv[1])), progress=lambda line: print(line, flush=True))
"""


def _running(marker: str) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if marker in command and "mmdebstrap" in command:
            found.append(command)
    return found


@needs_mmdebstrap
def test_a_killed_build_leaves_no_process_and_no_mount(definitions: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert any("installing essential" in line for line in process.stdout)
        assert _running(str(tmp_path))
        process.kill()
    deadline = time.monotonic() + 60
    while _running(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _running(str(tmp_path)) == []
    assert str(tmp_path) not in Path("/proc/mounts").read_text()
    kept = ImageStore(tmp_path)
    assert kept.list() == []
    assert len(kept.reap()) == 1
    assert [path.name for path in kept.root.iterdir()] == [".lock"]
