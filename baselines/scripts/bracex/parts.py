"""What a text of shorthand is made of: every part knows how many words it stands for, and yields them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

Word = tuple[str, bool]
"""A word and whether it is kept even when it is blank (the gap in a letter range)."""


@dataclass
class Text:
    """Ordinary characters."""

    text: str

    def size(self) -> int:
        """Return the number of words this stands for."""
        return 1

    def words(self) -> Iterator[Word]:
        """Yield the words this stands for."""
        yield self.text, False


@dataclass
class Series:
    """A range: the code points or numbers, not written out before their count is known to be allowed."""

    values: range
    width: int = 0
    letters: bool = False

    def size(self) -> int:
        """Return the number of steps, without materialising them."""
        first, last, step = self.values[0], self.values[-1], abs(self.values.step)
        return abs(last - first) // step + 1

    def words(self) -> Iterator[Word]:
        """Yield the letters or the padded numbers."""
        for value in self.values:
            if self.letters:
                yield ("", True) if value == ord("\\") else (chr(value), False)
            else:
                yield f"{value:0{self.width}d}" if self.width else str(value), False


@dataclass
class Row:
    """Parts that stand beside each other: every combination is a word, the leftmost part changes slowest."""

    parts: list[Text | Series | Choice | Row] = field(default_factory=list)

    def text(self, piece: str) -> None:
        """Append ordinary characters."""
        if self.parts and isinstance(self.parts[-1], Text):
            self.parts[-1].text += piece
        else:
            self.parts.append(Text(piece))

    def size(self) -> int:
        """Return the number of combinations."""
        result = 1
        for part in self.parts:
            result *= part.size()
        return result

    def words(self) -> Iterator[Word]:
        """Yield all combinations."""
        for picked in product(*(list(part.words()) for part in self.parts)):
            yield "".join(word for word, _ in picked), any(kept for _, kept in picked)


@dataclass
class Choice:
    """The members of a comma list, one after another."""

    members: list[Row]

    def size(self) -> int:
        """Return the number of words of all members together."""
        return sum(member.size() for member in self.members)

    def words(self) -> Iterator[Word]:
        """Yield the words of all members."""
        for member in self.members:
            yield from member.words()
