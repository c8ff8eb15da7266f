"""Which records does a question touch? A router answers with ids and scores, never with text.

``KeywordRouter`` is the default. Any other (by sentence embeddings, by a language model) takes its place by the same
protocol and can do no more than choose: replies are built elsewhere, from stored text only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from icae_env.user_agent.index import RecordIndex
from icae_env.user_agent.intents import asks_for_interface, is_about_nothing, is_closed
from icae_env.user_agent.lexicon import shapes
from icae_env.user_agent.pointer_index import PointerIndex
from icae_env.user_agent.records import RecordSet
from icae_env.user_agent.weights import Thresholds, Weights
from icae_env.user_agent.words import raw_words

RoutingKind = Literal["records", "pointer", "signature", "fallback", "vague", "refused"]
"""What a question is answered with first; a reply may hold a pointer, records and the signature together."""


class Match(BaseModel):
    """A record that a question touches."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """The record's ``constraint_id``."""
    score: float


class Routing(BaseModel):
    """What a question is to be answered with. Host-side only: the asker sees none of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: RoutingKind
    matches: tuple[Match, ...] = ()
    """Touched records, best first; a reply reveals the first few."""
    pointers: tuple[int, ...] = ()
    """Numbers of the context pointers whose vague reference was asked about, best first."""
    signature: bool = False
    """Whether the interface was asked for."""


@runtime_checkable
class Router(Protocol):
    """Choose records for a question: the same ones each time, whatever was asked before."""

    def route(self, question: str) -> Routing:
        """Return what the question touches.

        Raises:
            UserAgentError: The router's own means failed; the question is not charged.
        """
        ...


MakeRouter = Callable[[RecordSet], Router]
"""What makes a router for a record set: a router's class, or a function."""


Said = tuple[str, tuple[str, ...]]
"""A text and its terms."""
_PARTS = re.compile(r"[?\n;]+|(?:^|\s)(?:\d+[.)]|[a-z]\))\s|[.!]\s|,\s(?:and\s|or\s)?", re.IGNORECASE)


class KeywordRouter:
    """Route by words: trigger phrases, whole or in part, response texts and example questions, weighed by rarity.

    Args:
        records: The records to choose from; they are indexed once.
        weights: How matches are weighed.
        thresholds: How good a match must be.
    """

    def __init__(
        self, records: RecordSet, *, weights: Weights | None = None, thresholds: Thresholds | None = None
    ) -> None:
        self.index = RecordIndex(records, weights)
        self._ids = records.ids
        limits = self._thresholds = thresholds or Thresholds()
        self._near_best = limits.near_best + self.index.described * (
            limits.near_best_described - limits.near_best
        )
        self._pointers = PointerIndex(records.pointers, self.index, self._thresholds)
        self._has_signature = bool(records.signature)

    def route(self, question: str) -> Routing:
        """Return what the question touches; a pure function of the question's casefolded text."""
        parts = [(part, self.index.terms(part)) for part in _PARTS.split(question) if part]
        terms = tuple(dict.fromkeys(term for _, part in parts for term in part))
        # Of the whole message, since a literal may be cut by the parts' borders.
        shown = tuple(dict.fromkeys(shapes(question.casefold())))
        words = raw_words(question)
        pointers = self._pointers.touched(words, terms)
        signature = self._has_signature and asks_for_interface(question, words)
        if not pointers and not signature and not shown and is_about_nothing(question, words):
            return Routing(kind="vague")
        limits = self._thresholds
        least = limits.least * (limits.closed if is_closed(question) else 1.0)
        # A part that has nearly all of the message's terms says no more than the message.
        most = limits.part_most * len(terms)
        said = [(text, part) for text, part in parts if part and len(part) <= most]
        matches, near = self._matches((question, (*terms, *shown)), said, least)
        # A yes-or-no question names all that it is about: there is nothing to be more specific about.
        kind: RoutingKind = "vague" if near and least == limits.least else "fallback"
        if matches:
            kind = "records"
        elif pointers:
            kind = "pointer"
        elif signature:
            kind = "signature"
        return Routing(kind=kind, matches=matches, pointers=pointers, signature=signature)

    def _scores(self, said: Sequence[Said]) -> list[list[float]]:
        """Return every record's score for each text; what a router of another kind overrides.

        Args:
            said: The message, then its parts; their terms are stems, signs and shapes.
        """
        return self.index.scores([terms for _, terms in said])

    def _matches(self, message: Said, parts: list[Said], least: float) -> tuple[tuple[Match, ...], bool]:
        """Return the records that are touched, and whether one nearly is."""
        limits = self._thresholds
        whole, *rest = self._scores((message, *parts))
        best = max(whole, default=0.0)
        enough = self._least(least, message[1])
        floor = max(enough, self._near_best * best)
        chosen = {number: score for number, score in enumerate(whole) if score >= floor}
        for (_, terms), scores in zip(parts, rest, strict=True):
            score = max(scores, default=0.0)
            gained = score * limits.part_gain
            if gained >= limits.part_near_best * best and gained >= self._least(least, terms):
                number = scores.index(score)
                chosen[number] = max(gained, chosen.get(number, 0.0))
        ranked = sorted(chosen, key=lambda number: (-chosen[number], number))
        matches = tuple(Match(id=self._ids[number], score=round(chosen[number], 6)) for number in ranked)
        return matches, best >= limits.nearly * enough

    def _least(self, least: float, terms: tuple[str, ...]) -> float:
        few = self._thresholds.few
        return least * min(1.0, (few + len(terms)) / (few + 3))
