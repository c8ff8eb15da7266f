"""Scaffold a task's folder: it loads and can be played at once, and the gate lists what is still to be written."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from string import Template

from icae_env.construction.placing import check_free, made, move_all
from icae_env.errors import ConfigError, UnknownNameError
from icae_env.tasks import task_ids
from icae_env.tasks.languages import check_language, language_image
from icae_env.tasks.models import IDENTIFIER

PROTOCOLS = ("rcb", "stdin")
_TEMPLATES = Path(__file__).parent / "templates"
_SUFFIX = ".template"
_INSTALL = {
    "python": "python3 -m pip install --quiet --target vendor PACKAGE==VERSION",
    "javascript": "npm install --prefix . --no-audit --no-fund --no-save --ignore-scripts PACKAGE@VERSION",
    "typescript": "npm install --prefix . --no-audit --no-fund --no-save --ignore-scripts PACKAGE@VERSION",
    "go": "CGO_ENABLED=0 go build -o answer . (with the version in go.mod)",
    "rust": "cargo build --release (with the version in Cargo.toml), then keep the binary only",
    "java": "mvn dependency:copy -Dartifact=GROUP:ARTIFACT:VERSION -DoutputDirectory=lib, then javac",
}


def new_task(name: str, language: str, protocol: str, root: Path) -> Path:
    """Write a new task into a data root and return its folder; on any error nothing is left behind.

    Args:
        name: The task's id.
        language: Language of the submission.
        protocol: ``rcb`` or ``stdin``.
        root: Data root; gets ``tasks/<name>`` and ``user_agent_data/<name>``, and is made if it is missing.

    Raises:
        UnknownNameError: There is no such language or protocol.
        ConfigError: The id is not valid, or taken.
    """
    if protocol not in PROTOCOLS:
        raise UnknownNameError("protocol", protocol, PROTOCOLS)
    language = check_language(language)
    if not re.fullmatch(IDENTIFIER.strip("^$"), name):
        raise ConfigError(
            f"'{name}' is no id for a task.", field="id", mend=f"use a name of the form {IDENTIFIER}."
        )
    if name in task_ids(include_drafts=True):
        raise ConfigError(f"There is a task '{name}' already.", field="id", mend="choose another id.")
    values = {
        "id": name,
        "language": language,
        "image": language_image(language),
        "protocol": protocol,
        "install": install_hint(language),
    }
    folders = {"task": root / "tasks" / name, "user_agent": root / "user_agent_data" / name}
    check_free(*folders.values())
    with (
        made(root, *(folder.parent for folder in folders.values())),
        tempfile.TemporaryDirectory(prefix=".icae-new-", dir=root) as place,
    ):
        _fill(Path(place) / "task", "task", values)
        _fill(Path(place) / "task" / "golden", f"golden_{protocol}", values)
        _fill(Path(place) / "user_agent", "user_agent", values)
        move_all({Path(place) / part: folder for part, folder in folders.items()})
    return folders["task"]


def install_hint(language: str) -> str:
    """Return how a golden's ``install.sh`` gets a pinned package of a language's registry."""
    return _INSTALL.get(language, "see the golden of another task in this language")


def template_texts(part: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a part of the scaffold: relative path -> text.

    Args:
        part: ``task``, ``golden_rcb``, ``golden_stdin`` or ``user_agent``.
        values: Its variables.
    """
    folder = _TEMPLATES / part
    return {
        source.relative_to(folder).as_posix().removesuffix(_SUFFIX): Template(
            source.read_text(encoding="utf-8")
        ).substitute(values)
        for source in sorted(folder.rglob(f"*{_SUFFIX}"))
    }


def _fill(target: Path, part: str, values: Mapping[str, str]) -> None:
    for name, text in template_texts(part, values).items():
        file = target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
        if text.startswith("#!"):
            file.chmod(0o755)
