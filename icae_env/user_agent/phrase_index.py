"""Trigger phrases prepared for scoring: which of them occur in a question, whole or in part?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from icae_env.user_agent.lexicon import Postings, with_synonyms
from icae_env.user_agent.weights import Weights

_NEARLY = 1 - 1e-9
"""Sums of the same weights in another order differ by less."""


class PhraseIndex:
    """The trigger phrases of a record set.

    Args:
        phrases: Number of a record and the stems of one of its phrases.
        idf: Each stem's weight.
        weights: How matches are weighed.
        shares: Factor on what a record's phrases are worth.
    """

    def __init__(
        self,
        phrases: Sequence[tuple[int, tuple[str, ...]]],
        idf: Mapping[str, float],
        weights: Weights,
        shares: Sequence[float],
    ) -> None:
        kept = [(record, stems) for record, stems in phrases if stems]
        self._records = [record for record, _ in kept]
        self._factors = [weights.phrase * share for share in shares]
        self._exact: Postings = {}
        self._totals, self._bonuses, self._leasts = [], [], []
        for number, (_, stems) in enumerate(kept):
            total = sum(idf[term] for term in stems)
            self._totals.append(total)
            self._bonuses.append(total * (weights.whole_phrase if len(stems) > 1 else weights.whole_word))
            self._leasts.append(total * weights.least_part)
            for term in stems:
                self._exact.setdefault(term, []).append((number, idf[term]))
        self._wholes = [total * _NEARLY for total in self._totals]
        self._postings = with_synonyms(self._exact, weights.phrase_synonym)
        self._by_record = {term: self._grouped(items) for term, items in self._postings.items()}

    def add(self, terms: Iterable[str], totals: list[float]) -> None:
        """Add to each record's score what its phrases are worth.

        A word that several of a record's phrases share counts once, by the best of them.

        Args:
            terms: The terms of a text.
            totals: The scores to add to, in record order.
        """
        held = [term for term in terms if term in self._postings]
        got, counts = [0.0] * len(self._records), [0] * len(self._records)
        touched: list[int] = []
        for term in held:
            for number, weight in self._postings[term]:
                if not counts[number]:
                    touched.append(number)
                got[number] += weight
                counts[number] += 1
        self._weigh(touched, got, counts)
        factors = self._factors
        for term in held:
            for record, number, others in self._by_record[term]:
                best = max(got[number], *[got[other] for other in others]) if others else got[number]
                totals[record] += factors[record] * best

    def whole(self, terms: Iterable[str]) -> frozenset[int]:
        """Return the numbers of the records of which a phrase occurs whole, without synonyms."""
        matched: dict[int, float] = {}
        for term in terms:
            for number, weight in self._exact.get(term, ()):
                matched[number] = matched.get(number, 0.0) + weight
        return frozenset(
            self._records[number] for number, got in matched.items() if got >= self._wholes[number]
        )

    def _weigh(self, touched: list[int], got: list[float], counts: list[int]) -> None:
        """Put in place of what a text has of each phrase what this is worth for each of the words.

        Args:
            touched: The phrases of which the text has a word.
            got: For each phrase the weight of its words that the text has.
            counts: How many these are.
        """
        totals, leasts, wholes, bonuses = self._totals, self._leasts, self._wholes, self._bonuses
        for number in touched:
            shared = got[number]
            if shared < leasts[number]:
                got[number] = 0.0
            elif shared < wholes[number]:
                # A share of the phrase, times what is shared.
                got[number] = shared * shared / (totals[number] * counts[number])
            else:
                got[number] = (shared + bonuses[number]) / counts[number]

    def _grouped(self, items: list[tuple[int, float]]) -> list[tuple[int, int, tuple[int, ...]]]:
        """Return the records of which a term's phrases are, each with its first and its other ones."""
        groups: dict[int, list[int]] = {}
        for number, _ in items:
            groups.setdefault(self._records[number], []).append(number)
        return [(record, first, tuple(others)) for record, (first, *others) in groups.items()]
