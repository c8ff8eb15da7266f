"""A BERT model of a few kilobytes with numbers drawn by a seed, in the files that real ones have."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "how",
    "are",
    "times",
    "read",
    "?",
    "zone",
    "##s",
    "wish",
    "##es",
    "over",
    "##lap",
    "caf",
    "##e",
    ",",
    "日",
    "a",
]
WIDTH, INNER, LAYERS, HEADS = 8, 16, 2, 2


def write_bert(folder: Path, **config: object) -> Path:
    """Write such a model; ``config`` replaces entries of its config.json."""
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    settings = {
        "model_type": "bert", "hidden_act": "gelu", "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
        "layer_norm_eps": 1e-12,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(settings | config))
    tensors = {name: _numbers(name, shape) for name, shape in _shapes().items()}
    table, data = {}, b""
    for name, values in tensors.items():
        raw = values.astype("<f4").tobytes()
        table[name] = {
            "dtype": "F32",
            "shape": values.shape,
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    head = json.dumps({"__metadata__": {"format": "pt"}, **table}).encode()
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    return folder


def _numbers(name: str, shape: tuple[int, ...]) -> np.ndarray:
    generator = np.random.default_rng(sum(name.encode()))
    return generator.normal(size=shape) / 2


def _shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (256, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        norms += [f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"]
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= _linear(f"{name}.attention.{part}", WIDTH, WIDTH)
        shapes |= _linear(f"{name}.intermediate.dense", INNER, WIDTH) | _linear(
            f"{name}.output.dense", WIDTH, INNER
        )
    for norm in norms:
        shapes |= {f"{norm}.weight": (WIDTH,), f"{norm}.bias": (WIDTH,)}
    return shapes


def _linear(name: str, rows: int, columns: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}
