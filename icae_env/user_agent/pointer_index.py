"""Vague references prepared for comparison: which of them does a question speak of?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icae_env.user_agent.index import RecordIndex
from icae_env.user_agent.lexicon import neighbours
from icae_env.user_agent.records import Pointer
from icae_env.user_agent.weights import Thresholds
from icae_env.user_agent.words import COMMON_WORDS, raw_words, split_camel

VERBATIM = 4
"""Words of a reference in a row that tell it has been quoted; a shorter one must be quoted whole."""


@dataclass(frozen=True)
class _Reference:
    weights: dict[str, float]
    """Each stem's weight."""
    synonyms: dict[str, tuple[str, ...]]
    total: float
    meaning: frozenset[str]
    """Stems of what it stands for, without its own."""
    quotes: tuple[str, ...]
    """Runs of words that count as a quotation."""


class PointerIndex:
    """Find the vague references that a question speaks of, by quotation or by their words.

    Args:
        pointers: The references and what they stand for.
        index: Where words get their weights from.
        thresholds: How much of a reference must be named.
    """

    def __init__(self, pointers: Sequence[Pointer], index: RecordIndex, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self._references = [_reference(pointer, index) for pointer in pointers]
        # By each word that tells of a reference; one without any can only be quoted.
        self._by_word: dict[str, set[int]] = {}
        self._wordless = [number for number, found in enumerate(self._references) if not found.weights]
        for number, found in enumerate(self._references):
            for word in found.weights:
                for other in (word, *found.synonyms[word]):
                    self._by_word.setdefault(other, set()).add(number)

    def touched(self, words: Sequence[str], terms: Sequence[str]) -> tuple[int, ...]:
        """Return the numbers of the references that are asked about, best first.

        Args:
            words: All words of the message.
            terms: Its stems.
        """
        near = set(self._wordless).union(*(self._by_word[term] for term in terms if term in self._by_word))
        if not near:
            return ()
        asked, said = frozenset(terms), f" {' '.join(words)} "
        shares: dict[int, float] = {}
        limits = self._thresholds
        for number in sorted(near):
            reference = self._references[number]
            quoted = any(quote in said for quote in reference.quotes)
            share = 1.0 if quoted else self._share(reference, asked)
            least = limits.pointer if reference.meaning.isdisjoint(asked) else limits.pointer_with_meaning
            if share >= least:
                shares[number] = share
        return tuple(sorted(shares, key=lambda number: (-shares[number], number)))

    def _share(self, reference: _Reference, asked: frozenset[str]) -> float:
        got = 0.0
        for word, weight in reference.weights.items():
            if word in asked:
                got += weight
            elif not asked.isdisjoint(reference.synonyms[word]):
                got += weight * self._thresholds.pointer_synonym
        return got / reference.total if reference.total else 0.0


def _reference(pointer: Pointer, index: RecordIndex) -> _Reference:
    words = index.terms(split_camel(pointer.vague_reference), without=COMMON_WORDS)
    weights = {word: index.idf.get(word, index.rarest) for word in words}
    meant = index.terms(split_camel(pointer.actual_meaning), without=COMMON_WORDS)
    plain = raw_words(pointer.vague_reference)
    length = min(VERBATIM, len(plain))
    runs = [plain[start : start + length] for start in range(len(plain) - length + 1)] if plain else []
    near = neighbours()
    return _Reference(
        weights=weights,
        synonyms={word: near.get(word, ()) for word in words},
        total=sum(weights.values()),
        meaning=frozenset(meant) - frozenset(words),
        quotes=tuple(f" {' '.join(run)} " for run in runs),
    )
