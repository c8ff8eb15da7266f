from __future__ import annotations

from pathlib import Path

import pytest

from icae_env.dependencies.manifest import Manifest, parse_manifest
from icae_env.errors import ConfigError, ManifestError, UnknownNameError


def project(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_txt", ".txt").replace("_toml", ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def requirements(folder: Path, text: str, **options) -> Manifest:
    return parse_manifest("python", project(folder, requirements_txt=text), **options)


def kinds(manifest: Manifest) -> set[tuple[str, str]]:
    return {(item.name, item.kind) for item in manifest.stated}


def test_names_without_versions_extras_hashes_and_comments(tmp_path: Path) -> None:
    found = requirements(
        tmp_path,
        "# requests\n"
        "PyYAML==6.0  # a comment\n"
        "scikit_learn >=1.0,<2 \\\n"
        "    --hash=sha256:0123 \\\n"
        "    --hash=sha256:4567\n"
        "requests[socks,security]~=2.31\n"
        "\n"
        "ruamel.yaml\n"
        "Pillow ; python_version >= '3.8'\n",
    )
    assert found.names == {"pyyaml", "scikit-learn", "requests", "ruamel-yaml", "pillow"}
    lines = {item.name: (item.line, item.constraint) for item in found.declared}
    assert lines["scikit-learn"] == (3, "<2,>=1.0")
    assert lines["requests"] == (6, "~=2.31")
    assert found.files == ("requirements.txt",)


def test_markers_are_evaluated_for_the_target(tmp_path: Path) -> None:
    text = (
        "tomli; python_version < '3.11'\n"
        "pywin32; sys_platform == 'win32'\n"
        "uvloop; sys_platform == 'linux' and implementation_name == 'cpython'\n"
    )
    new = requirements(tmp_path, text, python="3.12.1")
    assert new.names == {"uvloop"}
    assert kinds(new) == {("tomli", "marker"), ("pywin32", "marker")}
    assert requirements(tmp_path, text, python="3.10").names == {"uvloop", "tomli"}
    with pytest.raises(ConfigError, match="'3' is no Python version"):
        requirements(tmp_path, text, python="3")


def test_urls_archives_and_repositories(tmp_path: Path) -> None:
    found = requirements(
        tmp_path,
        "one @ https://example.org/files/one-1.0.tar.gz#sha256=00\n"
        "https://example.org/two_pack-2.0-py3-none-any.whl\n"
        "git+https://example.org/team/some.git@v1#egg=Three[x]&subdirectory=py\n"
        "-e git+https://example.org/team/four.git\n"
        "https://example.org/five-0.5.tar.gz ; python_version > '3'\n"
        "https://example.org/six-0.5.tar.gz; python_version < '3'\n"
        "./wheels/seven-1-py3-none-any.whl\n"
        "https://example.org/archive/main.zip#egg=eight\n",
    )
    assert found.names == {"one", "two-pack", "three", "four", "five", "seven", "eight"}
    assert {item.name: item.source for item in found.declared} == {
        "one": "archive", "two-pack": "archive", "three": "git", "four": "git",
        "five": "archive", "seven": "path", "eight": "archive",
    }  # fmt: skip
    assert kinds(found) == {("six", "marker")}


def test_other_files_constraints_options_and_variables(tmp_path: Path) -> None:
    project(
        tmp_path,
        requirements_txt="-i https://example.org/simple\n--extra-index-url=https://e.org/s\n--no-binary :all:\n--pre\n"
        "-r more/base.txt\n-cmore/limits.txt\n${NAME}==1\n",
        more__base_txt="attrs\n-r ../last.txt\n",
        more__limits_txt="urllib3<2\nattrs==23.1\n",
        last_txt="idna",
    )
    found = parse_manifest("python", tmp_path, environ={"NAME": "click"})
    assert found.names == {"attrs", "idna", "click"}
    assert kinds(found) == {("urllib3", "constraint"), ("attrs", "constraint")}
    assert found.files == ("requirements.txt", "more/base.txt", "last.txt", "more/limits.txt")


def test_a_folder_of_the_project_counts_by_what_it_needs(tmp_path: Path) -> None:
    project(
        tmp_path,
        requirements_txt="-e .[cli]\n./lib\nrich\n",
        pyproject_toml="[project]\nname='app'\ndependencies=['httpx']\n[project.optional-dependencies]\ncli=['typer']\ndocs=['mkdocs']\n",
        lib__pyproject_toml="[project]\nname='lib'\ndependencies=['attrs>=1']\n",
    )
    found = parse_manifest("python", tmp_path)
    assert found.names == {"rich", "httpx", "typer", "attrs"}
    assert kinds(found) == {("mkdocs", "extra:docs")}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("ok\nflask=>2\n", 2, "is no requirement"),
        ("ok\n\n--unheard-of x\n", 3, "no such option"),
        ("-r gone.txt", 1, "there is no file 'gone.txt'"),
        ("-r ../../etc/passwd", 1, "outside of the project's folder"),
        ("-r /etc/passwd", 1, "outside of the project's folder"),
        ("a\n-r requirements.txt\n", 2, "names itself"),
        ("-r https://example.org/r.txt", 1, "file elsewhere"),
        ("a; python_version", 1, "is no requirement"),
        ("./nowhere", 1, "there is no folder 'nowhere'"),
        ("x\nhttps://example.org/bad.whl", 2, "no wheel's file name"),
        ("https://example.org", 1, "no name can be told"),
        ("-r", 1, "no such option"),
        ("a\n-e git+https://[e/x", 2, "is no URL"),
        ("a\n-r b\0c", 2, "a NUL"),
        ("two words", 1, "is no requirement"),
        ("import os", 1, "is no requirement"),
    ],
)
def test_a_broken_file_tells_file_line_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    with pytest.raises(ManifestError, match=reason) as caught:
        requirements(tmp_path, text)
    assert (caught.value.file, caught.value.line) == ("requirements.txt", line)
    assert f"requirements.txt:{line}" in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(b"a\n\xff\xfe\n")
    with pytest.raises(ManifestError, match="not UTF-8") as caught:
        parse_manifest("python", tmp_path)
    assert caught.value.line == 2
    (tmp_path / "requirements.txt").write_bytes(b"\xef\xbb\xbfrequests\r\nidna\r\n")
    assert parse_manifest("python", tmp_path).names == {"requests", "idna"}


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    inside = tmp_path / "p"
    inside.mkdir()
    (inside / "requirements.txt").symlink_to(outside)
    assert parse_manifest("python", inside).names == frozenset()
    (inside / "requirements.txt").unlink()
    (inside / "requirements.txt").write_text("-r more.txt")
    (inside / "more.txt").symlink_to(outside)
    with pytest.raises(ManifestError, match="outside"):
        parse_manifest("python", inside)


