"""Poetry's tables of ``pyproject.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icae_env.dependencies.layers import normalise
from icae_env.dependencies.manifest.model import Declaration, Source, Stated
from icae_env.dependencies.manifest.needed import needed
from icae_env.dependencies.manifest.project import line_of
from icae_env.dependencies.manifest.python_target import PythonTarget
from icae_env.dependencies.manifest.requirement_text import Place
from icae_env.dependencies.manifest.requirements import Found
from icae_env.errors import ManifestError


def read_poetry(
    table: Mapping[str, Any],
    place: Place,
    text: str,
    target: PythonTarget,
    found: Found,
    *,
    counted: bool,
) -> None:
    """Take in what ``tool.poetry`` names.

    Args:
        table: ``tool.poetry``.
        place: The file.
        text: Its text, for the lines.
        target: The Python for markers.
        found: What is added to.
        counted: Whether ``dependencies`` counts; where ``project.dependencies`` is there, that one decides.

    Raises:
        ManifestError: A table or an entry has another shape than Poetry accepts.
    """
    reader = _Reader(place.file, text, target, found)
    if counted:
        reader.entries(table.get("dependencies", {}), "tool.poetry.dependencies", None)
    reader.entries(table.get("dev-dependencies", {}), "tool.poetry.dev-dependencies", "group:dev")
    groups = table.get("group", {})
    if not isinstance(groups, dict):
        raise reader.wrong("'tool.poetry.group' is no table", "[tool.poetry.group")
    for group, body in groups.items():
        items = body.get("dependencies", {}) if isinstance(body, dict) else body
        reader.entries(items, f"tool.poetry.group.{group}.dependencies", f"group:{group}")


class _Reader:
    def __init__(self, file: str, text: str, target: PythonTarget, found: Found) -> None:
        self.file, self.text, self.target, self.found = file, text, target, found

    def wrong(self, reason: str, *near: str) -> ManifestError:
        return ManifestError(reason, file=self.file, line=line_of(self.text, *near))

    def entries(self, table: object, field: str, kind: str | None) -> None:
        if not isinstance(table, dict):
            raise self.wrong(f"'{field}' is no table", f"[{field}]", field.rsplit(".", maxsplit=1)[-1])
        after = (line_of(self.text, f"[{field}]") or 1) - 1
        for name, body in table.items():
            if name.lower() != "python":
                line = line_of(self.text, f"{name} =", f"{name}=", name, after=after)
                self.entry(name, body, line, kind)

    def entry(self, name: str, body: object, line: int | None, kind: str | None) -> None:
        given = body if isinstance(body, list) else [body]
        choices: list[str | dict[str, Any]] = [choice for choice in given if isinstance(choice, str | dict)]
        if not choices or len(choices) != len(given):
            raise ManifestError(
                f"the entry of '{name}' is no version and no table", file=self.file, line=line
            )
        items = [self.choice(name, choice, line) for choice in choices]
        # Of several choices with markers, those count that hold for this Python.
        holding = [item for item in items if not isinstance(item, Stated)] or items[:1]
        for item in holding:
            if kind is None:
                self.found.add(item)
            else:
                self.found.state(item, kind)

    def choice(self, name: str, body: str | dict[str, Any], line: int | None) -> Declaration | Stated:
        fields = {"version": body} if isinstance(body, str) else body
        source, target = _source(fields)
        item = Declaration(
            name=normalise("python", name), written=name, file=self.file, line=line,
            constraint=str(fields.get("version", "")), source=source, target=target,
        )  # fmt: skip
        if fields.get("optional") is True:
            return Stated(**dict(item), kind="optional")
        marker = fields.get("markers")
        if marker is not None and not self.holds(str(marker), name, line):
            return Stated(**dict(item), kind="marker")
        return item

    def holds(self, marker: str, name: str, line: int | None) -> bool:
        needed("packaging")
        from packaging.markers import InvalidMarker, Marker  # noqa: PLC0415 - on first use

        try:
            return Marker(marker).evaluate(self.target.environment())
        except InvalidMarker as error:
            raise ManifestError(f"'{marker}' of '{name}' is no marker", file=self.file, line=line) from error


def _source(fields: Mapping[str, Any]) -> tuple[Source, str | None]:
    kinds: tuple[tuple[str, Source], ...] = (
        ("git", "git"), ("url", "archive"), ("path", "path"), ("file", "path"),
    )  # fmt: skip
    for key, source in kinds:
        if key in fields:
            return source, str(fields[key])
    return "registry", None
