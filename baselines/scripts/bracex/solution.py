"""Unfold brace shorthand into words: reads the cases of a suite and writes one answer per case."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from parts import Choice, Row, Series, Text

ROOT = Path(__file__).resolve().parent
DEFAULT_CEILING = 1000
LOWEST, HIGHEST = -(2**63), 2**63 - 1
NUMBERS = re.compile(r"([-+]?[0-9]+)\.\.([-+]?[0-9]+)(?:\.\.[-+]?([0-9]+))?\}")
LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.[-+]?([0-9]+))?\}")
DIGITS_FIRST = re.compile(r"[-+]?[0-9]")
LETTER_FIRST = re.compile(r"[A-Za-z][.}]")


class TooManyError(Exception):
    """The text stands for more words than the ceiling allows."""


class Reader:
    """Reads one text from left to right; ``at`` is the position of the next character."""

    def __init__(self, text: str, keep_backslashes: bool) -> None:
        self.source, self.keep, self.at, self.word_start = text, keep_backslashes, 0, 0

    def run(self, depth: int = 0, pass_close: bool = False) -> Row:
        """Read to the end of the text or, inside a group, to its next comma or closing brace."""
        row, dollars = Row(), 0
        while self.at < len(self.source):
            char = self.source[self.at]
            if char == "\\":
                row.text(self.escaped())
                continue
            if char == "{":
                self.at += 1
                row.parts.append(self.group(depth + 1))
                continue
            if self.source.startswith("${", self.at):
                row.text("$")
                self.at, char, dollars = self.at + 1, "{", dollars + 1
            elif char == "}" and dollars:
                dollars -= 1
            elif depth and not dollars and (char == "," or (char == "}" and not pass_close)):
                break
            row.text(char)
            self.at += 1
        return row

    def escaped(self) -> str:
        """Read a backslash and the character it protects."""
        pair = self.source[self.at : self.at + 2]
        self.at += len(pair)
        return pair if self.keep or len(pair) == 1 else pair[1]

    def group(self, depth: int) -> Text | Series | Choice | Row:
        """Read what follows an opening brace, as whatever it turns out to be."""
        start = self.at
        series = self.series()
        if series:
            if depth == 1:
                self.word_start = self.at
            return series
        close = self.dotted_close(depth)
        if close is not None:
            return self.failed_range(close, depth)
        if depth == 1 and start == self.word_start + 1 and self.source.startswith("}", start):
            self.at += 1
            return Text("{}")
        return self.members(depth)

    def members(self, depth: int) -> Choice | Row:
        """Read a comma list; without comma or closing brace it is ordinary text around inner groups."""
        slots = [self.run(depth, pass_close=depth == 1)]
        while self.source.startswith(",", self.at):
            self.at += 1
            slots.append(self.run(depth))
        closed = self.at < len(self.source)
        self.at += closed
        if closed and len(slots) > 1:
            if depth == 1:
                self.word_start = self.at
            return Choice(slots)
        row = Row([Text("{"), slots[0]])
        for slot in slots[1:]:
            row.parts += [Text(","), slot]
        row.parts.append(Text("}" if closed else ""))
        return row

    def series(self) -> Series | None:
        """Read a complete range, if that is what stands here."""
        numbers = NUMBERS.match(self.source, self.at)
        found = numbers or LETTERS.match(self.source, self.at)
        if not found:
            return None
        first, last = (int(found[1]), int(found[2])) if numbers else (ord(found[1]), ord(found[2]))
        step = max(1, int(found[3] or 1))
        if not (LOWEST <= first <= HIGHEST and LOWEST <= last <= HIGHEST and step <= HIGHEST):
            return None
        self.at = found.end()
        values = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
        padded = numbers and any(re.match(r"-?0[0-9]", end) for end in found.group(1, 2))
        return Series(values, max(len(found[1]), len(found[2])) if padded else 0, letters=not numbers)

    def dotted_close(self, depth: int) -> int | None:
        """Return where a group with ``..`` but no comma of its own ends; None for any other group."""
        at, nested, dotted = self.at, 0, False
        while at < len(self.source):
            char = self.source[at]
            if char == "\\":
                at += 1
            elif char == "{":
                nested += 1
            elif nested:
                nested -= char == "}"
            elif char == ",":
                return None
            elif char == "}":
                if dotted or depth > 1:
                    return at if dotted else None
            elif self.source.startswith("..", at) and not self.source.startswith("}", at + 2):
                dotted = True
            at += 1
        return None

    def failed_range(self, close: int, depth: int) -> Text | Row:
        """Read a group that has the dots of a range but is none."""
        inside = Reader(self.source[self.at : close + 1], self.keep)
        left, _, right = inside.source.partition("..")
        numbers = DIGITS_FIRST.match(left) and DIGITS_FIRST.match(right)
        letters = LETTER_FIRST.match(left + ".") and LETTER_FIRST.match(right)
        if numbers or letters:
            self.at = close + 1
            pieces = []
            while inside.at < len(inside.source):
                char = inside.source[inside.at]
                pieces.append(inside.escaped() if char == "\\" else char)
                inside.at += char != "\\"
            return Text("{" + "".join(pieces))
        if depth == 1:
            return Text("{")
        self.at = close + 1
        return Row([Text("{"), inside.run()])


def unfold(text: str, options: dict[str, Any]) -> list[str]:
    """Return the words of ``text``; raises TooManyError."""
    row = Reader(text, options.get("keep_backslashes", False)).run()
    ceiling = options.get("max_words", DEFAULT_CEILING)
    if 0 < ceiling < row.size():
        raise TooManyError(f"more than {ceiling} words")
    words = [word for word, kept in row.words() if word or kept]
    return words or [""] * bool(options.get("blank_if_none", False))


def answer(case: dict[str, Any]) -> str:
    """Return the whole output of one case."""
    lines = []
    for text in case["texts"] if case["op"] == "batch" else [case["text"]]:
        try:
            words = unfold(text, case)
            lines.append(str(len(words)) if case["op"] == "count" else json.dumps(words, ensure_ascii=False))
        except TooManyError as error:
            lines.append(f"error: {error}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Answer every case of the suite; one that fails leaves the others alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases-dir", required=True)
    suite = parser.parse_args().cases_dir
    out = ROOT / "rcb_tests" / "stdout" / suite
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted((ROOT / "rcb_tests" / suite).glob("*.json")):
        for index, case in enumerate(json.loads(file.read_text(encoding="utf-8"))["cases"]):
            try:
                text = answer(case["input"])
            except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
                print(f"{file.stem}@{index:03d}: {error!r}", file=sys.stderr)
                continue
            (out / f"{file.stem}@{index:03d}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
