from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from icae_env.sandbox.images import dockerbuild, rootfs, tarstream
from icae_env.sandbox.images.records import BuiltImage, ImageRecord
from icae_env.sandbox.images.store import ImageStore

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(dockerbuild.missing() is not None, reason=str(dockerbuild.missing())),
]


@pytest.fixture
def small(tmp_path: Path) -> Iterator[BuiltImage]:
    kept = ImageStore(tmp_path)
    with kept.building() as folder:
        root = folder / "rootfs"
        (root / "etc").mkdir(parents=True)
        (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        (root / "etc/hosts").write_text("127.0.0.1\tlocalhost\n")
        (root / "bin").symlink_to("usr/bin")
        (root / "usr/bin").mkdir(parents=True)
        (root / "usr/bin/tool").write_bytes(bytes(range(256)) * 5000)
        (root / "usr/bin/tool").chmod(0o755)
        (root / ("long-" * 40)).write_text(f"{time.time_ns()}")
        record = ImageRecord(
            name="test-small", digest=rootfs.digest(root), definition="sha256:0", builder="mmdebstrap", packages={},
            size=1, seconds=1.0, created="2024-01-01T00:00:00+00:00",
        )  # fmt: skip
        image = kept.publish(folder, record)
    yield image
    import docker

    client = docker.from_env()
    client.images.remove(f"icae_env/test-small:{image.digest[7:19]}", force=True)
    client.close()


def test_docker_gets_the_same_root_file_system_once(small: BuiltImage, tmp_path: Path) -> None:
    import docker

    tag = dockerbuild.docker_image(small)
    assert tag == f"icae_env/test-small:{small.digest[7:19]}"
    client = docker.from_env()
    try:
        first = client.images.get(tag)
        assert first.labels == {dockerbuild.DIGEST_LABEL: small.digest}
        assert dockerbuild.docker_image(small) == tag
        assert client.images.get(tag).id == first.id
        container = client.containers.create(tag, ["/usr/bin/tool"])
        try:
            back = tmp_path / "back"
            back.mkdir()
            rootfs.unpack(tarstream.Chunks(container.export()), back)  # type: ignore[arg-type]
        finally:
            container.remove(force=True)
    finally:
        client.close()
    for path, _ in rootfs.entries(small.rootfs):
        name = path.relative_to(small.rootfs)
        # Docker mounts its own files on these when it makes a container.
        if path.is_file() and not path.is_symlink() and name.parts[0] != "etc":
            assert (back / name).read_bytes() == path.read_bytes(), name
    assert (back / "bin").readlink() == Path("usr/bin")
