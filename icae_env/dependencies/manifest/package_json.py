"""``package.json``: what a Node.js project declares."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from icae_env.dependencies.layers import normalise
from icae_env.dependencies.manifest.model import Declaration, Manifest, Source, Stated
from icae_env.dependencies.manifest.project import Project, line_of
from icae_env.errors import ManifestError

STATED = {"devDependencies": "dev", "peerDependencies": "peer", "optionalDependencies": "optional"}
"""Fields that are stated, not counted."""
_NAME = re.compile(r"(@[A-Za-z0-9~._-][A-Za-z0-9~._!'()*-]*/)?[A-Za-z0-9~-][A-Za-z0-9~._!'()*-]*")
_LONGEST = 214
_ALIAS = re.compile(r"npm:(?P<name>(?:@[^/@]+/)?[^@]+)(?:@(?P<range>.*))?")


def read_package_json(project: Project, file: Path) -> Manifest:
    """Read the keys of ``dependencies``, of the project and of its workspaces.

    A package under an alias counts under the alias, which is its folder in ``node_modules``; ``target`` tells the package.

    Raises:
        ManifestError: It is no JSON, or a field has another shape than npm accepts.
    """
    data, text = _read(project, file)
    items = list(_items(data, text, project.name(file)))
    own = {data.get("name")}
    for place in _workspaces(project, file, data, text):
        inner, inner_text = _read(project, place)
        own.add(inner.get("name"))
        items += _items(inner, inner_text, project.name(place))
    declared = [item for item in items if not isinstance(item, Stated)]
    modules = [item for item in declared if item.written in own]
    return Manifest(
        ecosystem="javascript", files=tuple(project.files),
        declared=tuple(item for item in declared if item not in modules),
        stated=(
            *(item for item in items if isinstance(item, Stated)),
            *(Stated(**dict(item), kind="workspace") for item in modules),
        ),
    )  # fmt: skip


def _read(project: Project, file: Path) -> tuple[Mapping[str, Any], str]:
    text = project.text(file)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ManifestError(
            f"it is no JSON: {error.msg}", file=project.name(file), line=error.lineno
        ) from error
    except RecursionError as error:
        raise ManifestError("values lie too deep in one another", file=project.name(file)) from error
    if not isinstance(data, dict):
        raise ManifestError("it is no JSON object", file=project.name(file), line=1)
    return data, text


def _items(data: Mapping[str, Any], text: str, file: str) -> Iterator[Declaration | Stated]:
    for field in ("dependencies", *STATED):
        after = (line_of(text, f'"{field}"') or 1) - 1
        table = data.get(field, {})
        if not isinstance(table, dict):
            raise ManifestError(f"'{field}' is no object", file=file, line=after + 1)
        for name, wanted in table.items():
            line = line_of(text, json.dumps(name, ensure_ascii=False), json.dumps(name), after=after)
            item = _item(name, wanted, file, line)
            yield item if field == "dependencies" else Stated(**dict(item), kind=STATED[field])


def _item(name: str, wanted: object, file: str, line: int | None) -> Declaration:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise ManifestError(f"'{name}' is no package's name", file=file, line=line)
    if not isinstance(wanted, str):
        raise ManifestError(f"the version of '{name}' is no text", file=file, line=line)
    alias = _ALIAS.fullmatch(wanted.strip())
    source: Source = "registry" if alias else _source(wanted.strip())
    return Declaration(
        name=normalise("javascript", name), written=name, file=file, line=line, source=source,
        constraint=(alias["range"] or "") if alias else (wanted if source == "registry" else ""),
        target=alias["name"] if alias else (None if source == "registry" else wanted),
    )  # fmt: skip


def _source(wanted: str) -> Source:
    if wanted.startswith(("file:", "link:", "workspace:", "./", "../", "/", "~/")):
        return "path"
    if re.match(r"git(\+\w+)?:|(github|gitlab|bitbucket|gist):|git@", wanted) or wanted.endswith(".git"):
        return "git"
    if re.match(r"https?:", wanted):
        return "archive"
    return "git" if re.fullmatch(r"[\w.-]+/[\w.-]+(#.*)?", wanted) else "registry"


def _workspaces(project: Project, file: Path, data: Mapping[str, Any], text: str) -> Iterator[Path]:
    stated = data.get("workspaces", [])
    stated = stated.get("packages", []) if isinstance(stated, dict) else stated
    line = line_of(text, '"workspaces"')
    if not isinstance(stated, list) or not all(isinstance(item, str) for item in stated):
        raise ManifestError("'workspaces' is no list of texts", file=project.name(file), line=line)
    folders: dict[Path, None] = {}
    for pattern in stated:
        plain = pattern.lstrip("!").removeprefix("./").strip("/")
        if not plain or ".." in plain.split("/") or not all(plain.split("/")):
            raise ManifestError(f"'{pattern}' is no workspace", file=project.name(file), line=line)
        try:
            matching = sorted(file.parent.glob(plain))
        except (ValueError, NotImplementedError) as error:
            raise ManifestError(
                f"'{pattern}' is no workspace: {error}", file=project.name(file), line=line
            ) from error
        found = [path for path in matching if "node_modules" not in path.relative_to(file.parent).parts]
        for path in found:
            if pattern.startswith("!"):
                folders.pop(path, None)
            elif project.has(path / "package.json"):
                folders[path] = None
    for folder in folders:
        yield folder / "package.json"