def test_pyproject_with_extras_and_groups(tmp_path: Path) -> None:
    text = """
[build-system]
requires = ["hatchling"]
[project]
name = "x"
dependencies = [
  "Flask>=2",
  "tomli; python_version < '3.11'",
  "lib @ git+https://example.org/lib.git",
]
[project.optional-dependencies]
test = ["pytest"]
[dependency-groups]
dev = ["ruff", {include-group = "docs"}]
docs = ["sphinx"]
"""
    found = parse_manifest("python", project(tmp_path, pyproject_toml=text))
    assert found.names == {"flask", "lib"}
    assert {item.name: item.line for item in found.declared} == {"flask": 7, "lib": 9}
    assert kinds(found) == {
        ("tomli", "marker"), ("pytest", "extra:test"), ("ruff", "group:dev"), ("sphinx", "group:docs"),
    }  # fmt: skip


def test_poetry(tmp_path: Path) -> None:
    text = """
[tool.poetry]
name = "x"
[tool.poetry.dependencies]
python = "^3.11"
requests = "^2.31"
lib = {git = "https://example.org/lib.git"}
mysql = {version = "1", optional = true}
old = {version = "1", markers = "python_version < '3'"}
numpy = [
  {version = "1", markers = "python_version < '3.9'"},
  {version = "2", markers = "python_version >= '3.9'"},
]
[tool.poetry.dev-dependencies]
black = "*"
[tool.poetry.group.docs.dependencies]
mkdocs = "*"
"""
    found = parse_manifest("python", project(tmp_path, pyproject_toml=text))
    assert found.names == {"requests", "lib", "numpy"}
    assert {item.name: item.constraint for item in found.declared}["numpy"] == "2"
    assert kinds(found) == {
        ("mysql", "optional"), ("old", "marker"), ("black", "group:dev"), ("mkdocs", "group:docs"),
    }  # fmt: skip
    assert {item.name: item.line for item in found.declared}["requests"] == 6


def test_dependencies_in_a_file_that_setuptools_reads(tmp_path: Path) -> None:
    project(
        tmp_path,
        pyproject_toml="[project]\nname='x'\ndynamic=['dependencies']\n[tool.setuptools.dynamic]\ndependencies={file=['deps.txt']}\n",
        deps_txt="anyio\n",
    )
    assert parse_manifest("python", tmp_path).names == {"anyio"}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("[project]\nname = \n", 2, "no TOML"),
        ("[project]\ndependencies = 'flask'\n", 2, "no list of texts"),
        ("[project]\ndependencies = ['ok', 'flask=>1']\n", 2, "no requirement"),
        ("project = 1\n", 1, "no table"),
        ("[project]\nname='x'\ndynamic = ['dependencies']\n", 3, "a build computes"),
        ("[tool.poetry.dependencies]\nx = 3\n", 2, "no version and no table"),
        ("[project]\nname = 'x", 2, "no TOML"),
    ],
)
def test_a_broken_pyproject(tmp_path: Path, text: str, line: int, reason: str) -> None:
    with pytest.raises(ManifestError, match=reason) as caught:
        parse_manifest("python", project(tmp_path, pyproject_toml=text))
    assert (caught.value.file, caught.value.line) == ("pyproject.toml", line)


def test_requirement_files_come_first_and_another_may_be_named(tmp_path: Path) -> None:
    project(tmp_path, requirements_txt="a\n", pyproject_toml="[project]\ndependencies=['b']", prod_txt="c\n")
    assert parse_manifest("python", tmp_path).names == {"a"}
    assert parse_manifest("python", tmp_path, file=tmp_path / "prod.txt").names == {"c"}
    assert parse_manifest("python", tmp_path, file=tmp_path / "pyproject.toml").names == {"b"}


def test_a_project_on_the_standard_library_alone(tmp_path: Path) -> None:
    for ecosystem in ("python", "java", "javascript", "cpp"):
        assert parse_manifest(ecosystem, tmp_path).names == frozenset()
    assert requirements(tmp_path, "# nothing\n").names == frozenset()
    (tmp_path / "requirements.txt").unlink()
    assert parse_manifest("python", project(tmp_path, pyproject_toml="[tool.ruff]\n")).names == frozenset()


def test_a_setup_program_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("from setuptools import setup; setup(install_requires=['x'])")
    with pytest.raises(ManifestError, match=r"setup.py: a program"):
        parse_manifest("python", tmp_path)


def test_what_is_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        parse_manifest("rust", tmp_path)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no folder"):
        parse_manifest("python", tmp_path / "gone")
    with pytest.raises(ManifestError, match=r"there is no file 'gone\.txt'"):
        parse_manifest("python", tmp_path, file=tmp_path / "gone.txt")
