"""A record set prepared for scoring: how well does each record fit a bag of stems?

Scores are sums of inverse document frequencies, taken in the order of the question's words, so that they are equal in
every process whatever its hash seed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from icae_env.user_agent.example_index import Block, ExampleIndex
from icae_env.user_agent.lexicon import Postings, shapes, with_synonyms
from icae_env.user_agent.phrase_index import PhraseIndex
from icae_env.user_agent.records import RecordSet
from icae_env.user_agent.weights import FULL, Weights
from icae_env.user_agent.words import JOINTS, STOP_WORDS, raw_words, segment, split_camel, stem, symbols

_CODE = re.compile(r"`([^`\n]+)`")


class RecordIndex:
    """The inverted index of one record set. It is built once and never changes."""

    def __init__(self, records: RecordSet, weights: Weights | None = None) -> None:
        self.weights = weights = weights or Weights()
        self.size = len(records.records)
        self._stop_words = STOP_WORDS - _named(records)
        self._vocabulary = _vocabulary(records)
        responses = [self._bag(record.oracle_response) for record in records.records]
        phrases = [
            (number, self._stems(text))
            for number, record in enumerate(records.records)
            for text in record.trigger_keywords
        ]
        self.idf = _idf([(number, tuple(bag)) for number, bag in enumerate(responses)] + phrases, self.size)
        self.rarest = _rarity(0, self.size)
        """The weight of a stem that no record has."""
        full = [min(1.0, len(record.examples.all) / FULL) for record in records.records]
        self.described = sum(full) / len(full) if full else 0.0
        """How well the records are described by examples, from 0 to 1."""
        rest = [1 - (1 - weights.beside_examples) * share for share in full]
        self._response = with_synonyms(self._response_postings(responses, rest), weights.synonym)
        self._phrases = PhraseIndex(phrases, self.idf, weights, rest)
        inputs = [records.inputs.get(name, ()) for name in records.ids]
        self._examples = ExampleIndex(
            self._block(
                [record.examples.all for record in records.records], weights.examples, weights.example
            ),
            self._block(inputs, 0.0, weights.input),
            synonym=weights.example_synonym,
        )

    def terms(self, text: str, *, without: frozenset[str] | None = None) -> tuple[str, ...]:
        """Return a question's stems and signs, each once, in the order of first occurrence; shapes are apart.

        Args:
            text: A question, or a part of one.
            without: Words that are left out; by default those that are never looked at.
        """
        without = self._stop_words if without is None else without
        found: dict[str, None] = {}
        for word in raw_words(text):
            if word in without:
                continue
            if len(word) <= 6 or word in self._vocabulary:
                found[stem(word)] = None
                continue
            # Names such as minwidth are taken apart only when every part is a word of the records.
            parts = (part for part in segment(word, self._vocabulary) if part not in without)
            found.update((stem(part), None) for part in parts)
        found.update(dict.fromkeys(symbols(text)))
        return tuple(found)

    def scores(self, texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return for each text, given by its terms, every record's score in record order."""
        scores = self._examples.scores(texts)
        for terms, totals in zip(texts, scores, strict=True):
            for term in terms:
                for record, weight in self._response.get(term, ()):
                    totals[record] += weight
            self._phrases.add(terms, totals)
        return scores

    def whole_phrases(self, terms: Iterable[str]) -> frozenset[int]:
        """Return the numbers of the records of which a trigger phrase occurs whole."""
        return self._phrases.whole(terms)

    def _response_postings(self, responses: list[dict[str, int]], shares: Sequence[float]) -> Postings:
        postings: Postings = {}
        k1 = self.weights.saturation
        for record, bag in enumerate(responses):
            for term, count in bag.items():
                weight = self.weights.response * self.idf[term] * count * (1 + k1) / (count + k1)
                postings.setdefault(term, []).append((record, shares[record] * weight))
        return postings

    def _block(self, texts: Sequence[tuple[str, ...]], bag: float, nearest: float) -> Block:
        examples = tuple(tuple(self._stems(text) for text in items) for items in texts)
        # Of the examples alone: a word that few triggers have may be in many askers' mouths.
        idf = _example_idf(
            [(number, terms) for number, items in enumerate(examples) for terms in items], self.size
        )
        return Block(examples, idf, bag, nearest)

    def _bag(self, text: str) -> dict[str, int]:
        bag: dict[str, int] = {}
        for word in raw_words(split_camel(text)):
            if word not in self._stop_words:
                bag[stem(word)] = bag.get(stem(word), 0) + 1
        for sign in (*symbols(text), *shapes(text.casefold())):
            bag[sign] = bag.get(sign, 0) + 1
        return bag

    def _stems(self, text: str) -> tuple[str, ...]:
        # A trigger that is nothing but function words ("or", "not") is still a trigger.
        return tuple(self._bag(text)) or tuple(dict.fromkeys(stem(word) for word in raw_words(text)))


def _named(records: RecordSet) -> frozenset[str]:
    """Return the words that stand alone as code in a response or the signature, such as a field named `from`."""
    texts = (records.signature, *(record.oracle_response for record in records.records))
    words = (raw_words(code) for text in texts for code in _CODE.findall(text))
    return frozenset(found[0] for found in words if len(found) == 1 and len(found[0]) > 1)


def _vocabulary(records: RecordSet) -> frozenset[str]:
    texts = (
        text
        for item in records.records
        for text in (*item.trigger_keywords, item.oracle_response, *item.examples.all)
    )
    words = (word for text in texts for word in raw_words(split_camel(text)))
    return frozenset(word for word in words if len(word) > 2) | JOINTS


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


def _example_idf(texts: list[tuple[int, tuple[str, ...]]], size: int) -> dict[str, float]:
    """Return each stem's weight by how evenly the examples of ``size`` records use it.

    With many examples a record, most words occur somewhere in most records. So a record counts only as much as it uses the
    stem in comparison with the record that uses it most.

    Args:
        texts: Number of a record and the stems of one of its examples.
        size: How many records there are.
    """
    counts: dict[str, dict[int, int]] = {}
    for number, terms in texts:
        for term in terms:
            owners = counts.setdefault(term, {})
            owners[number] = owners.get(number, 0) + 1
    return {
        term: _rarity(sum(owners.values()) / max(owners.values()), size) for term, owners in counts.items()
    }


def _rarity(count: float, size: int) -> float:
    """Return the idf of a stem that ``count`` of ``size`` records have, in units of one that a single record has.

    So one threshold serves three records as well as twenty.
    """
    unit = math.log(1 + (size - 0.5) / 1.5) if size else 1.0
    return math.log(1 + (size - count + 0.5) / (count + 0.5)) / unit
