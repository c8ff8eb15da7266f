"""Read how the host's own pip, npm, Maven and curl reach packages, as far as that makes sense inside a sandbox.

Paths of the host mean nothing inside, so files are taken by content and settings that name other host paths are dropped.
"""

from __future__ import annotations

import configparser
import os
import re
import ssl
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ConfigError

CA_SOURCES = (
    "PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO",
    "NPM_CONFIG_CAFILE", "npm_config_cafile", "CARGO_HTTP_CAINFO",
)  # fmt: skip
SYSTEM_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
)
PIP_KEYS = (
    "index-url", "extra-index-url", "trusted-host", "find-links", "no-index", "default-timeout", "timeout", "retries",
    "proxy",
)  # fmt: skip
NPM_KEYS = (
    "registry", "proxy", "https-proxy", "noproxy", "strict-ssl", "ca", "_auth", "_authToken", "always-auth",
    "fetch-retries", "fetch-timeout",
)  # fmt: skip
OTHER_VARIABLES = re.compile(
    r"GO(PROXY|SUMDB|NOSUMDB|NOSUMCHECK|PRIVATE|NOPROXY|INSECURE)|CARGO_(REGISTRIES|SOURCE|NET)_\w+"
)
_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


class Clients(BaseModel):
    """What the host's clients are set up with; empty where nothing is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pip_conf: bytes
    npmrc: bytes
    maven_settings: bytes
    ca_bundle: bytes
    """PEM certificates: the system's and every further one that a client was pointed at."""
    proxies: dict[str, str]
    """http_proxy, https_proxy, no_proxy."""
    variables: dict[str, str]
    """Further variables, such as GOPROXY."""


def collect(environ: Mapping[str, str]) -> Clients:
    """Read the host's client settings.

    Args:
        environ: The host's environment.
    """
    home = Path(environ.get("HOME") or "~").expanduser()
    pip, pip_bundles = _pip(environ, home)
    npm, npm_bundles = _npm(environ, home)
    bundles = [environ[name] for name in CA_SOURCES if environ.get(name)] + pip_bundles + npm_bundles
    proxies = {
        name: environ.get(name) or environ.get(name.upper()) or ""
        for name in ("http_proxy", "https_proxy", "no_proxy")
    }
    return Clients(
        pip_conf=pip,
        npmrc=npm,
        maven_settings=_bytes(home / ".m2" / "settings.xml"),
        ca_bundle=_certificates([*_system_bundle(), *bundles]),
        proxies={name: value for name, value in proxies.items() if value},
        variables={name: value for name, value in environ.items() if OTHER_VARIABLES.fullmatch(name)},
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
        # The client itself ignores such a file, too.
        return b""


def _system_bundle() -> list[str]:
    found = [ssl.get_default_verify_paths().openssl_cafile, *SYSTEM_BUNDLES]
    return next(([path] for path in found if path and os.access(path, os.R_OK)), [])


def _certificates(paths: Iterable[str]) -> bytes:
    blocks = dict.fromkeys(block for path in paths for block in _PEM.findall(_bytes(Path(path).expanduser())))
    return b"".join(block + b"\n" for block in blocks)


def _pip(environ: Mapping[str, str], home: Path) -> tuple[bytes, list[str]]:
    """Return one pip.conf that says what pip's variables and files say, and the CA files they name."""
    chosen = environ.get("PIP_CONFIG_FILE")
    config_home = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    files = [
        *(Path(folder, "pip", "pip.conf") for folder in (environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")),
        Path("/etc/pip.conf"), home / ".pip" / "pip.conf", config_home / "pip" / "pip.conf",
        Path(sys.prefix, "pip.conf"), *([Path(chosen)] if chosen else []),
    ]  # fmt: skip
    merged = configparser.RawConfigParser()
    for file in files:
        try:
            merged.read_string(_bytes(file).decode("utf-8", "replace"))
        except configparser.Error:
            # configparser's message quotes the line, which may hold a password.
            raise ConfigError(
                "This pip configuration cannot be parsed.", file=file, mend="pip config debug"
            ) from None
    values = {key.replace("_", "-"): value for part in merged.sections() for key, value in merged.items(part)}
    values |= {
        name[4:].lower().replace("_", "-"): value
        for name, value in environ.items()
        if name.startswith("PIP_")
    }
    bundles = [values["cert"]] if values.get("cert") else []
    links = " ".join(link for link in values.pop("find-links", "").split() if re.match("https?://", link))
    if links:
        values["find-links"] = links
    # A value may span lines; pip splits it at any white space, so one line says the same.
    lines = [f"{key} = {' '.join(values[key].split())}\n" for key in PIP_KEYS if values.get(key)]
    return ("".join(["[global]\n", *lines]).encode() if lines else b""), bundles


def _npm(environ: Mapping[str, str], home: Path) -> tuple[bytes, list[str]]:
    """Return one .npmrc that says what npm's variables and files say, and the CA files they name."""
    variables = {
        name[11:]: value for name, value in environ.items() if name.lower().startswith("npm_config_")
    }
    named = {key.lower(): value for key, value in variables.items()}
    files = [
        *(Path(prefix, "etc", "npmrc") for prefix in ("/usr", "/usr/local")),
        Path(named.get("globalconfig") or "/etc/npmrc"), Path(named.get("userconfig") or home / ".npmrc"),
    ]  # fmt: skip
    values: dict[str, str] = {}
    for file in files:
        for line in _bytes(file).decode("utf-8", "replace").splitlines():
            key, mark, value = (part.strip() for part in line.partition("="))
            if mark and not key.startswith((";", "#")):
                values[key] = re.sub(r"\$\{(\w+)\}", lambda match: environ.get(match[1], match[0]), value)
    for key, value in variables.items():
        # In a variable's name "_" stands for "-", but a host's key ("//host/:_authToken") is literal.
        values[key if key.startswith("//") or ":" in key else key.lower().replace("_", "-")] = value
    bundles = [values["cafile"]] if values.get("cafile") else []
    lines = [
        f"{key}={value}\n" for key, value in values.items()
        if key in NPM_KEYS or key.startswith("//") or key.endswith(":registry")
    ]  # fmt: skip
    return "".join(lines).encode(), bundles
