"""Where Debian packages come from: the host's own sources, a configured mirror, or the builder's default."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from icae_env.errors import ConfigError

SUITE = "bookworm"
SUITES = (SUITE, f"{SUITE}-updates", f"{SUITE}-security")
_ONE_LINE = re.compile(
    r"^deb\s+(?P<options>\[[^]]*\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>\S.*)$"
)


def sources(value: str, config: Path, root: Path = Path("/")) -> tuple[str, ...]:
    """Return lines of a sources.list; none means the builder's own default.

    Args:
        value: The field ``mirror.apt``: ``auto``, ``none``, a URL, lines, or a file's path.
        config: The file it stands in, for errors.
        root: Where the host's /etc is found (for ``auto``).

    Raises:
        ConfigError: The value is none of these.
    """
    if value == "none":
        return ()
    if value == "auto":
        return _host_sources(root)
    if re.match(r"(https?|file|copy)://?\S+$", value):
        return (f"deb {value} {SUITE} main",)
    text = value if value.lstrip().startswith("deb ") else _read(value, config)
    lines = _parse(text)
    if not lines:
        raise ConfigError(
            f"No line here names the suite {SUITE}.", file=config, field="mirror.apt",
            mend=f"give a mirror's URL or lines such as 'deb URL {SUITE} main'.",
        )  # fmt: skip
    return lines


def _read(value: str, config: Path) -> str:
    try:
        return (config.parent / Path(value).expanduser()).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            "This is neither a URL, nor lines starting with 'deb ', nor a readable file.", file=config,
            field="mirror.apt", mend="give one of these, 'auto' or 'none'.",
        ) from error  # fmt: skip


def _host_sources(root: Path) -> tuple[str, ...]:
    release = root / "etc/os-release"
    if not release.is_file() or f"VERSION_CODENAME={SUITE}" not in release.read_text("utf-8").splitlines():
        return ()
    # Only Debian's own files: a third party's repository has no place in an image.
    files = (root / "etc/apt/sources.list", root / "etc/apt/sources.list.d/debian.sources")
    lines = (line for file in files if file.is_file() for line in _parse(file.read_text("utf-8"), root))
    return tuple(dict.fromkeys(lines))


def _parse(text: str, root: Path = Path("/")) -> tuple[str, ...]:
    """Return the bookworm lines of a sources.list or a deb822 file, all in one-line form."""
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    found = []
    for line in text.splitlines():
        if (match := _ONE_LINE.match(line.strip())) and match["suite"] in SUITES:
            found.append(
                _line(match["options"] or "", match["uri"], match["suite"], match["components"], root)
            )
    for stanza in re.split(r"\n\s*\n", text):
        fields = {
            key.strip().lower(): " ".join(value.split())
            for key, value in re.findall(r"^([A-Za-z-]+):((?:.*)(?:\n[ \t].*)*)", stanza, re.MULTILINE)
        }
        if "deb" not in fields.get("types", "").split() or fields.get("enabled", "yes").lower() == "no":
            continue
        options = [f"signed-by={fields['signed-by']}"] if fields.get("signed-by", "").startswith("/") else []
        options += [f"trusted={fields['trusted']}"] if "trusted" in fields else []
        head = f"[{' '.join(options)}] " if options else ""
        for uri in fields.get("uris", "").split():
            for suite in filter(SUITES.__contains__, fields.get("suites", "").split()):
                found.append(_line(head, uri, suite, fields.get("components", "main"), root))
    return tuple(line for line in found if line)


def _line(options: str, uri: str, suite: str, components: str, root: Path) -> str:
    if uri.startswith("mirror+file:"):
        # Cloud images list their mirrors in a file of the host, which the image being built has not.
        listed = root / uri.removeprefix("mirror+file:").lstrip("/")
        words = listed.read_text("utf-8").split() if listed.is_file() else []
        uri = next((word for word in words if "://" in word), "")
    return f"deb {options}{uri} {suite} {components}" if uri else ""


def quoted(lines: tuple[str, ...]) -> str:
    """Return the lines as one shell word."""
    return shlex.quote("".join(line + "\n" for line in lines))
