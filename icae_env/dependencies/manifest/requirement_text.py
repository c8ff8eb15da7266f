"""One Python requirement: a name with versions and markers, or a URL, archive or folder that a name is told from."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from icae_env.dependencies.layers import normalise
from icae_env.dependencies.manifest.model import Declaration, Source, Stated
from icae_env.dependencies.manifest.needed import needed
from icae_env.dependencies.manifest.python_target import PythonTarget
from icae_env.errors import ManifestError

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_ARCHIVES = (".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
_VCS = ("git", "hg", "svn", "bzr")
_URL = re.compile(r"(?:(?P<vcs>git|hg|svn|bzr)\+)?[a-z][a-z0-9.+-]*:", re.IGNORECASE)


class Place(NamedTuple):
    """Where a requirement stands."""

    file: str
    line: int | None


class Folder(NamedTuple):
    """A requirement that is a folder of the project's own."""

    path: str
    extras: frozenset[str]


def requirement(
    text: str, place: Place, target: PythonTarget, *, extra: str = ""
) -> Declaration | Stated | Folder:
    """Return what one requirement names.

    Args:
        text: As in a requirement file or in ``project.dependencies``; without options.
        place: Where it stands.
        target: For which Python its marker is evaluated; one that does not hold makes it ``Stated`` of kind ``marker``.
        extra: The extra that it belongs to, if any.

    Raises:
        ManifestError: pip would not accept it, or no name can be told from it.
    """
    if _nameless(text):
        body, *markers = re.split(r"\s*;\s+|\s+;", text, maxsplit=1)
        return _nameless_requirement(
            body, place, hidden=any(not _holds(marker, place, target) for marker in markers)
        )
    needed("packaging")
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - on first use

    try:
        read = Requirement(text)
    except InvalidRequirement as error:
        reason = str(error).splitlines()[0]
        raise ManifestError(
            f"'{text}' is no requirement: {reason}", file=place.file, line=place.line
        ) from error
    found = _declared(read, place)
    if read.marker is not None and not read.marker.evaluate(target.environment(extra)):
        return Stated(**dict(found), kind="marker")
    return found


def _declared(read: Requirement, place: Place) -> Declaration:
    source, url = "registry", read.url
    if url:
        source = _source(_split(url, place))
    return Declaration(
        name=normalise("python", read.name), written=read.name, file=place.file, line=place.line,
        constraint=str(read.specifier), source=source, target=url,
    )  # fmt: skip


def _nameless(text: str) -> bool:
    """Tell whether a requirement begins with a URL, a path or an archive's file name, as pip tells it."""
    if re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*\s*(\[[^\]]*\])?\s*@", text):
        return False
    first = text.split(";", maxsplit=1)[0].split("[", maxsplit=1)[0].strip()
    return bool(_URL.match(text)) or first.startswith((".", "/")) or "/" in first or first.endswith(_ARCHIVES)


def _holds(marker: str, place: Place, target: PythonTarget) -> bool:
    needed("packaging")
    from packaging.markers import InvalidMarker, Marker  # noqa: PLC0415 - on first use

    try:
        return Marker(marker.strip()).evaluate(target.environment())
    except InvalidMarker as error:
        raise ManifestError(f"'{marker}' is no marker", file=place.file, line=place.line) from error


def _nameless_requirement(text: str, place: Place, *, hidden: bool = False) -> Declaration | Stated | Folder:
    address, extras = _extras(text)
    parts = _split(address, place) if _URL.match(address) else None
    if parts is None or parts.scheme == "file":
        path = unquote(parts.path) if parts else address.split("#")[0]
        if not path.endswith(_ARCHIVES) and not hidden:
            return Folder(path, extras)
    name = _egg(parts.fragment if parts else "") or _told_by_path(parts.path if parts else address, place)
    if parts and not name:
        raise ManifestError(
            f"no name can be told from '{text}'", file=place.file, line=place.line,
            mend="Write it as name @ URL.",
        )  # fmt: skip
    source = _source(parts) if parts else "path"
    found = Declaration(
        name=normalise("python", name), written=name, file=place.file, line=place.line,
        source=source, target=address,
    )  # fmt: skip
    return Stated(**dict(found), kind="marker") if hidden else found


def _extras(text: str) -> tuple[str, frozenset[str]]:
    found = re.fullmatch(r"(.+?)\[([^\]]*)\]", text)
    if not found:
        return text, frozenset()
    return found[1], frozenset(item.strip() for item in found[2].split(",") if item.strip())


def _egg(fragment: str) -> str:
    """Return the name that a URL's fragment tells (``egg=name[extra]``)."""
    told = parse_qs(fragment).get("egg", [""])[0]
    return re.split(r"[\[=<>!~]", told)[0].strip()


def _told_by_path(path: str, place: Place) -> str:
    """Return the name that an archive's file name or, as a guess, a repository's address tells."""
    last = PurePosixPath(unquote(path.split("#", maxsplit=1)[0])).name
    if last.endswith(_ARCHIVES):
        return _told_by_archive(last, place)
    return last.split("@")[0].removesuffix(".git")


def _told_by_archive(last: str, place: Place) -> str:
    needed("packaging")
    from packaging.utils import (  # noqa: PLC0415 - on first use
        InvalidSdistFilename,
        InvalidWheelFilename,
        parse_sdist_filename,
        parse_wheel_filename,
    )

    try:
        if last.endswith(".whl"):
            return str(parse_wheel_filename(last)[0])
        if last.endswith((".tar.gz", ".zip")):
            return str(parse_sdist_filename(last)[0])
    except InvalidWheelFilename as error:
        raise ManifestError(f"'{last}' is no wheel's file name", file=place.file, line=place.line) from error
    except InvalidSdistFilename:
        pass  # an archive of a repository: no version in its name
    return re.split(r"-\d", Path(last).name.split(".tar")[0].removesuffix(".zip").removesuffix(".tgz"))[0]


def _split(url: str, place: Place) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise ManifestError(f"'{url}' is no URL: {error}", file=place.file, line=place.line) from error


def _source(url: SplitResult) -> Source:
    if url.scheme.split("+", maxsplit=1)[0] in _VCS:
        return "git"
    return "path" if url.scheme == "file" else "archive"
