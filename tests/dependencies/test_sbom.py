from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from icae_env.dependencies.layers import Component, Details, Layers, Unavailable
from icae_env.dependencies.manifest import manifest_details, parse_manifest
from icae_env.dependencies.sbom import sbom

WHEN = datetime(2026, 1, 2, tzinfo=UTC)


def written(layers: Layers, **more) -> dict:
    text = sbom(layers, project="app", when=WHEN, **more)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    return json.loads(text)


def layers(ecosystem, declared, traced, *components: Component) -> Layers:
    return Layers(
        ecosystem=ecosystem,
        declared=declared if isinstance(declared, Unavailable) else frozenset(declared),
        installed=frozenset(),
        traced=traced if isinstance(traced, Unavailable) else frozenset(traced),
        details=Details(components=components),
    )


def test_declared_and_read_are_told_apart() -> None:
    found = written(
        layers(
            "python", ["PyYAML", "unused"], ["pyyaml", "six"],
            Component(name="pyyaml", version="6.0.2"), Component(name="six", version="1.16.0"),
        ), version="1.0",
    )  # fmt: skip
    parts = {item["name"]: item for item in found["components"]}
    assert {name: item["purl"] for name, item in parts.items()} == {
        "pyyaml": "pkg:pypi/pyyaml@6.0.2", "six": "pkg:pypi/six@1.16.0", "unused": "pkg:pypi/unused",
    }  # fmt: skip
    assert {name: item["scope"] for name, item in parts.items()} == {
        "pyyaml": "required", "six": "required", "unused": "optional",
    }  # fmt: skip
    where = {name: [mark["value"] for mark in item["properties"]] for name, item in parts.items()}
    assert where == {"pyyaml": ["declared", "traced"], "six": ["traced"], "unused": ["declared"]}
    assert found["metadata"]["component"]["name"] == "app"
    project = next(item for item in found["dependencies"] if item["ref"] == "project")
    assert project["dependsOn"] == ["python/pyyaml", "python/unused"]


@pytest.mark.parametrize(
    ("ecosystem", "component", "purl", "group"),
    [
        ("java", Component(name="jackson-core", group="com.fasterxml", version="2"), "pkg:maven/com.fasterxml/jackson-core@2", "com.fasterxml"),
        ("java", Component(name="lonely"), "pkg:generic/lonely", None),
        ("javascript", Component(name="@types/node", version="20.0.0"), "pkg:npm/%40types/node@20.0.0", "@types"),
        ("javascript", Component(name="old", target="lodash"), "pkg:npm/lodash", None),
        ("cpp", Component(name="openssl", owner="libssl3", version="3.0"), "pkg:deb/debian/libssl3@3.0", None),
        ("cpp", Component(name="fmt"), "pkg:generic/fmt", None),
    ],
)  # fmt: skip
def test_package_urls(ecosystem: str, component: Component, purl: str, group: str | None) -> None:
    (found,) = written(layers(ecosystem, [component.name], [], component))["components"]
    assert (found["purl"], found.get("group")) == (purl, group)


def test_a_missing_layer_is_told_with_its_reason() -> None:
    found = written(layers("cpp", ["fmt"], Unavailable("ptrace is not allowed")))
    assert found["metadata"]["properties"] == [
        {"name": "icae:unavailable", "value": "traced: ptrace is not allowed"}
    ]
    assert "scope" not in found["components"][0]


def test_nothing_declared_and_nothing_at_all() -> None:
    hidden = written(layers("python", [], ["six"]))
    assert next(item for item in hidden["dependencies"] if item["ref"] == "project")["dependsOn"] == [
        "python/six"
    ]
    assert "components" not in written(layers("python", [], []))


def test_equal_layers_give_equal_documents() -> None:
    one, other = (layers("python", names, ["c"]) for names in (["a", "b"], ["b", "a"]))
    assert sbom(one, project="app", when=WHEN) == sbom(other, project="app", when=WHEN)
    assert written(one)["serialNumber"] != written(layers("python", ["a"], ["c"]))["serialNumber"]


@pytest.mark.parametrize(
    ("ecosystem", "file", "text", "wanted"),
    [
        ("python", "requirements.txt", "a==1.2\nb>=1\nc==1.*\nd===2", {"a": "1.2", "b": None, "c": None, "d": "2"}),
        ("javascript", "package.json", '{"dependencies": {"a": "1.2.3", "b": "^1.2.3", "c": "1.x"}}', {"a": "1.2.3", "b": None, "c": None}),
        ("cpp", "CMakeLists.txt", "FetchContent_Declare(a GIT_REPOSITORY u GIT_TAG v1.2)\nfind_package(b 1.0...2.0)", {"a": "1.2", "b": None}),
        ("java", "pom.xml", "<project><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1.0</version></dependency>"
         "<dependency><groupId>g</groupId><artifactId>b</artifactId><version>[1,2)</version></dependency></dependencies></project>", {"a": "1.0", "b": None}),
    ],
)  # fmt: skip
def test_exact_versions_come_from_the_manifest(tmp_path, ecosystem, file, text, wanted) -> None:
    (tmp_path / file).write_text(text)
    details = manifest_details(parse_manifest(ecosystem, tmp_path))
    assert {item.name: item.version for item in details.components} == wanted


def test_details_state_what_does_not_count(tmp_path) -> None:
    (tmp_path / "package.json").write_text(
        '{"dependencies": {"x": "npm:y@1"}, "devDependencies": {"jest": "1"}}'
    )
    details = manifest_details(parse_manifest("javascript", tmp_path))
    assert details.stated == ("jest (dev)",)
    assert details.components == (Component(name="x", target="y"),)
