"""What a build is asked for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from icae_env.tasks.checks import LEAST_CASES
from icae_env.tasks.languages import check_language, language_image
from icae_env.tasks.models import IDENTIFIER, Protocol


class Pin(BaseModel):
    """A package of a registry at one version."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    registry: Literal["pypi", "npm"]
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.registry}:{self.name}{'==' if self.registry == 'pypi' else '@'}{self.version}"


class BuildOptions(BaseModel):
    """What a build is asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=IDENTIFIER)
    """Id of the new task."""
    source: str
    """A directory, or a pinned package: ``NAME==VERSION`` (PyPI) or ``NAME@VERSION`` (npm)."""
    language: str
    """Language of the submission."""
    root: Path
    """Data root that gets ``tasks/<id>``, ``user_agent_data/<id>`` and, while it is made, ``.build/<id>``."""
    protocol: Protocol = "rcb"
    sandbox: str = "auto"
    image: str = "auto"
    native: int = Field(default=LEAST_CASES["native"], ge=1)
    """Native cases that the model must give at least."""
    enhanced: int = Field(default=LEAST_CASES["enhanced"], ge=1)
    """Enhanced cases that the golden must answer at least."""
    repairs: int = Field(default=3, ge=0)
    """How often a faulty answer goes back to the model with what is wrong with it."""
    prompts: Path | None = None
    """Folder whose files take the place of the package's prompts of the same name."""

    @field_validator("language")
    @classmethod
    def _one_name(cls, language: str) -> str:
        return check_language(language)

    @property
    def folder(self) -> Path:
        """Where the stages' outputs lie."""
        return self.root / ".build" / self.id

    @property
    def task_image(self) -> str:
        """The image of the language."""
        return language_image(self.language)

    @property
    def pin(self) -> Pin | None:
        """The package that ``source`` names; None for a directory."""
        match = _PIN.fullmatch(self.source)
        if match is None or Path(self.source).is_dir():
            return None
        registry: Literal["pypi", "npm"] = "pypi" if match["mark"] == "==" else "npm"
        if match["registry"] not in (None, registry):
            return None
        return Pin(registry=registry, name=match["name"], version=match["version"])


_PIN = re.compile(
    r"(?:(?P<registry>pypi|npm):)?(?P<name>(?:@[A-Za-z0-9._-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*)"
    r"(?P<mark>==|@)(?P<version>[A-Za-z0-9][A-Za-z0-9.+!_-]*)"
)
