"""Sentence embeddings of small BERT models on numpy alone: no GPU, no threads' order, the same numbers each time.

Architecture: Devlin et al., "BERT" (2019), with mean pooling as in Reimers and Gurevych, "Sentence-BERT" (2019). The folder of
such a model (``config.json``, ``vocab.txt``, ``model.safetensors``) is all that is read.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icae_env.errors import ConfigError

Array = NDArray[np.float32]
LONGEST = 256
"""Tokens of a text that are looked at."""


class BertEncoder:
    """Turn texts into unit vectors.

    Args:
        folder: Folder of the model.

    Raises:
        ConfigError: A file is missing, or the model is of another kind.
    """

    def __init__(self, folder: Path) -> None:
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
            self._weights = _read_safetensors(folder / "model.safetensors")
        except (OSError, ValueError, KeyError) as error:
            raise ConfigError(
                f"This is no folder of a BERT model: {error}.",
                file=folder,
                mend="name a folder with config.json, vocab.txt and model.safetensors.",
            ) from error
        if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
            raise ConfigError("This model is no BERT with gelu.", file=folder, mend="name another model.")
        self._heads, self._layers = int(config["num_attention_heads"]), int(config["num_hidden_layers"])
        self._epsilon = float(config["layer_norm_eps"])
        self._tokens = {token: number for number, token in enumerate(vocabulary)}

    def encode(self, texts: Sequence[str]) -> Array:
        """Return one row for each text, of length 1; each is computed alone, so that no neighbour changes it."""
        return np.stack([self._encode(text) for text in texts])

    def tokens(self, text: str) -> list[int]:
        """Return the numbers of a text's word pieces, the marks of beginning and end included."""
        pieces = [piece for word in _words(text) for piece in self._pieces(word)]
        return [self._tokens["[CLS]"], *pieces[: LONGEST - 2], self._tokens["[SEP]"]]

    def _pieces(self, word: str) -> list[int]:
        """Split a word into the longest pieces that the vocabulary has."""
        pieces: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._tokens), None)
            if end is None or len(word) > 100:
                return [self._tokens["[UNK]"]]
            pieces.append(self._tokens[mark + word[start:end]])
            start = end
        return pieces

    def _encode(self, text: str) -> Array:
        numbers = self.tokens(text)
        weights = self._weights
        state = (
            weights["embeddings.word_embeddings.weight"][numbers]
            + weights["embeddings.position_embeddings.weight"][: len(numbers)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._normalised(state, "embeddings.LayerNorm")
        for layer in range(self._layers):
            state = self._layer(state, f"encoder.layer.{layer}")
        mean = state.mean(axis=0)
        unit: Array = mean / np.linalg.norm(mean)
        return unit

    def _layer(self, state: Array, name: str) -> Array:
        query, key, value = (
            self._by_head(self._linear(state, f"{name}.attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(query.shape[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        joined = mixed.transpose(1, 0, 2).reshape(state.shape)
        attended = self._linear(joined, f"{name}.attention.output.dense")
        state = self._normalised(state + attended, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._linear(state, f"{name}.intermediate.dense"))
        return self._normalised(
            state + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm"
        )

    def _by_head(self, values: Array) -> Array:
        return values.reshape(len(values), self._heads, -1).transpose(1, 0, 2)

    def _linear(self, state: Array, name: str) -> Array:
        found: Array = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return found

    def _normalised(self, state: Array, name: str) -> Array:
        centred = state - state.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(self._epsilon))
        found: Array = centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return found


def _gelu(values: Array) -> Array:
    """Return x times the normal distribution's share below x (Hendrycks and Gimpel, 2016)."""
    # erf after Abramowitz and Stegun, 7.1.26; its error is below 2e-7.
    scaled = np.abs(values) / np.sqrt(np.float32(2))
    step = 1 / (1 + np.float32(0.3275911) * scaled)
    poly = step * (
        0.254829592
        + step * (-0.284496736 + step * (1.421413741 + step * (-1.453152027 + step * 1.061405429)))
    )
    erf = np.sign(values) * (1 - poly * np.exp(-(scaled**2)))
    found: Array = (0.5 * values * (1 + erf)).astype(np.float32)
    return found


def _words(text: str) -> list[str]:
    """Split a text as uncased BERT does: lower case, no accents, each sign and each ideograph alone."""
    plain = unicodedata.normalize("NFD", text.lower())
    spaced = []
    for sign in plain:
        kind = unicodedata.category(sign)
        if kind == "Mn" or (kind in ("Cc", "Cf") and not sign.isspace()):
            continue
        alone = (
            kind.startswith("P") or (sign.isascii() and kind.startswith("S")) or "\u4e00" <= sign <= "\u9fff"
        )
        spaced.append(f" {sign} " if alone else sign)
    return "".join(spaced).split()


def _read_safetensors(file: Path) -> dict[str, Array]:
    """Read a file of tensors: eight bytes of length, a JSON table, the numbers."""
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    table: dict[str, Any] = json.loads(data[8 : 8 + size])
    table.pop("__metadata__", None)
    found: dict[str, Array] = {}
    for name, entry in table.items():
        kind = {"F32": np.float32, "F16": np.float16}.get(entry["dtype"])
        if kind is None:
            continue  # positions and other integers, which the forward pass does not need
        begin, end = entry["data_offsets"]
        raw = np.frombuffer(data[8 + size + begin : 8 + size + end], dtype=kind)
        found[name.removeprefix("bert.")] = raw.reshape(entry["shape"]).astype(np.float32)
    return found
