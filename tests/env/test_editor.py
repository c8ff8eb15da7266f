import pytest
from hypothesis import given
from hypothesis import strategies as st

from icae_env.sandbox.base import MIB, WORKSPACE
from icae_env.sandbox.editor import MAX_FILE, Editor
from icae_env.sandbox.fake import FakeFiles

TRICKY = b"\xef\xbb\xbfone\r\n\ttwo\r\n\xff\xfe bad\r\nlast, no newline"


@pytest.fixture
def files():
    made = FakeFiles()
    made.mkdir(WORKSPACE)
    return made


@pytest.fixture
def editor(files):
    return Editor(files)


def test_create_writes_exactly_the_text_and_makes_parents(files, editor):
    text = "a\r\n\tb\n\ufeffé \U0001f600 no newline"
    result = editor.create("deep/er/x.txt", text)
    assert result.ok
    assert files.read("/workspace/deep/er/x.txt") == text.encode()
    assert "Created /workspace/deep/er/x.txt" in result.text


def test_create_says_that_it_replaced_a_file_and_keeps_its_mode(files, editor):
    files.write("/workspace/run", b"old", mode=0o755)
    result = editor.create("run", "new one\n")
    assert result.ok
    assert "which existed: 3 bytes before" in result.text
    assert files.stat("/workspace/run").mode == 0o755


def test_absolute_paths_and_parents_resolve_inside(files, editor):
    assert editor.create("/tmp/x", "1").ok
    assert editor.create("../home/agent/y", "2").ok
    assert files.read("/tmp/x") == b"1"
    assert files.read("/home/agent/y") == b"2"


def test_replace_touches_nothing_else(files, editor):
    files.write("/workspace/t", TRICKY)
    result = editor.replace("t", "two", "2\n3")
    assert result.ok
    assert "at line 2" in result.text
    assert files.read("/workspace/t") == TRICKY.replace(b"two", b"2\n3")


@pytest.mark.parametrize(
    ("data", "old", "named"),
    [
        (b"a\nb\n", "c", "does not occur"),
        (b"x\ny\nx\n", "x", "occurs 2 times in /workspace/t (at lines 1, 3)"),
        (b"aaa", "aa", "occurs 2 times"),
        (b"a\r\nb\r\n", "a\nb\n", "CRLF"),
        (b"if x:\n\ty = 1\n", "if x:\n    y = 1", "differs only in white space stands at line 1"),
        (b"a", "", "old is empty"),
        (b"y" * 3000, "y", "1000 or more times"),
    ],
)
def test_replace_refuses_what_is_not_there_exactly_once(files, editor, data, old, named):
    files.write("/workspace/t", data)
    result = editor.replace("t", old, "new")
    assert not result.ok
    assert named in result.text
    assert files.read("/workspace/t") == data


def test_replace_by_the_same_text_is_refused(files, editor):
    files.write("/workspace/t", b"a")
    assert not editor.replace("t", "a", "a").ok


@pytest.mark.parametrize(
    ("data", "line", "text", "expected"),
    [
        (b"a\nb\n", 0, "x", b"x\na\nb\n"),
        (b"a\nb\n", 1, "x\n", b"a\nx\nb\n"),
        (b"a\nb\n", 2, "x", b"a\nb\nx\n"),
        (b"a\nb", 2, "x", b"a\nb\nx"),
        (b"a\nb", 2, "x\n", b"a\nb\nx\n"),
        (b"a\nb", 1, "x", b"a\nx\nb"),
        (b"a\r\nb\r\n", 1, "x", b"a\r\nx\r\nb\r\n"),
        (b"a\r\nb\r\n", 0, "x", b"x\r\na\r\nb\r\n"),
        (b"a\r\nb", 2, "x", b"a\r\nb\r\nx"),
        (b"", 0, "x", b"x\n"),
        (b"\xef\xbb\xbfa\n", 0, "x", b"\xef\xbb\xbfx\na\n"),
        (b"\xff\n\xfe\n", 1, "x", b"\xff\nx\n\xfe\n"),
        (b"a\nb\n", 1, "", b"a\n\nb\n"),
    ],
)
def test_insert_adds_lines_and_keeps_the_rest(files, editor, data, line, text, expected):
    files.write("/workspace/t", data)
    assert editor.insert("t", line, text).ok
    assert files.read("/workspace/t") == expected


