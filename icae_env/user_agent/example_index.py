"""Example questions prepared for scoring: the words that askers of one record use, and the example nearest to a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from icae_env.user_agent.lexicon import Postings, with_synonyms

Row = NDArray[np.float64]


class ExampleIndex:
    """The index of the example questions of a record set: one row of numbers for each stem.

    A row holds what the stem adds to each record, then what it adds to each example. Rows are added up in the order of the
    question's terms, number by number, so that sums are the same in every process.

    Args:
        examples: For each record its examples, each as distinct stems and signs.
        idf: Weight of a stem by the share of records whose examples have it.
        bag: Factor on the words that any of a record's examples have.
        nearest: Factor on the example that shares most with the question.
        synonym: Factor on ``bag`` for a word that a word of the question may stand for.
    """

    def __init__(
        self,
        examples: Sequence[Sequence[tuple[str, ...]]],
        idf: Mapping[str, float],
        *,
        bag: float,
        nearest: float,
        synonym: float,
    ) -> None:
        kept = [(record, terms) for record, items in enumerate(examples) for terms in items if terms]
        self._size = len(examples)
        self._rows: dict[str, Row] = {}
        for term, weights in with_synonyms(_bags(kept, idf), synonym).items() if bag else ():
            for record, weight in weights:
                self._row(term, len(kept))[record] = bag * weight
        for number, (_, terms) in enumerate(kept):
            for term in terms:
                self._row(term, len(kept))[self._size + number] = idf[term]
        owners = [record for record, _ in kept]
        self._owners = sorted(set(owners))
        # Where each record's examples begin.
        self._starts = [owners.index(record) for record in self._owners]
        self._factors = np.array([nearest / sum(idf[term] for term in terms) for _, terms in kept])

    def add(self, terms: Iterable[str], totals: list[float]) -> None:
        """Add to each record's score what its examples have in common with a question's terms."""
        rows = [self._rows[term] for term in terms if term in self._rows]
        if not rows:
            return
        found = rows[0].copy()
        for row in rows[1:]:
            found += row
        values, shared = found[: self._size], found[self._size :]
        # What is shared, times its share of the example.
        values[self._owners] += np.maximum.reduceat(shared * shared * self._factors, self._starts)
        for record, value in enumerate(values.tolist()):
            totals[record] += value

    def _row(self, term: str, examples: int) -> Row:
        if term not in self._rows:
            self._rows[term] = np.zeros(self._size + examples)
        return self._rows[term]


def _bags(kept: Sequence[tuple[int, tuple[str, ...]]], idf: Mapping[str, float]) -> Postings:
    """Return for each stem the records that use it in examples, weighed by in how many of them."""
    counts: dict[str, dict[int, int]] = {}
    for record, terms in kept:
        for term in terms:
            owners = counts.setdefault(term, {})
            owners[record] = owners.get(record, 0) + 1
    return {
        term: [(record, idf[term] * count / (count + 1)) for record, count in owners.items()]
        for term, owners in counts.items()
    }
