"""Example questions prepared for scoring: the words that askers of one record use, and the example nearest to a question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icae_env.user_agent.lexicon import Postings, with_synonyms

Floats = NDArray[np.float64]
_Rows = dict[str, dict[int, float]]


@dataclass(frozen=True)
class Block:
    """Examples of one kind."""

    examples: tuple[tuple[tuple[str, ...], ...], ...]
    """For each record its examples, each as distinct stems and signs."""
    idf: Mapping[str, float]
    """Weight of a stem by the share of records whose examples have it."""
    bag: float
    """Factor on the words that any of a record's examples have."""
    nearest: float
    """Factor on the example that shares most with the question."""


class ExampleIndex:
    """The index of the example questions of a record set.

    Each stem has a sparse row of numbers: what it adds to each record, then what it adds to each example. Rows are added up
    in the order of a text's terms, number by number, so that sums are the same in every process.

    Args:
        blocks: The examples of each kind, all for the same records.
        synonym: Factor on a block's ``bag`` for a word that a word of the question may stand for.
    """

    def __init__(self, *blocks: Block, synonym: float) -> None:
        self._size = self._width = len(blocks[0].examples)
        starts: list[int] = []
        self._parts: list[tuple[int, int, NDArray[np.int64]]] = []
        rows: _Rows = {}
        for block in blocks:
            kept = [
                (record, terms) for record, items in enumerate(block.examples) for terms in items if terms
            ]
            _fill(rows, kept, block, synonym, self._width)
            owners = [record for record, _ in kept]
            records = sorted(set(owners))
            self._parts.append((len(starts), len(starts) + len(records), np.array(records, np.int64)))
            # Where each record's examples begin.
            starts += [self._width - self._size + owners.index(record) for record in records]
            self._width += len(kept)
        self._starts = np.array(starts, np.int64)
        self._columns = {term: np.fromiter(row.keys(), np.int64, len(row)) for term, row in rows.items()}
        self._numbers = {term: np.fromiter(row.values(), np.float64, len(row)) for term, row in rows.items()}

    def scores(self, texts: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return, for each text, given by its terms, what each record's examples have in common with it."""
        found = self._sums(texts)
        if found is None:
            return [[0.0] * self._size for _ in texts]
        totals, shared = found[:, : self._size], found[:, self._size :]
        # Each example's column is squared: what is shared, times its share of the example.
        best = np.maximum.reduceat(shared * shared, self._starts, axis=1)
        for first, end, records in self._parts:
            if len(records) == self._size:
                totals += best[:, first:end]
            elif len(records):
                totals[:, records] += best[:, first:end]
        scores: list[list[float]] = totals.tolist()
        return scores

    def _sums(self, texts: Sequence[Sequence[str]]) -> Floats | None:
        """Return one row for each text, the sum of its terms' rows; None where no text has a term with a row."""
        known = [[term for term in terms if term in self._columns] for terms in texts]
        flat = [term for terms in known for term in terms]
        if not flat:
            return None
        columns = np.concatenate([self._columns[term] for term in flat])
        if len(texts) > 1:
            lengths = [sum([len(self._columns[term]) for term in terms]) for terms in known]
            columns += np.repeat(np.arange(len(texts)) * self._width, lengths)
        numbers = np.concatenate([self._numbers[term] for term in flat])
        found: Floats = np.bincount(columns, numbers, len(texts) * self._width).astype(np.float64, copy=False)
        return found.reshape(len(texts), self._width)


_Kept = list[tuple[int, tuple[str, ...]]]
"""Number of a record and the terms of one of its examples."""


def _fill(rows: _Rows, kept: _Kept, block: Block, synonym: float, start: int) -> None:
    """Write what terms add to records, and to the examples' columns from ``start`` on."""
    bags = with_synonyms(_bags(kept, block.idf), synonym) if block.bag else {}
    for term, weights in bags.items():
        row = rows.setdefault(term, {})
        for record, weight in weights:
            row[record] = row.get(record, 0.0) + block.bag * weight
    for number, (_, terms) in enumerate(kept):
        root = math.sqrt(block.nearest / sum(block.idf[term] for term in terms))
        for term in terms:
            rows.setdefault(term, {})[start + number] = block.idf[term] * root


def _bags(kept: _Kept, idf: Mapping[str, float]) -> Postings:
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