def test_insert_says_when_line_ends_get_mixed(files, editor):
    files.write("/workspace/t", b"a\r\nb\r\n")
    assert "CRLF" in editor.insert("t", 1, "x\ny\n").text
    assert files.read("/workspace/t") == b"a\r\nx\ny\nb\r\n"


def test_insert_beyond_the_end_names_the_range(files, editor):
    files.write("/workspace/t", b"a\nb")
    result = editor.insert("t", 3, "x")
    assert not result.ok
    assert "give 0 to 2" in result.text


def test_view_numbers_lines_and_says_what_it_hides(files, editor):
    files.write("/workspace/t", TRICKY)
    text = editor.view("t").text
    assert "mixed" not in text
    assert "CRLF line ends" in text
    assert "byte order mark" in text
    assert "no newline at the end" in text
    assert "not valid UTF-8" in text
    assert text.splitlines()[1:] == [
        "     1\tone",
        "     2\t\ttwo",
        "     3\t\ufffd\ufffd bad",
        "     4\tlast, no newline",
    ]


def test_view_range(files, editor):
    files.write("/workspace/t", b"".join(b"%d\n" % number for number in range(1, 11)))
    assert editor.view("t", (9, -1)).text.splitlines()[1:] == ["     9\t9", "    10\t10"]
    assert editor.view("t", (10, 99)).text.splitlines()[1:] == ["    10\t10"]
    for bad in ((0, 3), (11, 12), (5, 4), (-1, -1)):
        result = editor.view("t", bad)
        assert not result.ok
        assert "a file of 10 lines" in result.text


def test_view_lists_a_directory(files, editor):
    files.write("/workspace/b", b"")
    files.mkdir("/workspace/a")
    files.link("/workspace/c", "/nowhere")
    assert editor.view(".").text.splitlines() == ["/workspace (directory, 3 entries)", "a/", "b", "c@"]
    assert not editor.view(".", (1, 2)).ok


def test_binary_and_huge_files_are_left_to_bash(files, editor):
    files.write("/workspace/b", b"\x7fELF\0\0")
    files.write("/workspace/h", b"x" * (MAX_FILE + 1))
    assert "binary" in editor.view("b").text
    assert "larger than 16 MiB" in editor.view("h").text
    assert not editor.replace("h", "x", "y").ok


def test_what_goes_wrong_is_a_result():
    files = FakeFiles(quota=MIB)
    files.mkdir(WORKSPACE)
    editor = Editor(files)
    files.write("/workspace/f", b"x\n")
    files.link("/workspace/loop", "/workspace/loop")
    assert "no such file" in editor.view("missing").text
    assert "directory" in editor.create(".", "x").text
    assert "file, not a directory" in editor.view("f/x").text
    assert "disk is full" in editor.create("big", "y" * (2 * MIB)).text
    assert "circle of links" in editor.view("loop").text
    assert "NUL" in editor.view("a\0b").text
    for result in (editor.view("missing"), editor.create("big", "y" * (2 * MIB)), editor.view("loop")):
        assert not result.ok
    assert files.read("/workspace/f") == b"x\n"


@given(st.binary(max_size=60), st.integers(0, 8), st.text("ab\n", max_size=6))
def test_insert_only_ever_adds(data, line, text):
    files = FakeFiles()
    files.write("/workspace/t", data)
    result = Editor(files).insert("t", line, text)
    after = files.read("/workspace/t")
    if not result.ok:
        assert after == data
        return
    at = len(after) - len(data)
    assert text.encode() in after
    assert any(after[:cut] + after[cut + at :] == data for cut in range(len(data) + 1))
