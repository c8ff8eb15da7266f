"""Build an image: choose a builder, let it fill a folder of the store, name the result by its content, publish it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from icae_env.errors import SandboxError, SandboxUnavailableError
from icae_env.sandbox.images import definition, dockerbuild, mmdebstrap, rootfs
from icae_env.sandbox.images.mirror import Mirror, load_mirror
from icae_env.sandbox.images.records import BuiltImage, ImageRecord
from icae_env.sandbox.images.store import ImageStore

Builder = Literal["auto", "mmdebstrap", "docker"]


def choose_builder() -> Literal["mmdebstrap", "docker"]:
    """Return the builder that works here, mmdebstrap first.

    Raises:
        SandboxUnavailableError: Neither does; what is missing and the command that mends it are named.
    """
    without = mmdebstrap.missing()
    if without is None:
        return "mmdebstrap"
    if dockerbuild.missing() is None:
        return "docker"
    raise SandboxUnavailableError(
        "image builder", f"{without[0]}, and no Docker daemon answers.", mend=without[1]
    )


def build(
    name: str,
    *,
    builder: Builder = "auto",
    store: ImageStore | None = None,
    mirror: Mirror | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> BuiltImage:
    """Build an image and let its name stand for the result.

    Args:
        name: Name of a definition.
        builder: ``mmdebstrap``, ``docker`` (from debian:bookworm-slim), or ``auto`` for the first that works.
        store: Where to; None means this user's own.
        mirror: Where packages come from; None means the config section.
        progress: Called with each line the builder reports.

    Raises:
        UnknownNameError: No such definition.
        ConfigError: The definition, the config or the store cannot be used.
        SandboxUnavailableError: The builder cannot work here.
        SandboxError: The build failed, or the disk is full; nothing of it is left.
    """
    image = definition.load(name)
    mirror = mirror or load_mirror()
    chosen = choose_builder() if builder == "auto" else builder
    started = time.monotonic()
    store = store or ImageStore()
    with store.building() as folder:
        root = folder / "rootfs"
        root.mkdir()
        fill = mmdebstrap.build if chosen == "mmdebstrap" else dockerbuild.build
        try:
            fill(image, mirror, root, progress)
        except OSError as error:
            raise SandboxError(f"The image '{name}' could not be built: {error}.") from error
        record = ImageRecord(
            name=name,
            digest=rootfs.digest(root),
            definition=image.digest,
            builder=chosen,
            packages=installed_packages(root),
            size=rootfs.size(root),
            seconds=round(time.monotonic() - started, 1),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        return store.publish(folder, record)


def installed_packages(root: Path) -> dict[str, str]:
    """Return Debian package -> version of everything installed in a root file system."""
    text = (root / "var/lib/dpkg/status").read_text("utf-8")
    found = {}
    for stanza in text.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Status|Version): (.*)$", stanza, re.MULTILINE))
        if fields.get("Status", "").endswith(" installed"):
            found[fields["Package"]] = fields["Version"]
    return dict(sorted(found.items()))
