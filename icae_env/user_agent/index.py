"""A record set prepared for scoring: how well does each record fit a bag of stems?

Scores are sums of inverse document frequencies, taken in the order of the question's words, so that they are equal in
every process whatever its hash seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from icae_env.user_agent.lexicon import neighbours, shapes
from icae_env.user_agent.records import RecordSet
from icae_env.user_agent.words import JOINTS, STOP_WORDS, raw_words, segment, split_camel, stem, symbols


@dataclass(frozen=True)
class Weights:
    """How much each kind of match counts; found on record sets of other projects than the tasks that ship here."""

    response: float = 1.0
    """Of a question word that stands in the response."""
    saturation: float = 0.5
    """BM25's k1: how soon a repeated response word stops adding."""
    phrase: float = 0.7
    """Of words shared with trigger phrases."""
    whole_phrase: float = 0.3
    """Added, per idf, where a trigger phrase of several words occurs whole."""
    whole_word: float = 0.6
    """Added, per idf, where a trigger of one word occurs: a rare one alone is to suffice."""
    least_part: float = 0.3
    """Share of a phrase's idf below which a partial match counts nothing."""
    example: float = 0.8
    """Of the best matching example question."""
    synonym: float = 0.6
    """Factor on a response word that a word of the question may stand for."""
    phrase_synonym: float = 0.6
    """The same for a word of a trigger phrase."""


@dataclass(frozen=True)
class _Phrase:
    record: int
    total: float
    """Sum of the stems' idf."""
    bonus: float
    example: bool


class RecordIndex:
    """The inverted index of one record set. It is built once and never changes."""

    def __init__(self, records: RecordSet, weights: Weights | None = None) -> None:
        self.weights = weights or Weights()
        self.size = len(records.records)
        self._vocabulary = _vocabulary(records)
        responses = [_bag(record.oracle_response) for record in records.records]
        phrases = [
            (number, _stems(text), text in record.examples.all)
            for number, record in enumerate(records.records)
            for text in (*record.trigger_keywords, *record.examples.all)
        ]
        self.idf = _idf(responses, phrases)
        self._response = self._with_synonyms(self._response_postings(responses), self.weights.synonym)
        self._phrases: list[_Phrase] = []
        self._in_phrases: dict[str, list[tuple[int, float]]] = {}
        for number, stems, example in phrases:
            self._add_phrase(number, stems, example)
        self._exact_in_phrases = self._in_phrases
        self._in_phrases = self._with_synonyms(self._in_phrases, self.weights.phrase_synonym)
        self.rarest = _rarity(0, self.size)
        """The weight of a stem that no record has."""

    def terms(self, text: str) -> tuple[str, ...]:
        """Return a question's stems and signs, each once, in the order of first occurrence; shapes are apart."""
        found: dict[str, None] = {}
        for word in raw_words(text):
            if word in STOP_WORDS:
                continue
            # Names such as minwidth are taken apart only when every part is a word of the records.
            parts = (
                segment(word, self._vocabulary) if len(word) > 6 and word not in self._vocabulary else [word]
            )
            for part in parts:
                if part not in STOP_WORDS and (len(part) > 1 or part.isdigit()):
                    found[stem(part)] = None
        found.update(dict.fromkeys(symbols(text)))
        return tuple(found)

    def scores(self, terms: Iterable[str]) -> list[float]:
        """Return every record's score for a question's terms, in record order."""
        totals = [0.0] * self.size
        matched: dict[int, float] = {}
        counts: dict[int, int] = {}
        asked = tuple(terms)
        for term in asked:
            for record, weight in self._response.get(term, ()):
                totals[record] += weight
            for phrase, idf in self._in_phrases.get(term, ()):
                matched[phrase] = matched.get(phrase, 0.0) + idf
                counts[phrase] = counts.get(phrase, 0) + 1
        self._add_phrases(asked, matched, counts, totals)
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
        return frozenset(phrase.record for phrase in whole if not phrase.example)

    def _add_phrases(
        self,
        asked: tuple[str, ...],
        matched: Mapping[int, float],
        counts: Mapping[int, int],
        totals: list[float],
    ) -> None:
        weights = self.weights
        best_example: dict[int, float] = {}
        worth: dict[int, float] = {}
        for number, got in matched.items():
            phrase = self._phrases[number]
            share = min(got / phrase.total, 1.0)
            if share < weights.least_part:
                continue
            value = got * share
            if phrase.example:
                best_example[phrase.record] = max(best_example.get(phrase.record, 0.0), value)
            else:
                worth[number] = (value + (phrase.bonus if share > 1 - 1e-9 else 0.0)) / counts[number]
        # A word that several of a record's phrases share counts once, by the best of them.
        for term in asked:
            best: dict[int, float] = {}
            for number, _ in self._in_phrases.get(term, ()):
                if number in worth:
                    record = self._phrases[number].record
                    best[record] = max(best.get(record, 0.0), worth[number])
            for record, value in best.items():
                totals[record] += weights.phrase * value
        for record, value in best_example.items():
            totals[record] += weights.example * value

    def _response_postings(self, responses: list[dict[str, int]]) -> dict[str, list[tuple[int, float]]]:
        postings: dict[str, list[tuple[int, float]]] = {}
        k1 = self.weights.saturation
        for record, bag in enumerate(responses):
            for term, count in bag.items():
                weight = self.weights.response * self.idf[term] * count * (1 + k1) / (count + k1)
                postings.setdefault(term, []).append((record, weight))
        return postings

    def _with_synonyms(
        self, postings: dict[str, list[tuple[int, float]]], factor: float
    ) -> dict[str, list[tuple[int, float]]]:
        near = neighbours()
        merged: dict[str, dict[int, float]] = {term: dict(items) for term, items in postings.items()}
        for term, items in postings.items():
            for other in near.get(term, ()):
                found = merged.setdefault(other, {})
                for number, weight in items:
                    found[number] = max(found.get(number, 0.0), weight * factor)
        return {term: list(items.items()) for term, items in merged.items()}

    def _add_phrase(self, record: int, stems: tuple[str, ...], example: bool) -> None:
        if not stems:
            return
        total = sum(self.idf[term] for term in stems)
        bonus = total * (self.weights.whole_phrase if len(stems) > 1 else self.weights.whole_word)
        number = len(self._phrases)
        self._phrases.append(_Phrase(record, total, bonus, example))
        for term in stems:
            self._in_phrases.setdefault(term, []).append((number, self.idf[term]))


def _vocabulary(records: RecordSet) -> frozenset[str]:
    texts = (text for item in records.records for text in (*item.trigger_keywords, item.oracle_response))
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


def _idf(
    responses: list[dict[str, int]], phrases: list[tuple[int, tuple[str, ...], bool]]
) -> dict[str, float]:
    per_record = [dict.fromkeys(bag) for bag in responses]
    for number, stems, _ in phrases:
        per_record[number].update(dict.fromkeys(stems))
    frequency: dict[str, int] = {}
    for terms in per_record:
        for term in terms:
            frequency[term] = frequency.get(term, 0) + 1
    return {term: _rarity(count, len(responses)) for term, count in frequency.items()}


def _rarity(count: int, size: int) -> float:
    """Return the idf of a stem that ``count`` of ``size`` records have, in units of one that a single record has.

    So one threshold serves three records as well as twenty.
    """
    unit = math.log(1 + (size - 0.5) / 1.5) if size else 1.0
    return math.log(1 + (size - count + 0.5) / (count + 0.5)) / unit
