from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_bert import HEADS, INNER, LAYERS, WIDTH, WORDS, write_bert

from icae_env import registry
from icae_env.errors import ConfigError, MissingDependencyError
from icae_env.user_agent import KeywordRouter, RecordSet, Router, semantic_router
from icae_env.user_agent.encoder import BertEncoder
from icae_env.user_agent.semantic_router import PACKAGE, SemanticRouter, load_encoder


class TopicEncoder:
    """Know three topics by their words; everything else is a fourth."""

    TOPICS = (("overlap", "quarrel", "squabble"), ("utc", "sundial"), ("cheese",))

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        rows = [
            [float(any(word in text.casefold() for word in topic)) for topic in self.TOPICS] for text in texts
        ]
        return np.array([[*row, 0.0 if any(row) else 1.0] for row in rows])


def test_nearness_of_meaning_finds_what_words_do_not(records: RecordSet) -> None:
    plain, router = KeywordRouter(records), SemanticRouter(records, encoder=TopicEncoder())
    for question, name in (("Who is to give way in a quarrel?", "R1"), ("Do you trust a sundial?", "R2")):
        assert plain.route(question).matches == ()
        assert [match.id for match in router.route(question).matches] == [name]
        assert router.route(question.upper()) == router.route(question)
    assert router.route("Which cheese is best?").matches == ()
    assert isinstance(router, Router)


def test_words_still_count(records: RecordSet) -> None:
    router = SemanticRouter(records, encoder=TopicEncoder())
    assert [match.id for match in router.route("Which exit code tells of a failure?").matches] == ["R6"]
    assert SemanticRouter(RecordSet(), encoder=TopicEncoder()).route("Is there a quarrel?").kind == "fallback"


def test_a_small_model_is_computed_as_the_papers_have_it(tmp_path: Path) -> None:
    """The forward pass once more, number by number and without arrays' shortcuts."""
    encoder = BertEncoder(write_bert(tmp_path / "model"))
    weights, numbers = encoder._weights, encoder.tokens("How are times read?")
    state = [
        weights["embeddings.word_embeddings.weight"][number]
        + weights["embeddings.position_embeddings.weight"][place]
        + weights["embeddings.token_type_embeddings.weight"][0]
        for place, number in enumerate(numbers)
    ]

    def linear(row: Any, name: str) -> Any:
        return weights[f"{name}.weight"] @ row + weights[f"{name}.bias"]

    def norm(row: Any, name: str) -> Any:
        return (row - row.mean()) / math.sqrt(row.var() + 1e-12) * weights[f"{name}.weight"] + weights[
            f"{name}.bias"
        ]

    state = [norm(row, "embeddings.LayerNorm") for row in state]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            [linear(row, f"{name}.attention.self.{part}") for row in state]
            for part in ("query", "key", "value")
        )
        size = WIDTH // HEADS
        mixed = []
        for row in range(len(state)):
            out = np.zeros(WIDTH)
            for head in range(HEADS):
                part = slice(head * size, (head + 1) * size)
                scores = [math.exp(query[row][part] @ other[part] / math.sqrt(size)) for other in key]
                for score, other in zip(scores, value, strict=True):
                    out[part] += score / sum(scores) * other[part]
            mixed.append(out)
        state = [
            norm(row + linear(out, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
            for row, out in zip(state, mixed, strict=True)
        ]
        inner = [linear(row, f"{name}.intermediate.dense") for row in state]
        inner = [np.array([x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in row]) for row in inner]
        assert inner[0].shape == (INNER,)
        state = [
            norm(row + linear(out, f"{name}.output.dense"), f"{name}.output.LayerNorm")
            for row, out in zip(state, inner, strict=True)
        ]
    mean = np.mean(state, axis=0)
    expected = mean / np.linalg.norm(mean)
    assert np.allclose(encoder.encode(["How are times read?"])[0], expected, atol=1e-5)
    # A neighbour changes nothing, to the last bit.
    both = encoder.encode(["How are times read?", "Zones?"])
    assert (both[0] == encoder.encode(["How are times read?"])[0]).all()


def test_words_are_cut_into_the_longest_pieces(tmp_path: Path) -> None:
    encoder = BertEncoder(write_bert(tmp_path / "model"))

    def pieces(text: str) -> list[str]:
        return [WORDS[number] for number in encoder.tokens(text)]

    assert pieces("Wishes OVERLAP, caf\u00e9 日zones") == [
        "[CLS]", "wish", "##es", "over", "##lap", ",", "caf", "##e", "日", "zone", "##s", "[SEP]"
    ]  # fmt: skip
    assert pieces("xyz a\u200b") == ["[CLS]", "[UNK]", "a", "[SEP]"]
    assert len(pieces("a " * 1000)) == 256


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no folder of a BERT model"):
        BertEncoder(tmp_path)
    with pytest.raises(ConfigError, match="no BERT"):
        BertEncoder(write_bert(tmp_path / "other", model_type="gpt2"))


def test_a_folder_is_named_by_the_environment(
    records: RecordSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ICAE_SEMANTIC_MODEL", str(write_bert(tmp_path / "model")))
    router = registry.resolve("router", "semantic")(records)
    question = "What if two wishes clash?"
    assert router.route(question).matches[0].id == "R1"
    assert router.route(question) == registry.resolve("router", "semantic")(records).route(question)


def test_without_a_model_the_install_command_is_named(
    records: RecordSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(semantic_router, "PACKAGE", "no_such_package_of_models")
    monkeypatch.delenv("ICAE_SEMANTIC_MODEL", raising=False)
    load_encoder.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"icae-env\[semantic\]"):
        SemanticRouter(records)
    if find_spec("sentence_transformers") is None:
        with pytest.raises(MissingDependencyError, match="sentence-transformers"):
            load_encoder("some-org/some-model")


if find_spec(PACKAGE) is not None:

    def test_the_packaged_model_knows_what_is_alike() -> None:
        # The cosines that the model's own card and other runtimes give for these sentences.
        texts = [
            "That is a happy person",
            "That is a happy dog",
            "That is a very happy person",
            "Today is a sunny day",
        ]
        vectors = load_encoder().encode(texts)
        assert np.allclose(vectors @ vectors[0], [1.0, 0.6946, 0.9429, 0.2569], atol=2e-4)
