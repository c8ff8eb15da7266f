"""What is known about a built image."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from icae_env.sandbox.base import ImageRef


class ImageRecord(BaseModel):
    """The content of ``image.json``: what a digest stands for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    digest: str
    """``sha256:...`` over the root file system's content."""
    definition: str
    """Digest of the definition it was built from."""
    builder: str
    """``mmdebstrap`` or ``docker``."""
    packages: dict[str, str]
    """Debian package -> version, of everything installed."""
    size: int
    """Bytes of all files."""
    seconds: float
    """Wall time of the build."""
    created: str
    """Time of the build, ISO 8601, UTC."""


class BuiltImage(BaseModel):
    """An image that can be used."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    digest: str
    rootfs: Path
    """Its root file system; read-only by agreement, owned by whoever built it."""
    record: ImageRecord

    @property
    def ref(self) -> ImageRef:
        """The name and digest that a report states."""
        return ImageRef(name=self.name, digest=self.digest)
