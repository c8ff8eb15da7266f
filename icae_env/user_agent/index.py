"""A record set prepared for scoring: how well does each record fit a bag of stems?

Scores are sums of inverse document frequencies, taken in the order of the question's words, so that they are equal in
every process whatever its hash seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from icae_env.user_agent.example_index import ExampleIndex
from icae_env.user_agent.lexicon import shapes, with_synonyms
from icae_env.user_agent.records import RecordSet
from icae_env.user_agent.weights import FULL, Weights
from icae_env.user_agent.words import JOINTS, STOP_WORDS, raw_words, segment, split_camel, stem, symbols


@dataclass(frozen=True)
class _Phrase:
    record: int
    total: float
    """Sum of the stems' idf."""
    bonus: float


class RecordIndex:
    """The inverted index of one record set. It is built once and never changes."""

    def __init__(self, records: RecordSet, weights: Weights | None = None) -> None:
        self.weights = weights or Weights()
        self.size = len(records.records)
        self._vocabulary = _vocabulary(records)
        responses = [_bag(record.oracle_response) for record in records.records]
        phrases = [
            (number, _stems(text))
            for number, record in enumerate(records.records)
            for text in record.trigger_keywords
        ]
        self.idf = _idf([(number, tuple(bag)) for number, bag in enumerate(responses)] + phrases, self.size)
        self._response = with_synonyms(self._response_postings(responses), self.weights.synonym)
        self._phrases: list[_Phrase] = []
        self._exact_in_phrases: dict[str, list[tuple[int, float]]] = {}
        for number, stems in phrases:
            self._add_phrase(number, stems)
        self._in_phrases = with_synonyms(self._exact_in_phrases, self.weights.phrase_synonym)
        weights = self.weights
        full = [min(1.0, len(record.examples.all) / FULL) for record in records.records]
        self.described = sum(full) / len(full) if full else 0.0
        """How well the records are described by examples, from 0 to 1."""
        self._share_of_rest = [1 - (1 - weights.beside_examples) * share for share in full]
        self._examples = self._index_examples(
            [record.examples.all for record in records.records], weights.examples, weights.example
        )
        self._inputs = self._index_examples(
            [records.inputs.get(name, ()) for name in records.ids], 0.0, weights.input
        )
        self.rarest = _rarity(0, self.size)
        """The weight of a stem that no record has."""

    def terms(self, text: str, *, without: frozenset[str] = STOP_WORDS) -> tuple[str, ...]:
        """Return a question's stems and signs, each once, in the order of first occurrence; shapes are apart.

        Args:
            text: A question, or a part of one.
            without: Words that are left out.
        """
        found: dict[str, None] = {}
        for word in raw_words(text):
            if word in without:
                continue
            # Names such as minwidth are taken apart only when every part is a word of the records.
            parts = (
                segment(word, self._vocabulary) if len(word) > 6 and word not in self._vocabulary else [word]
            )
            for part in parts:
                if part not in without and (len(part) > 1 or part.isdigit()):
                    found[stem(part)] = None
        found.update(dict.fromkeys(symbols(text)))
        return tuple(found)

    def scores(self, terms: Iterable[str]) -> list[float]:
        """Return every record's score for a question's terms, in record order."""
        asked = tuple(terms)
        totals = [0.0] * self.size
        found: dict[int, list[float]] = {}
        for term in asked:
            for record, weight in self._response.get(term, ()):
                totals[record] += weight
            for phrase, idf in self._in_phrases.get(term, ()):
                if phrase in found:
                    got = found[phrase]
                    got[0] += idf
                    got[1] += 1
                else:
                    found[phrase] = [idf, 1]
        self._add_phrases(asked, found, totals)
        totals = [total * share for total, share in zip(totals, self._share_of_rest, strict=True)]
        self._examples.add(asked, totals)
        self._inputs.add(asked, totals)
        return totals

    def whole_phrases(self, terms: Iterable[str]) -> frozenset[int]:
        """Return the numbers of the records of which a trigger phrase occurs whole."""
        matched: dict[int, float] = {}
        for term in terms:
            for phrase, idf in self._exact_in_phrases.get(term, ()):
                matched[phrase] = matched.get(phrase, 0.0) + idf
        whole = (
            self._phrases[number]
            for number, got in matched.items()
            if got >= self._phrases[number].total - 1e-9
        )
        return frozenset(phrase.record for phrase in whole)

    def _add_phrases(
        self, asked: tuple[str, ...], found: Mapping[int, list[float]], totals: list[float]
    ) -> None:
        """Add what trigger phrases are worth.

        Args:
            asked: The question's terms.
            found: For each phrase of which a part occurs, the idf of that part and how many terms it has.
            totals: The scores to add to.
        """
        least = self.weights.least_part
        worth: dict[int, float] = {}
        for number, (got, count) in found.items():
            phrase = self._phrases[number]
            share = got / phrase.total
            if share >= 1 - 1e-9:
                worth[number] = (got + phrase.bonus) / count
            elif share >= least:
                worth[number] = got * share / count
        # A word that several of a record's phrases share counts once, by the best of them.
        factor = self.weights.phrase
        for term in asked:
            best: dict[int, float] = {}
            for number, _ in self._in_phrases.get(term, ()):
                value = worth.get(number, 0.0)
                if value:
                    record = self._phrases[number].record
                    if value > best.get(record, 0.0):
                        best[record] = value
            for record, value in best.items():
                totals[record] += factor * value

    def _response_postings(self, responses: list[dict[str, int]]) -> dict[str, list[tuple[int, float]]]:
        postings: dict[str, list[tuple[int, float]]] = {}
        k1 = self.weights.saturation
        for record, bag in enumerate(responses):
            for term, count in bag.items():
                weight = self.weights.response * self.idf[term] * count * (1 + k1) / (count + k1)
                postings.setdefault(term, []).append((record, weight))
        return postings

    def _add_phrase(self, record: int, stems: tuple[str, ...]) -> None:
        if not stems:
            return
        total = sum(self.idf[term] for term in stems)
        bonus = total * (self.weights.whole_phrase if len(stems) > 1 else self.weights.whole_word)
        number = len(self._phrases)
        self._phrases.append(_Phrase(record, total, bonus))
        for term in stems:
            self._exact_in_phrases.setdefault(term, []).append((number, self.idf[term]))

    def _index_examples(self, texts: Sequence[tuple[str, ...]], bag: float, nearest: float) -> ExampleIndex:
        examples = [[_stems(text) for text in items] for items in texts]
        # Of the examples alone: a word that few triggers have may be in many askers' mouths.
        idf = _idf([(number, terms) for number, items in enumerate(examples) for terms in items], self.size)
        return ExampleIndex(examples, idf, bag=bag, nearest=nearest, synonym=self.weights.example_synonym)


