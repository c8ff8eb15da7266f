"""The differences that edits made, as far as the trajectory tells what was there before."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

_CONTEXT = 3
_LONGEST = 2_000
"""Lines of a text that is compared line by line; longer ones would take seconds."""


class Files:
    """What files hold as edits alone tell it: commands may have changed them meanwhile, which no trajectory says."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def edit(self, action: Mapping[str, Any], done: bool) -> tuple[str, str] | None:
        """Take note of an edit and return its difference.

        Args:
            action: Its fields.
            done: Whether it was carried out.

        Returns:
            The lines of the difference, each behind its sign (space, +, - or @), and what it is against; None for a view.
        """
        op, path = action.get("op"), str(action.get("path", ""))
        if op == "create":
            return self._create(path, str(action.get("text") or ""), done)
        if op == "replace":
            return self._replace(path, str(action.get("old") or ""), str(action.get("new") or ""), done)
        if op == "insert":
            return self._insert(path, int(action.get("line") or 0), str(action.get("text") or ""), done)
        return None

    def _create(self, path: str, text: str, done: bool) -> tuple[str, str]:
        before = self._texts.get(path)
        if done:
            self._texts[path] = text
        if before is None:
            return _signed("+", text), "the whole file"
        return difference(before, text), "against what the last edit left"

    def _replace(self, path: str, old: str, new: str, done: bool) -> tuple[str, str]:
        before = self._texts.get(path)
        if before is None or before.count(old) != 1:
            return difference(old, new), "of the replaced text"
        after = before.replace(old, new)
        if done:
            self._texts[path] = after
        return difference(before, after), "in the file"

    def _insert(self, path: str, line: int, text: str, done: bool) -> tuple[str, str]:
        before = self._texts.get(path)
        if before is not None and done:
            lines = before.splitlines(keepends=True)
            end = "" if not text or text.endswith("\n") else "\n"
            self._texts[path] = "".join([*lines[:line], text, end, *lines[line:]])
        return _signed("+", text), f"after line {line}"


def difference(before: str, after: str) -> str:
    """Return the unified difference of two texts, each line behind its sign."""
    old, new = before.split("\n"), after.split("\n")
    if max(len(old), len(new)) > _LONGEST:
        return "@ too long to compare line by line\n" + _signed("-", before) + "\n" + _signed("+", after)
    return "\n".join(_lines(difflib.unified_diff(old, new, n=_CONTEXT, lineterm="")))


def _lines(found: Iterable[str]) -> Iterable[str]:
    for number, line in enumerate(found):
        if number < 2:  # the two names
            continue
        yield "@" + line.strip("@") if line.startswith("@@") else line


def _signed(sign: str, text: str) -> str:
    return "\n".join(sign + line for line in text.removesuffix("\n").split("\n"))
