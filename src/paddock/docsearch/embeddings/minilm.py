"""MiniLM sentence models, computed with numpy alone.

A model is a directory with `model.safetensors`, `config.json` and `vocab.txt`. Nothing is
downloaded.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.docsearch.embeddings.static_vectors import (
    EmbeddingModel,
    split_word_pieces,
    split_words,
)
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paddock.docsearch.embeddings.static_vectors import FloatArray

MAX_TEXT_PIECES = 256  # The models are not trained for longer texts.
MAX_HEADER_BYTES = 10_000_000
_TENSOR_TYPES = {"F32": "<f4", "F16": "<f2"}
MODEL_FILES = ("model.safetensors", "config.json", "vocab.txt")


class ModelError(PaddockError):
    """The directory contains no usable sentence model."""

    code = "model"


class MiniLM(EmbeddingModel):
    """A MiniLM model in memory. `embed` returns a unit vector for each text.

    Implements the forward pass of a BERT encoder, so PyTorch is not required.
    """

    def __init__(self, directory: Path) -> None:
        """Load a sentence model from a directory, and check it with a short text.

        Raises:
            ModelError: A file is missing or invalid, or the model has a different architecture.
        """
        try:
            self._config: dict[str, Any] = json.loads((directory / "config.json").read_bytes())
            vocabulary = (directory / "vocab.txt").read_text("utf-8").splitlines()
            self._weights = read_safetensors(directory / "model.safetensors")
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(
                f"the sentence model cannot be read: {error}",
                where=str(directory),
                hint=f"expected a directory with {', '.join(MODEL_FILES)}",
            ) from None
        self.vocabulary = {piece: piece_id for piece_id, piece in enumerate(vocabulary)}
        try:
            self.dimensions = int(self._config["hidden_size"])
            self._head_count = int(self._config["num_attention_heads"])
            self._layer_count = int(self._config["num_hidden_layers"])
            self._epsilon = float(self._config.get("layer_norm_eps", 1e-12))
            self._special_piece_ids = [
                self.vocabulary[name] for name in ("[CLS]", "[SEP]", "[UNK]")
            ]
            self.embed(["test"])  # fails now if the weights do not match the configuration
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelError(
                f"the model is not of the MiniLM kind: {error!r}", where=str(directory)
            ) from None

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors of texts as rows of length 1."""
        rows = [self._embed_piece_ids(self._tokenize(text)) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def embed_piece(self, number: int) -> FloatArray:
        """Return the vector of a single word piece."""
        return self._embed_piece_ids(
            [self._special_piece_ids[0], number, self._special_piece_ids[1]]
        )

    def _tokenize(self, text: str) -> list[int]:
        """Return the ids of a text's word pieces, between the markers `[CLS]` and `[SEP]`.

        A long text is truncated to `MAX_TEXT_PIECES`, including the markers.
        """
        start_id, end_id, unknown_id = self._special_piece_ids
        max_pieces = MAX_TEXT_PIECES - 2
        piece_ids: list[int] = []
        # The rest of a longer text would not be used, so it is not split at all.
        for word in split_words(text[: MAX_TEXT_PIECES * 16]):
            piece_ids += split_word_pieces(word, self.vocabulary) or [unknown_id]
            if len(piece_ids) >= max_pieces:
                break
        return [start_id, *piece_ids[:max_pieces], end_id]

    def _embed_piece_ids(self, piece_ids: Sequence[int]) -> FloatArray:
        """Compute a text's vector: the mean of the encoder's output, scaled to length 1.

        Args:
            piece_ids: The text's word pieces, as indices into the vocabulary.
        """
        weights = self._weights
        hidden = (
            weights["embeddings.word_embeddings.weight"][list(piece_ids)]
            + weights["embeddings.position_embeddings.weight"][: len(piece_ids)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._apply_layer_norm(hidden, "embeddings.LayerNorm")
        for layer in range(self._layer_count):
            hidden = self._apply_layer(hidden, f"encoder.layer.{layer}")
        mean = hidden.mean(axis=0)
        vector: FloatArray = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
        return vector

    def _apply_layer(self, hidden: FloatArray, name: str) -> FloatArray:
        """Apply one layer of the transformer: self-attention, then the feed-forward network.

        Both parts add their input to their output and normalize the sum.

        Args:
            hidden: A row for each word piece.
            name: The prefix of the layer's weights, such as `encoder.layer.0`.
        """
        head_size = self.dimensions // self._head_count
        query, key, value = (
            self._apply_dense(hidden, f"{name}.attention.self.{part}")
            .reshape(-1, self._head_count, head_size)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(head_size))
        # The maximum is subtracted first, so that the exponential cannot overflow.
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        attention = (scores @ value).transpose(1, 0, 2).reshape(-1, self.dimensions)
        attention = self._apply_dense(attention, f"{name}.attention.output.dense")
        hidden = self._apply_layer_norm(hidden + attention, f"{name}.attention.output.LayerNorm")
        expanded = _apply_gelu(self._apply_dense(hidden, f"{name}.intermediate.dense"))
        projected = self._apply_dense(expanded, f"{name}.output.dense")
        return self._apply_layer_norm(hidden + projected, f"{name}.output.LayerNorm")

    def _apply_dense(self, rows: FloatArray, name: str) -> FloatArray:
        product: FloatArray = (
            rows @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        )
        return product

    def _apply_layer_norm(self, rows: FloatArray, name: str) -> FloatArray:
        centred = rows - rows.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + self._epsilon)
        normalized: FloatArray = centred / deviation * self._weights[f"{name}.weight"]
        return normalized + self._weights[f"{name}.bias"]


def _apply_gelu(rows: FloatArray) -> FloatArray:
    """Apply GELU, the activation function of BERT models: x/2 · (1 + erf(x/√2)).

    numpy has no error function, so this uses approximation 7.1.26 from Abramowitz and Stegun.
    """
    x = np.abs(rows) * np.float32(0.70710678)
    t = 1 / (1 + np.float32(0.3275911) * x)
    sums: FloatArray = np.full(x.shape, 1.061405429, np.float32)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        sums = np.asarray(sums * t + factor, np.float32)
    error = np.sign(rows) * (1 - sums * t * np.exp(-x * x))
    result: FloatArray = rows * np.float32(0.5) * (1 + error)
    return result


def read_safetensors(file: Path) -> dict[str, FloatArray]:
    """Return the tensors in a safetensors file by name, in single precision.

    The file begins with the length of a JSON header, which gives the type, shape and position of
    each tensor. The prefix `bert.`, which some exports add to names, is removed.

    Raises:
        ValueError: The file does not begin with such a header.
    """
    data = file.read_bytes()
    header_length = int.from_bytes(data[:8], "little")
    if not 0 < header_length <= min(MAX_HEADER_BYTES, len(data) - 8):
        raise ValueError(f"{file.name} is not a safetensors file")
    header = json.loads(data[8 : 8 + header_length])
    body = memoryview(data)[8 + header_length :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] not in _TENSOR_TYPES:
            continue
        start, end = entry["data_offsets"]
        numbers = np.frombuffer(body[start:end], _TENSOR_TYPES[entry["dtype"]])
        tensor: FloatArray = numbers.astype(np.float32).reshape(entry["shape"])
        tensors[name.removeprefix("bert.")] = tensor
    return tensors