def _vocabulary(records: RecordSet) -> frozenset[str]:
    texts = (
        text
        for item in records.records
        for text in (*item.trigger_keywords, item.oracle_response, *item.examples.all)
    )
    words = (word for text in texts for word in raw_words(split_camel(text)))
    return frozenset(word for word in words if len(word) > 2) | JOINTS


def _bag(text: str) -> dict[str, int]:
    bag: dict[str, int] = {}
    for word in raw_words(split_camel(text)):
        if word not in STOP_WORDS and (len(word) > 1 or word.isdigit()):
            bag[stem(word)] = bag.get(stem(word), 0) + 1
    for sign in symbols(text):
        bag[sign] = bag.get(sign, 0) + 1
    for shape in shapes(text.casefold()):
        bag[shape] = bag.get(shape, 0) + 1
    return bag


def _stems(text: str) -> tuple[str, ...]:
    # A trigger that is nothing but function words ("or", "not") is still a trigger.
    return tuple(_bag(text)) or tuple(dict.fromkeys(stem(word) for word in raw_words(text)))


def _idf(texts: list[tuple[int, tuple[str, ...]]], size: int) -> dict[str, float]:
    """Return each stem's weight by how many of ``size`` records have it.

    Args:
        texts: Number of a record and the stems of one of its texts.
        size: How many records there are.
    """
    owners: dict[str, set[int]] = {}
    for number, terms in texts:
        for term in terms:
            owners.setdefault(term, set()).add(number)
    return {term: _rarity(len(found), size) for term, found in owners.items()}


def _rarity(count: int, size: int) -> float:
    """Return the idf of a stem that ``count`` of ``size`` records have, in units of one that a single record has.

    So one threshold serves three records as well as twenty.
    """
    unit = math.log(1 + (size - 0.5) / 1.5) if size else 1.0
    return math.log(1 + (size - count + 0.5) / (count + 0.5)) / unit
