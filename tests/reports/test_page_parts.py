"""Parts of the page that need no browser."""

from __future__ import annotations

import random

from hostile import HOSTILE

from icae_env.reports.html.edits import Files
from icae_env.reports.html.packing import pack_all
from icae_env.reports.visible import visible


def test_what_cannot_be_seen_is_made_visible() -> None:
    shown = visible("\n".join(HOSTILE) + "\r\nend\rover")
    assert shown.isprintable() or all(sign.isprintable() or sign in "\n\u2028\u2029" for sign in shown)
    assert "lone \ufffd \ufffd pair" in shown
    assert "\u241b[31mred" in shown
    assert "abc [U+202E]gnp.exe[U+202C]" in shown
    assert shown.endswith("\nend\u240dover")


def test_packing_takes_the_longest_texts_that_fit() -> None:
    asked: list[int] = []

    def build(limit: int) -> dict[str, object]:
        asked.append(limit)
        return {"text": random.Random(0).randbytes(limit).hex()[:limit]}

    small, large = pack_all([lambda: build, lambda: build], 8_000)
    assert small is not None and large is not None
    assert asked[-1] < 20_000
    assert len(small) + len(large) <= 8_000
    assert pack_all([lambda: build], 10) == [None]


def test_differences_follow_the_edits_of_a_file() -> None:
    files = Files()
    create = {"op": "create", "path": "a", "text": "one\ntwo\nthree\n"}
    assert files.edit(create, done=True) == ("+one\n+two\n+three", "the whole file")
    found = files.edit({"op": "replace", "path": "a", "old": "two", "new": "2"}, done=True)
    assert found == ("@ -1,4 +1,4 \n one\n-two\n+2\n three\n ", "in the file")
    assert files.edit({"op": "insert", "path": "a", "line": 1, "text": "x\n"}, done=True) == (
        "+x",
        "after line 1",
    )
    again = files.edit({**create, "text": "one\nx\n2\n"}, done=True)
    assert again is not None
    assert again[0].split("\n")[1:] == [" one", " x", " 2", "-three", " "]
    assert files.edit({"op": "replace", "path": "b", "old": "p", "new": "q"}, done=False) == (
        "@ -1 +1 \n-p\n+q",
        "of the replaced text",
    )
    assert files.edit({"op": "view", "path": "a"}, done=True) is None
