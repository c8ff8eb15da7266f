"""Example questions prepared for scoring: the words that askers of one record use, and the example nearest to a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


class ExampleIndex:
    """The inverted index of the example questions of a record set.

    Args:
        examples: For each record its examples, each as distinct stems and signs.
        idf: Weight of a stem by the share of records whose examples have it.
        bag: Factor on the words that any of a record's examples have.
        nearest: Factor on the example that shares most with the question.
    """

    def __init__(
        self,
        examples: Sequence[Sequence[tuple[str, ...]]],
        idf: Mapping[str, float],
        *,
        bag: float,
        nearest: float,
    ) -> None:
        self._owners: list[int] = []
        self._sizes: list[float] = []
        self._in_examples: dict[str, list[tuple[int, float]]] = {}
        self._bags: dict[str, list[tuple[int, float]]] = {}
        self._nearest = nearest
        for record, questions in enumerate(examples):
            counts: dict[str, int] = {}
            for terms in questions:
                self._add(record, terms, idf)
                for term in terms:
                    counts[term] = counts.get(term, 0) + 1
            for term, count in counts.items():
                self._bags.setdefault(term, []).append((record, bag * idf[term] * count / (count + 1)))

    def add(self, terms: Iterable[str], totals: list[float]) -> None:
        """Add to each record's score what its examples have in common with a question's terms."""
        if not self._owners:
            return
        shared: dict[int, float] = {}
        for term in terms:
            for record, weight in self._bags.get(term, ()):
                totals[record] += weight
            for number, weight in self._in_examples.get(term, ()):
                shared[number] = shared.get(number, 0.0) + weight
        best: dict[int, float] = {}
        for number, got in shared.items():
            value = got * got / self._sizes[number]
            if value > best.get(self._owners[number], 0.0):
                best[self._owners[number]] = value
        for record, value in best.items():
            totals[record] += self._nearest * value

    def _add(self, record: int, terms: tuple[str, ...], idf: Mapping[str, float]) -> None:
        size = sum(idf[term] for term in terms)
        if not size:
            return
        for term in terms:
            self._in_examples.setdefault(term, []).append((len(self._owners), idf[term]))
        self._owners.append(record)
        self._sizes.append(size)
