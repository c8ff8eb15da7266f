from __future__ import annotations

from pathlib import Path

import pytest

from icae_env.dependencies.manifest import Manifest, parse_manifest
from icae_env.errors import ManifestError


def read(folder: Path, text: str) -> Manifest:
    (folder / "CMakeLists.txt").write_text(text, "utf-8")
    return parse_manifest("cpp", folder)


def kinds(manifest: Manifest) -> set[tuple[str, str]]:
    return {(item.written, item.kind) for item in manifest.stated}


def test_both_commands_in_any_case(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "cmake_minimum_required(VERSION 3.14)\nproject(x CXX)\n"
        "include(FetchContent)\n"
        "FetchContent_Declare(\n  nlohmann_json\n  GIT_REPOSITORY https://example.org/json.git # here\n  GIT_TAG v3.11.2)\n"
        "FETCHCONTENT_DECLARE(Fmt URL https://example.org/fmt.zip)\n"
        "find_package(OpenSSL 3.0...4 REQUIRED COMPONENTS SSL Crypto)\n"
        'Find_Package("yaml-cpp" QUIET)\nFIND_PACKAGE(\n  OpenCV\n)\n'
        "if(WIN32)\n  find_package(SQLite3)\nendif()\n"
        "function(deps)\n find_package([=[ZLIB]=])\nendfunction()\n"
        "FetchContent_MakeAvailable(nlohmann_json Fmt)\n",
    )
    assert found.names == {"nlohmann_json", "fmt", "openssl", "yaml-cpp", "opencv", "sqlite3", "zlib"}
    items = {item.name: item for item in found.declared}
    json = items["nlohmann_json"]
    assert (json.line, json.constraint, json.source) == (4, "v3.11.2", "git")
    assert json.target == "https://example.org/json.git"
    assert (items["fmt"].source, items["fmt"].target) == ("archive", "https://example.org/fmt.zip")
    assert (items["openssl"].source, items["openssl"].constraint) == ("system", "3.0...4")
    assert items["openssl"].written == "OpenSSL"


def test_comments_strings_and_generator_expressions_name_nothing(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "# find_package(A)\n#[[ find_package(B)\nFetchContent_Declare(C) ]]\n#[==[\nfind_package(D) ]] \n]==]\n"
        'message(STATUS "find_package(E)")\nset(T [[\nfind_package(F)\n]])\n'
        'target_link_libraries(x PRIVATE $<$<CONFIG:Debug>:find_package> "$<BUILD_INTERFACE:G>")\n'
        "find_package($<IF:1,H,I>)\n"
        "my_find_package(J)\nfind_package_handle_standard_args(K)\nadd_custom_command(OUTPUT o COMMAND find_package L)\n"
        "find_package(Real)\n",
    )
    assert found.names == {"real"}


def test_variables_that_plain_sets_tell(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        'set(BASE "nlohmann")\nset(NAME ${BASE}_json)\nset(WHICH Boost CACHE STRING "which one")\n'
        "find_package(${NAME})\nfind_package(${WHICH} 1.80)\n"
        "if(X)\n set(NAME other)\nendif()\nfind_package(${NAME})\n"
        "set(MANY a b)\nfind_package(${MANY})\nfind_package($ENV{HOME})\nfind_package(${UNKNOWN}X)\n"
        "foreach(p fmt spdlog)\n find_package(${p})\nendforeach()\nset(LATE gtest)\nfind_package(${LATE})\nunset(LATE)\nfind_package(${LATE})\n",
    )
    assert found.names == {"nlohmann_json", "boost", "gtest"}
    assert kinds(found) == {
        (name, "unresolved")
        for name in ("${NAME}", "${MANY}", "$ENV{HOME}", "${UNKNOWN}X", "${p}", "${LATE}")
    }


def test_files_of_the_project_are_followed_and_other_projects_are_not(tmp_path: Path) -> None:
    for folder, text in {
        "src": "find_package(${WANTED})\nset(WANTED changed)",
        "third_party/fmt": "project(FMT)\nfind_package(Doxygen)",
        "cmake": "",
    }.items():
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "CMakeLists.txt").write_text(text)
    (tmp_path / "cmake" / "deps.cmake").write_text("find_package(CURL)\nset(FROM_INCLUDE pugixml)\n")
    found = read(
        tmp_path,
        "project(app)\nset(WANTED spdlog)\nadd_subdirectory(src)\nadd_subdirectory(third_party/fmt)\nadd_subdirectory(gone)\n"
        "include(${CMAKE_CURRENT_SOURCE_DIR}/cmake/deps.cmake)\ninclude(GNUInstallDirs)\n"
        "find_package(${FROM_INCLUDE})\nfind_package(${WANTED})\nadd_subdirectory(../elsewhere)\n",
    )
    assert found.names == {"spdlog", "curl", "pugixml"}
    assert kinds(found) == {("third_party/fmt", "subproject")}
    assert {item.name: (item.file, item.line) for item in found.declared}["curl"] == ("cmake/deps.cmake", 1)


def test_a_project_on_the_standard_library_alone(tmp_path: Path) -> None:
    assert read(tmp_path, "project(x)\nadd_executable(x main.cpp)\n").names == frozenset()
    assert read(tmp_path, "").names == frozenset()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("project(x)\nfind_package(\n", 2, "grammar does not accept"),
        ("project(x)\n\nfind_package()\n", 3, "has no name"),
        ("project(x)\nif(A)\nfind_package(B)\n", 2, "grammar does not accept"),
        ('find_package(x)\nmessage("never closed)\n', 2, "grammar does not accept"),
        ("find_package x\n", 1, "grammar does not accept"),
        ("\ninclude(CMakeLists.txt)\n", 2, "names itself"),
        ("find_package(x))\n", 1, "grammar does not accept"),
    ],
)
def test_a_broken_file_tells_file_line_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    with pytest.raises(ManifestError, match=reason) as caught:
        read(tmp_path, text)
    assert (caught.value.file, caught.value.line) == ("CMakeLists.txt", line)


def test_blocks_deep_in_one_another(tmp_path: Path) -> None:
    depth = 3_000
    found = read(tmp_path, "if(A)\n" * depth + "find_package(Deep)\n" + "endif()\n" * depth)
    assert found.names == {"deep"}
