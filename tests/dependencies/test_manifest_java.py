from __future__ import annotations

from pathlib import Path

import pytest

from icae_env.dependencies.manifest import Manifest, parse_manifest
from icae_env.errors import ManifestError

HEAD = '<project xmlns="http://maven.apache.org/POM/4.0.0">\n<groupId>org.me</groupId><artifactId>app</artifactId><version>7</version>\n'


def read(folder: Path, body: str, **options) -> Manifest:
    (folder / "pom.xml").write_text(f"{HEAD}{body}\n</project>\n", "utf-8")
    return parse_manifest("java", folder, **options)


def dependency(artifact: str, group: str = "g", more: str = "") -> str:
    return f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>{more}</dependency>\n"


def test_scopes_profiles_plugins_and_exclusions(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "<!-- <dependencies>" + dependency("commented") + "</dependencies> -->\n"
        "<dependencies>\n"
        + dependency("gson", more="<version>2.10</version>")
        + dependency("driver", more="<scope>runtime</scope>")
        + dependency("local", more="<scope>system</scope><systemPath>/x.jar</systemPath>")
        + dependency("junit", more="<scope>test</scope>")
        + dependency("servlet-api", more="<scope>provided</scope>")
        + dependency("maybe", more="<optional>true</optional>")
        + dependency("with-exclusion", more="<exclusions><exclusion><groupId>g</groupId><artifactId>not-me</artifactId></exclusion></exclusions>")
        + "</dependencies>\n"
        "<build><plugins><plugin><artifactId>p</artifactId><dependencies>" + dependency("of-plugin") + "</dependencies></plugin></plugins></build>\n"
        "<profiles><profile><id>ci</id><dependencies>" + dependency("of-ci") + "</dependencies></profile>\n"
        "<profile><id>std</id><activation><activeByDefault>true</activeByDefault></activation><properties><w>x</w></properties>"
        "<dependencies>" + dependency("of-${w}") + "</dependencies></profile></profiles>",
    )  # fmt: skip
    assert found.names == {"gson", "driver", "local", "maybe", "with-exclusion", "of-x"}
    assert {(item.name, item.kind) for item in found.stated} == {
        ("junit", "test"), ("servlet-api", "provided"), ("of-ci", "profile:ci"),
    }  # fmt: skip
    gson = next(item for item in found.declared if item.name == "gson")
    assert (gson.line, gson.constraint, gson.group, gson.scope) == (6, "2.10", "g", "compile")


def test_properties_and_managed_versions(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "<properties><jackson.version>2.17</jackson.version><core>jackson-core</core><all>${jackson.version}.1</all></properties>\n"
        "<dependencyManagement><dependencies>"
        + dependency("jackson-core", "com.j", "<version>${all}</version>")
        + dependency("mockito", "org.m", "<version>5</version><scope>test</scope>")
        + dependency("managed-only", "org.m", "<version>5</version>")
        + dependency("bom", "org.m", "<version>5</version><type>pom</type><scope>import</scope>")
        + "</dependencies></dependencyManagement>\n<dependencies>"
        + dependency("${core}", "com.j")
        + dependency("mockito", "org.m")
        + dependency("own", "${project.groupId}.sub", "<version>${project.version}</version>")
        + dependency("home", more="<version>${env.V}</version>")
        + "</dependencies>",
        environ={"V": "3"},
    )
    assert {item.name: (item.group, item.constraint) for item in found.declared} == {
        "jackson-core": ("com.j", "2.17.1"), "own": ("org.me.sub", "7"), "home": ("g", "3"),
    }  # fmt: skip
    assert [(item.name, item.kind, item.constraint) for item in found.stated] == [("mockito", "test", "5")]


