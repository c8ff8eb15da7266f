from __future__ import annotations

import configparser
from pathlib import Path

import pytest

from icae_env.errors import ConfigError
from icae_env.sandbox.images import apt, mirror
from icae_env.sandbox.images.mirror import INSIDE

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB{}\n-----END CERTIFICATE-----\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(mirror.CONFIG_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    place = tmp_path / "home"
    place.mkdir()
    return place


def _environment(home: Path, **variables: str) -> dict[str, str]:
    return {"HOME": str(home), "XDG_CONFIG_DIRS": str(home / "xdg"), **variables}


def _pip_conf(found: mirror.Mirror) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    parser.read_string(found.files()[f"{INSIDE}/pip.conf"].decode())
    return dict(parser.items("global"))


def test_auto_takes_what_pip_is_set_up_with(home: Path) -> None:
    (home / ".config/pip").mkdir(parents=True)
    certificate = home / "ca.pem"
    certificate.write_text(CERTIFICATE.format("pip"))
    (home / ".config/pip/pip.conf").write_text(
        f"[global]\nindex-url = https://from-file/simple\ncert = {certificate}\ncache-dir = /host/cache\n"
        "[install]\nfind-links =\n  /host/wheels\n  https://wheels.test/x\n"
    )
    found = mirror.load_mirror(environ=_environment(home, PIP_INDEX_URL="https://u:secret@pypi.test/simple"))
    settings = _pip_conf(found)
    assert settings["index-url"] == "https://u:secret@pypi.test/simple"
    assert settings["find-links"] == "https://wheels.test/x"
    assert not {"cert", "cache-dir"} & set(settings)
    assert found.env()["PIP_CONFIG_FILE"] == f"{INSIDE}/pip.conf"
    assert b"MIIBpip" in found.files()[found.env()["PIP_CERT"]]


def test_auto_takes_what_npm_is_set_up_with(home: Path) -> None:
    (home / ".npmrc").write_text(
        "registry=https://npm.test/\n//npm.test/:_authToken=${NPM_TOKEN}\nprefix=/host/npm\n; registry=no\n@x:registry=https://x.test\n"
    )
    found = mirror.load_mirror(
        environ=_environment(home, NPM_TOKEN="tok-123456", npm_config_strict_ssl="false")
    )
    lines = found.files()[found.env()["NPM_CONFIG_USERCONFIG"]].decode().splitlines()
    assert "registry=https://npm.test/" in lines
    assert "//npm.test/:_authToken=tok-123456" in lines
    assert "@x:registry=https://x.test" in lines
    assert "strict-ssl=false" in lines
    assert not any("prefix" in line for line in lines)


def test_auto_joins_every_ca_and_takes_proxies_and_maven(home: Path) -> None:
    for name in ("one", "two"):
        (home / name).write_text("comment\n" + CERTIFICATE.format(name) + CERTIFICATE.format("both"))
    (home / ".m2").mkdir()
    (home / ".m2/settings.xml").write_text("<settings/>")
    environment = _environment(
        home, REQUESTS_CA_BUNDLE=str(home / "one"), NODE_EXTRA_CA_CERTS=str(home / "two"), HTTPS_PROXY="http://p:1",
        GOPROXY="https://go.test",
    )  # fmt: skip
    found = mirror.load_mirror(environ=environment)
    bundle = found.files()[f"{INSIDE}/ca.pem"]
    assert bundle.count(b"MIIBboth") == 1
    assert b"MIIBone" in bundle
    assert b"MIIBtwo" in bundle
    assert found.proxies() == {"https_proxy": "http://p:1", "HTTPS_PROXY": "http://p:1"}
    assert found.env()["GOPROXY"] == "https://go.test"
    assert found.files()["/home/agent/.m2/settings.xml"] == b"<settings/>"


def test_the_section_overrides_auto(home: Path, tmp_path: Path) -> None:
    (tmp_path / "my.conf").write_text("[global]\nindex-url = https://mine.test\n")
    config = tmp_path / "config.toml"
    config.write_text(
        '[other]\nx = 1\n[mirror]\npip_conf = "my.conf"\nca_bundle = "none"\nhttp_proxy = "http://p:2"\n'
        'apt = "http://debian.test/debian"\n[mirror.env]\nFOO = "bar"\n'
    )
    found = mirror.load_mirror(
        config, _environment(home, PIP_INDEX_URL="https://no.test", GOPROXY="https://go.test")
    )
    assert found.files() == {f"{INSIDE}/pip.conf": (tmp_path / "my.conf").read_bytes()}
    assert found.env() == {
        "PIP_CONFIG_FILE": f"{INSIDE}/pip.conf", "http_proxy": "http://p:2", "HTTP_PROXY": "http://p:2", "FOO": "bar",
    }  # fmt: skip
    assert found.apt == ("deb http://debian.test/debian bookworm main",)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[mirror]\npip_conf = "/nowhere/pip.conf"', "mirror.pip_conf"),
        ('[mirror]\npip = "x"', "mirror.pip"),
        ('[mirror]\nhttp_proxy = ["http://u:hunter2@p"]', "mirror.http_proxy"),
        ('[mirror]\napt = "/nowhere/sources.list"', "mirror.apt"),
        ('[mirror]\napt = "deb http://d.test/debian trixie main"', "mirror.apt"),
        ("[mirror", None),
    ],
)
def test_a_bad_section_names_file_field_and_mend_and_no_secret(
    tmp_path: Path, text: str, field: str | None
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text)
    with pytest.raises(ConfigError) as caught:
        mirror.load_mirror(config, {})
    assert (caught.value.file, caught.value.field) == (config, field)
    assert caught.value.mend
    assert "hunter2" not in str(caught.value)


