"""Patterns that are only tried on texts with certain words, so that all other texts are judged quickly."""

from __future__ import annotations

import re
from collections.abc import Iterable


class CuedPatterns:
    """Several patterns, each with words of which a text that it matches has at least one.

    Args:
        patterns: The cues of each pattern, separated by white space, and its alternatives.
    """

    def __init__(self, *patterns: tuple[str, *tuple[str, ...]]) -> None:
        self._by_cue: dict[str, tuple[re.Pattern[str], ...]] = {}
        for cues, *alternatives in patterns:
            pattern = re.compile("|".join(alternatives))
            for cue in cues.split():
                self._by_cue[cue] = (*self._by_cue.get(cue, ()), pattern)

    def match(self, folded: str, words: Iterable[str]) -> bool:
        """Return whether a pattern occurs in a text.

        Args:
            folded: The casefolded text.
            words: Its words.
        """
        tried: list[re.Pattern[str]] = []
        for word in words:
            for pattern in self._by_cue.get(word, ()):
                if pattern not in tried:
                    if pattern.search(folded):
                        return True
                    tried.append(pattern)
        return False