def test_a_parent_in_the_project_gives_properties_versions_and_dependencies(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text(
        f"{HEAD}<modules><module>a</module><module>b</module></modules><properties><x>slf4j-api</x></properties>"
        f"<dependencyManagement><dependencies>{dependency('${x}', more='<version>${v}</version>')}</dependencies></dependencyManagement>"
        f"<dependencies>{dependency('shared')}</dependencies></project>"
    )
    parent = "<parent><groupId>org.me</groupId><artifactId>app</artifactId><version>7</version></parent>"
    for name, more in (("a", ""), ("b", dependency("a", "org.me"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pom.xml").write_text(
            f"<project>{parent}<artifactId>{name}</artifactId><properties><v>2.0</v></properties>"
            f"<dependencies>{dependency('slf4j-api')}{more}</dependencies></project>"
        )
    found = parse_manifest("java", tmp_path)
    assert found.names == {"shared", "slf4j-api"}
    assert {item.constraint for item in found.declared if item.name == "slf4j-api"} == {"2.0"}
    assert [(item.name, item.kind) for item in found.stated] == [("a", "module")]
    assert set(found.files) == {"pom.xml", "a/pom.xml", "b/pom.xml"}


def test_a_parent_elsewhere_is_told_of(tmp_path: Path) -> None:
    parent = "<parent><groupId>org.springframework.boot</groupId><artifactId>starter-parent</artifactId><version>3.2</version></parent>"
    found = read(tmp_path, parent + "<dependencies>" + dependency("x", more="<version>${project.parent.version}</version>") + "</dependencies>")  # fmt: skip
    assert found.declared[0].constraint == "3.2"
    assert found.notes == ("The parent of pom.xml is not in the project: what it declares is not known.",)


def test_a_project_without_dependencies_declares_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "<build/>").names == frozenset()


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        ("<dependencies>\n<dependency>\n</dependencies>", 5, "no XML: mismatched tag"),
        ("<dependencies>\n<dependency><groupId>g</groupId></dependency></dependencies>", 4, "no <artifactId>"),
        ("<dependencies>\n\n" + dependency("${gone}") + "</dependencies>", 5, "property 'gone' is not defined"),
        ("<properties><a>${b}</a><b>${a}</b></properties><dependencies>" + dependency("${a}") + "</dependencies>", 3, "through itself"),
        ("<dependencies>\n" + dependency("x", more="<scope>tests</scope>") + "</dependencies>", 4, "no scope 'tests'"),
        ("<modules>\n<module>gone</module></modules>", 4, "there is no file 'gone/pom.xml'"),
        ("<modules>\n<module>../../x</module></modules>", 4, "outside of the project's folder"),
        ("<modules>\n<module>.</module></modules>", 4, "a circle"),
        ("&undefined;", 3, "no XML: undefined entity"),
    ],
)  # fmt: skip
def test_a_broken_pom_tells_file_line_and_reason(tmp_path: Path, body: str, line: int, reason: str) -> None:
    with pytest.raises(ManifestError, match=reason) as caught:
        read(tmp_path, body)
    assert (caught.value.file, caught.value.line) == ("pom.xml", line)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "no XML"),
        ("<html/>", 1, "root is <html>"),
        ('<?xml version="1.0"?>\n<!DOCTYPE p [<!ENTITY a "b">]>\n<project>&a;</project>', 2, "document type or entities"),
        ('<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><project>&x;</project>', 1, "document type or entities"),
        ("<project>" + "<a>" * 200 + "</a>" * 200 + "</project>", 1, "too deep"),
    ],
)  # fmt: skip
def test_what_is_no_pom(tmp_path: Path, text: str, line: int, reason: str) -> None:
    (tmp_path / "pom.xml").write_text(text)
    with pytest.raises(ManifestError, match=reason) as caught:
        parse_manifest("java", tmp_path)
    assert (caught.value.file, caught.value.line) == ("pom.xml", line)


def test_properties_that_grow_end(tmp_path: Path) -> None:
    chain = "".join(f"<p{n}>{f'${{p{n + 1}}}' * 10}</p{n}>" for n in range(18)) + "<p18>x</p18>"
    with pytest.raises(ManifestError, match="grows without end"):
        read(tmp_path, f"<properties>{chain}</properties><dependencies>{dependency('${p0}')}</dependencies>")