def test_a_config_file_that_is_named_must_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(mirror.CONFIG_VARIABLE, str(tmp_path / "missing.toml"))
    with pytest.raises(ConfigError, match="no such config file"):
        mirror.load_config()


def test_no_value_is_seen_in_text_or_redacted_output(home: Path) -> None:
    (home / ".npmrc").write_text("//npm.test/:_authToken=tok-abcdef\n")
    (home / ".m2").mkdir()
    (home / ".m2/settings.xml").write_text("<password> maven-pass </password>")
    environment = _environment(
        home, PIP_INDEX_URL="https://user77:pass-word@pypi.test/simple", http_proxy="http://u:proxypw@p:8"
    )
    found = mirror.load_mirror(environ=environment)
    found = found.model_copy(update={"apt": ("deb http://aptuser:aptpass@d.test/debian bookworm main",)})
    secrets = ["tok-abcdef", "user77", "pass-word", "proxypw", "maven-pass", "aptuser", "aptpass"]
    said = "Get https://user77:pass-word@pypi.test/simple/six; tok-abcdef; proxypw; maven-pass; aptuser aptpass; Get:1"
    assert not [secret for secret in secrets if secret in found.redact(said) + repr(found) + str(found)]
    assert found.redact(said).endswith("; Get:1")


def test_host_sources_are_taken_in_both_forms_without_third_parties(tmp_path: Path) -> None:
    parts = tmp_path / "etc/apt/sources.list.d"
    parts.mkdir(parents=True)
    (tmp_path / "etc/os-release").write_text("VERSION_CODENAME=bookworm\n")
    (parts / "debian.sources").write_text(
        "Types: deb deb-src\n# a comment\nURIs: http://d.test/debian\nSuites: bookworm bookworm-backports bookworm-updates\n"
        "Components: main\nSigned-By: /usr/share/keyrings/k.gpg\n\n"
        "Types: deb\nURIs: mirror+file:///etc/apt/mirrors\nSuites: bookworm-security\nComponents: main\n\n"
        "Types: deb\nEnabled: no\nURIs: http://off.test\nSuites: bookworm\nComponents: main\n"
    )
    (parts / "docker.list").write_text("deb http://third.test bookworm stable\n")
    (tmp_path / "etc/apt/mirrors").write_text("http://sec.test/debian-security\n")
    (tmp_path / "etc/apt/sources.list").write_text(
        "#deb http://no.test bookworm main\ndeb-src http://no.test bookworm main\n"
    )
    assert apt.sources("auto", Path("config.toml"), tmp_path) == (
        "deb [signed-by=/usr/share/keyrings/k.gpg] http://d.test/debian bookworm main",
        "deb [signed-by=/usr/share/keyrings/k.gpg] http://d.test/debian bookworm-updates main",
        "deb http://sec.test/debian-security bookworm-security main",
    )
    (tmp_path / "etc/os-release").write_text("VERSION_CODENAME=noble\n")
    assert apt.sources("auto", Path("config.toml"), tmp_path) == ()
    assert apt.sources("none", Path("config.toml"), tmp_path) == ()
