from __future__ import annotations

import json
from pathlib import Path

import pytest

from icae_env.dependencies.manifest import parse_manifest
from icae_env.errors import ManifestError


def write(folder: Path, data: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps(data, indent=2), "utf-8")
    return folder


def test_only_dependencies_count(tmp_path: Path) -> None:
    found = parse_manifest(
        "javascript",
        write(
            tmp_path,
            {
                "name": "x",
                "devDependencies": {"jest": "^29", "yargs": "1"},
                "dependencies": {"yargs": "17.7.3", "@scope/Pkg": "*", "JSONStream": ""},
                "peerDependencies": {"react": ">=18"},
                "optionalDependencies": {"fsevents": "2"},
                "bundledDependencies": ["yargs"],
                "engines": {"node": ">=18"},
            },
        ),
    )
    assert found.names == {"yargs", "@scope/Pkg", "JSONStream"}
    assert {(item.name, item.kind) for item in found.stated} == {
        ("jest", "dev"), ("yargs", "dev"), ("react", "peer"), ("fsevents", "optional"),
    }  # fmt: skip
    assert {item.name: item.line for item in found.declared}["yargs"] == 8


def test_aliases_repositories_archives_and_folders(tmp_path: Path) -> None:
    wanted = {
        "old": "npm:lodash@^3",
        "scoped": "npm:@types/node@20",
        "bare": "npm:left-pad",
        "a": "git+ssh://git@example.org/a.git#v1",
        "b": "github:me/b",
        "c": "me/c#semver:^1",
        "d": "https://example.org/d.tgz",
        "e": "file:../e",
        "f": "workspace:*",
        "g": ">=1 <2 || 3.x",
        "h": "latest",
        "i": "git@example.org:me/i.git",
    }
    found = parse_manifest("javascript", write(tmp_path, {"dependencies": wanted}))
    assert found.names == set(wanted)
    assert {item.name: item.source for item in found.declared} == {
        "old": "registry", "scoped": "registry", "bare": "registry", "a": "git", "b": "git", "c": "git",
        "d": "archive", "e": "path", "f": "path", "g": "registry", "h": "registry", "i": "git",
    }  # fmt: skip
    target = {item.name: (item.target, item.constraint) for item in found.declared}
    assert target["old"] == ("lodash", "^3")
    assert target["scoped"] == ("@types/node", "20")
    assert target["bare"] == ("left-pad", "")


def test_workspaces_count_and_are_no_packages_of_others(tmp_path: Path) -> None:
    write(tmp_path, {"workspaces": ["packages/*", "!packages/old"], "dependencies": {"chalk": "5"}})
    write(tmp_path / "packages" / "one", {"name": "@me/one", "dependencies": {"ms": "2", "@me/two": "*"}})
    write(tmp_path / "packages" / "two", {"name": "@me/two", "dependencies": {"debug": "4"}})
    write(tmp_path / "packages" / "old", {"name": "@me/old", "dependencies": {"never": "4"}})
    (tmp_path / "packages" / "none").mkdir()
    found = parse_manifest("javascript", tmp_path)
    assert found.names == {"chalk", "ms", "debug"}
    assert [(item.name, item.kind) for item in found.stated] == [("@me/two", "workspace")]


def test_a_project_without_dependencies_declares_nothing(tmp_path: Path) -> None:
    assert parse_manifest("javascript", write(tmp_path, {"name": "x"})).names == frozenset()
    (tmp_path / "package.json").write_bytes(b'\xef\xbb\xbf{"dependencies": {"a": "1"}}')
    assert parse_manifest("javascript", tmp_path).names == {"a"}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{\n "dependencies": {\n  "a" "1"\n }\n}', 3, "no JSON"),
        ('{\n "dependencies": ["a"]\n}', 2, "'dependencies' is no object"),
        ('{\n "dependencies": {\n  "a": 1\n }\n}', 3, "version of 'a' is no text"),
        ('{\n "dependencies": {\n  "../a": "1"\n }\n}', 3, "no package's name"),
        ('{\n "devDependencies": {"b c": "1"}}', 2, "no package's name"),
        ("[]", 1, "no JSON object"),
        ("", 1, "no JSON"),
        ('{"workspaces": ["../up"]}', 1, "no workspace"),
        ('{"workspaces": 3}', 1, "no list of texts"),
        ('{\n// a comment\n"a": 1}', 2, "no JSON"),
    ],
)
def test_a_broken_file_tells_file_line_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    (tmp_path / "package.json").write_text(text)
    with pytest.raises(ManifestError, match=reason) as caught:
        parse_manifest("javascript", tmp_path)
    assert (caught.value.file, caught.value.line) == ("package.json", line)


def test_values_deep_in_one_another(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("[" * 200_000)
    with pytest.raises(ManifestError, match="too deep"):
        parse_manifest("javascript", tmp_path)
