"""Private package mirrors, CAs and proxies: taken from one config section, used only while something is installed.

The section is the table ``[mirror]`` of $ICAE_CONFIG, or of ``icae_env/config.toml`` below $XDG_CONFIG_HOME. Every field left out
is ``auto``: what the host's own pip, npm, Maven, apt and curl are set up with. What is collected reaches a build or a
provisioning sandbox as variables and files below /run, and is part of no image, log or submission.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from icae_env.errors import ConfigError
from icae_env.sandbox.base import HOME
from icae_env.sandbox.images import apt, hostclients

CONFIG_VARIABLE = "ICAE_CONFIG"
INSIDE = "/run/icae-mirror"
"""Folder inside a build or a provisioning sandbox; /run is part of no image."""

CA_VARIABLES = (
    "PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
)  # fmt: skip
_SECRET_TAGS = re.compile(r"<(?:password|username|passphrase|url)>\s*([^<\s]+)")
_SHORTEST_SECRET = 6


class MirrorConfig(BaseModel):
    """The table ``[mirror]``. Each field is ``auto`` (what the host uses), ``none``, or a value."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pip_conf: str = "auto"
    """Path of a pip.conf."""
    npmrc: str = "auto"
    """Path of an .npmrc."""
    maven_settings: str = "auto"
    """Path of a settings.xml."""
    ca_bundle: str = "auto"
    """Path of a PEM file with every CA to trust."""
    http_proxy: str = "auto"
    https_proxy: str = "auto"
    no_proxy: str = "auto"
    apt: str = "auto"
    """A Debian mirror's URL, lines as in sources.list, or the path of a file of such lines."""
    env: Literal["auto", "none"] | dict[str, str] = "auto"
    """Further variables; ``auto`` takes the host's GOPROXY, CARGO_* and the like."""


class Mirror(BaseModel):
    """What was collected. Its text form hides all values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variables: dict[str, str]
    contents: dict[str, bytes]
    apt: tuple[str, ...] = ()
    """Lines of a sources.list; none for the builder's own default."""

    def env(self) -> dict[str, str]:
        """Return the variables for a command that installs packages."""
        return dict(self.variables)

    def files(self) -> dict[str, bytes]:
        """Return the files those variables name: absolute path inside -> content."""
        return dict(self.contents)

    def proxies(self) -> dict[str, str]:
        """Return only the proxy variables, for a program on the host."""
        return {name: value for name, value in self.variables.items() if name.lower().endswith("_proxy")}

    def redact(self, text: str) -> str:
        """Return a builder's output with every value of the mirror section replaced by ``***``."""
        for secret in sorted(self._secrets(), key=len, reverse=True):
            text = text.replace(secret, "***")
        return text

    def _secrets(self) -> set[str]:
        found = {value for value in self.variables.values() if not value.startswith(INSIDE)}
        for name, content in self.contents.items():
            if name.endswith(".pem"):
                continue
            text = content.decode("utf-8", "replace")
            found.update(line.partition("=")[2].strip() for line in text.splitlines() if "=" in line)
            found.update(_SECRET_TAGS.findall(text))
        urls = [word for line in self.apt for word in line.split() if "://" in word]
        found.update(urls)
        for url in [*urls, *found]:
            if match := re.match(r"\w+://(?:([^/@]+)@)?([^/]+)", url):
                found.update(part for group in match.groups() if group for part in (group, *group.split(":")))
        return {secret for secret in found if len(secret) >= _SHORTEST_SECRET}

    def __repr__(self) -> str:
        return f"Mirror(variables={sorted(self.variables)}, files={sorted(self.contents)}, apt={len(self.apt)} lines)"

    __str__ = __repr__


NO_MIRROR = Mirror(variables={}, contents={})


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where the config file is looked for."""
    if chosen := environ.get(CONFIG_VARIABLE):
        return Path(chosen).expanduser()
    return Path(environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "icae_env" / "config.toml"


def load_config(file: Path | None = None) -> MirrorConfig:
    """Return the mirror section; all ``auto`` when there is no config file.

    Raises:
        ConfigError: $ICAE_CONFIG names no file, or the section is malformed.
    """
    path = file or config_path()
    if not path.is_file():
        if file or os.environ.get(CONFIG_VARIABLE):
            raise ConfigError(
                "There is no such config file.", file=path, mend=f"create it or unset {CONFIG_VARIABLE}."
            )
        return MirrorConfig()
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        return MirrorConfig.model_validate(data.get("mirror", {}))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"This is not TOML: {error}.", file=path, mend="mend the syntax at that line."
        ) from error
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(("mirror", *(str(part) for part in first["loc"])))
        known = ", ".join(MirrorConfig.model_fields)
        mend = f"use the fields {known}; each is 'auto', 'none' or a value."
        # The cause would quote the input, which may be a password.
        raise ConfigError(f"{first['msg']}.", file=path, field=field, mend=mend) from None


def load_mirror(file: Path | None = None, environ: Mapping[str, str] = os.environ) -> Mirror:
    """Collect what a build or a provisioning sandbox needs to reach packages.

    Args:
        file: The config file; None means the usual place.
        environ: The host's environment, for ``auto``.

    Raises:
        ConfigError: The section is malformed or names a file that cannot be read.
    """
    config, where = load_config(file), file or config_path(environ)
    clients = hostclients.collect(environ)
    variables, contents = dict[str, str](), dict[str, bytes]()

    def add(field: str, value: str, automatic: bytes, path: str, *names: str) -> None:
        content = automatic if value == "auto" else b"" if value == "none" else _read(where, field, value)
        if content:
            contents[path] = content
            variables.update(dict.fromkeys(names, path))

    add("ca_bundle", config.ca_bundle, clients.ca_bundle, f"{INSIDE}/ca.pem", *CA_VARIABLES)
    add("pip_conf", config.pip_conf, clients.pip_conf, f"{INSIDE}/pip.conf", "PIP_CONFIG_FILE")
    add("npmrc", config.npmrc, clients.npmrc, f"{INSIDE}/npmrc", "NPM_CONFIG_USERCONFIG")
    add("maven_settings", config.maven_settings, clients.maven_settings, f"{HOME}/.m2/settings.xml")
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        value = getattr(config, name)
        value = clients.proxies.get(name, "") if value == "auto" else "" if value == "none" else value
        if value:
            variables.update({name: value, name.upper(): value})
    if config.env != "none":
        variables.update(clients.variables if config.env == "auto" else config.env)
    return Mirror(variables=variables, contents=contents, apt=apt.sources(config.apt, where))


def _read(where: Path, field: str, value: str) -> bytes:
    path = Path(value).expanduser()
    try:
        return (where.parent / path).read_bytes()
    except OSError as error:
        raise ConfigError(
            f"The file '{value}' cannot be read: {error.strerror}.",
            file=where, field=f"mirror.{field}", mend="give the path of a readable file, 'auto' or 'none'.",
        ) from error  # fmt: skip
