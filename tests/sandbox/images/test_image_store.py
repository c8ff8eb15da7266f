from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.sandbox.images import rootfs, store
from icae_env.sandbox.images.records import BuiltImage, ImageRecord
from icae_env.sandbox.images.store import ImageStore

BUILDER = """
import sys, time
from pathlib import Path
from icae_env.sandbox.images.store import ImageStore
with ImageStore(Path(sys.argv[1])).building() as folder:
    (folder / "rootfs").mkdir()
    print(folder, flush=True)
    time.sleep(60)
"""


def _publish(kept: ImageStore, name: str, content: str) -> BuiltImage:
    with kept.building() as folder:
        root = folder / "rootfs"
        (root / "sealed").mkdir(parents=True)
        (root / "sealed" / "file").write_text(content)
        (root / "sealed").chmod(0o555)
        record = ImageRecord(
            name=name, digest=rootfs.digest(root), definition="sha256:0", builder="mmdebstrap", packages={}, size=1,
            seconds=1.0, created="2024-01-01T00:00:00+00:00",
        )  # fmt: skip
        return kept.publish(folder, record)


def _leftovers(kept: ImageStore) -> list[str]:
    return [path.name for path in kept.root.iterdir() if path.name.startswith(store.BUILD_PREFIX)]


def test_a_name_stands_for_the_newest_build(tmp_path: Path) -> None:
    kept = ImageStore(tmp_path)
    assert kept.find("base") is None
    old, new = _publish(kept, "base", "old"), _publish(kept, "base", "new")
    assert old.digest != new.digest
    assert kept.find("base") == new
    assert (new.rootfs / "sealed/file").read_text() == "new"
    assert {image.digest for image in kept.list()} == {old.digest, new.digest}
    assert _publish(kept, "base", "old") == old
    assert kept.find("base") == old
    assert _leftovers(kept) == []


def test_removing_works_on_sealed_folders(tmp_path: Path) -> None:
    kept = ImageStore(tmp_path)
    image = _publish(kept, "base", "x")
    assert kept.remove("base") == [image.digest]
    assert kept.find("base") is None
    assert kept.list() == []
    assert _leftovers(kept) == []
    with pytest.raises(ConfigError, match="No image 'base'"):
        kept.remove("base")


def test_a_failing_build_leaves_nothing(tmp_path: Path) -> None:
    kept = ImageStore(tmp_path)

    def fail() -> None:
        with kept.building() as folder:
            (folder / "rootfs" / "sealed").mkdir(parents=True)
            (folder / "rootfs" / "sealed").chmod(0o500)
            raise RuntimeError("the builder broke")

    with pytest.raises(RuntimeError, match="broke"):
        fail()
    assert _leftovers(kept) == []
    assert kept.list() == []


def test_a_killed_build_is_cleared_by_the_next_and_a_live_one_is_not(tmp_path: Path) -> None:
    kept = ImageStore(tmp_path)
    builders = [
        subprocess.Popen([sys.executable, "-c", BUILDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        folders = [Path(builder.stdout.readline().strip()) for builder in builders if builder.stdout]
        assert all(folder.is_dir() for folder in folders)
        assert kept.list() == []
        os.kill(builders[0].pid, signal.SIGKILL)
        builders[0].wait()
        _publish(kept, "base", "x")
        assert not folders[0].exists()
        assert folders[1].is_dir()
        assert kept.reap() == []
    finally:
        for builder in builders:
            builder.kill()
            builder.communicate()
    assert kept.reap() == [folders[1]]
    assert _leftovers(kept) == []


def test_resolve_tells_not_built_from_not_defined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(store, "SYSTEM_HOME", tmp_path / "system")
    with pytest.raises(ConfigError, match="icae images build base"):
        store.resolve("base")
    with pytest.raises(UnknownNameError, match=r"Valid names: .*base.*host.*python"):
        store.resolve("nothing")
    system = _publish(ImageStore(tmp_path / "system"), "base", "machine's")
    assert store.resolve("base") == system
    own = _publish(ImageStore(tmp_path), "base", "mine")
    assert store.resolve("base") == own


def test_a_damaged_description_names_its_file_and_the_mend(tmp_path: Path) -> None:
    kept = ImageStore(tmp_path)
    image = _publish(kept, "base", "x")
    (image.rootfs.parent / "image.json").write_text("{")
    with pytest.raises(ConfigError, match=r"image\.json.*icae images build base"):
        kept.find("base")


def test_a_store_that_cannot_be_written_says_so() -> None:
    # /proc can be written by nobody, not even by root.
    with (
        pytest.raises(ConfigError, match=r"cannot be written.*ICAE_HOME"),
        ImageStore(Path("/proc/1/icae")).building(),
    ):
        pass


def test_the_data_folder_follows_the_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(store.HOME_VARIABLE, str(tmp_path))
    assert store.data_home() == tmp_path
    monkeypatch.delenv(store.HOME_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    expected = store.SYSTEM_HOME if os.geteuid() == 0 else tmp_path / "data" / "icae_env"
    assert store.data_home() == expected
