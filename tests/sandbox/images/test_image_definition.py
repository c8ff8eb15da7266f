from __future__ import annotations

from pathlib import Path

import pytest

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.sandbox.images import definition


def _write(folder: Path, name: str, text: str) -> Path:
    file = folder / f"{name}.toml"
    file.write_text(text, "utf-8")
    return file


def test_the_shipped_definitions_load_and_extend_base() -> None:
    base = definition.load("base")
    assert {"bash", "coreutils", "git", "python3"} <= set(base.packages)
    for name in ("python", "node"):
        image = definition.load(name)
        assert image.packages[: len(base.packages)] == base.packages
        assert image.extends is None
    assert "npm" in definition.load("node").packages
    assert "python3-pip" in definition.load("python").packages
    assert {"base", "python", "node"} <= set(definition.names())


def test_extending_puts_the_parent_first_and_keeps_repeated_steps(tmp_path: Path) -> None:
    _write(
        tmp_path, "low", 'description="d"\npackages=["git","less"]\nrun=["true","sync"]\npip=["six==1.16.0"]'
    )
    _write(tmp_path, "mid", 'description="d"\nextends="low"\npackages=["jq"]')
    _write(tmp_path, "top", 'description="d"\nextends="mid"\npackages=["less","curl"]\nrun=["true"]')
    image = definition.load("top", [tmp_path])
    assert image.packages == ("git", "less", "jq", "curl")
    assert image.run == ("true", "sync", "true")
    assert image.pip == ("six==1.16.0",)


def test_the_digest_follows_the_content_and_not_the_description(tmp_path: Path) -> None:
    _write(tmp_path, "one", 'description="d"\npackages=["git"]')
    first = definition.load("one", [tmp_path]).digest
    _write(tmp_path, "one", 'description="other words"\npackages=["git"]')
    assert definition.load("one", [tmp_path]).digest == first
    _write(tmp_path, "one", 'description="d"\npackages=["git", "jq"]')
    assert definition.load("one", [tmp_path]).digest != first


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'python'") as caught:
        definition.load("pyton")
    assert {"base", "node", "host"} <= set(caught.value.valid)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('description="d"\npackages=["Git!"]', "packages.0"),
        ('description="d"\npackages="git"', "packages"),
        ('description="d"\npip=["six"]', "pip.0"),
        ('description="d"\npip=["six==1.0; rm -rf /"]', "pip.0"),
        ('description="d"\nnpm=["yargs"]', "npm.0"),
        ('description="d"\nrun="true"', "run"),
        ('description="d"\npakages=["git"]', "pakages"),
        ("packages=[]", "description"),
        ('description="d"\nextends="nothing"', "extends"),
        ('description="d"\nextends="bad"', "extends"),
        ('name="good"\ndescription="d"', "name"),
        ('description="d', None),
    ],
)
def test_a_bad_definition_names_file_field_and_mend(tmp_path: Path, text: str, field: str | None) -> None:
    file = _write(tmp_path, "bad", text)
    with pytest.raises(ConfigError) as caught:
        definition.load("bad", [tmp_path])
    assert (caught.value.file, caught.value.field) == (file, field)
    assert caught.value.mend
