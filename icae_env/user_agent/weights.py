"""The numbers of the keyword router, found on record sets of other projects than the tasks that ship here."""

from __future__ import annotations

from dataclasses import dataclass

FULL = 8
"""Examples from which on a record is well described by them."""


@dataclass(frozen=True)
class Weights:
    """How much each kind of match counts."""

    response: float = 1.0
    """Of a question word that stands in the response."""
    saturation: float = 0.5
    """BM25's k1: how soon a repeated response word stops adding."""
    phrase: float = 0.7
    """Of words shared with trigger phrases."""
    whole_phrase: float = 0.3
    """Added, per idf, where a trigger phrase of several words occurs whole."""
    whole_word: float = 0.7
    """Added, per idf, where a trigger of one word occurs: a rare one alone is to suffice."""
    least_part: float = 0.3
    """Share of a phrase's idf below which a partial match counts nothing."""
    example: float = 0.7
    """Of the best matching example question."""
    examples: float = 0.5
    """Of a word that stands in any of the record's example questions."""
    input: float = 0.5
    """Of the witness whose input shares most with the question."""
    beside_examples: float = 0.4
    """Factor on all else, where a record has ``FULL`` examples; with fewer it lies between that and 1."""
    synonym: float = 0.6
    """Factor on a response word that a word of the question may stand for."""
    phrase_synonym: float = 0.6
    """The same for a word of a trigger phrase."""
    example_synonym: float = 0.5
    """The same for a word of any of the example questions."""


@dataclass(frozen=True)
class Thresholds:
    """When a score is good enough."""

    least: float = 1.5
    """Score below which a record is not touched; a word that only one record has counts about 1."""
    closed: float = 1.62
    """Factor on ``least`` for a yes-or-no question: it names all that it is about, so more of it must match."""
    few: float = 1.0
    """How little ``least`` falls for a question of fewer than three terms, which cannot score as high as others."""
    nearly: float = 0.8
    """Share of ``least`` from which on the asker is told to be more specific."""
    near_best: float = 0.93
    """Share of the best score below which a record is dropped."""
    near_best_described: float = 0.8
    """The same where all records have ``FULL`` examples, so that close scores tell more; else it lies between."""
    part_gain: float = 1.1
    """Factor on the score of a part of the message, which has fewer words to match by."""
    part_most: float = 0.8
    """Share of the message's terms above which a part is not looked at by itself."""
    part_near_best: float = 0.35
    """As ``near_best``, for the best record of a part."""
    pointer: float = 0.55
    """Share of a vague reference's weight that a question must name."""
    pointer_with_meaning: float = 0.35
    """The same, when the question also has a word of the reference's meaning."""
    pointer_synonym: float = 0.3
    """Factor on a word of a reference that a word of the question may stand for."""
