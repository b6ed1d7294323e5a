"""Static word vectors: a text is represented by the weighted mean of its word pieces.

Texts are split like those of BERT models with lower-case vocabularies; in a vocabulary, `##` begins
a piece that continues a word. `external/static_vectors.py` derived the vectors from a sentence
model. The table in `data` is split by dimension, with one byte for each piece and dimension.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray


MAX_WORD_CHARACTERS = 100  # BERT tokenizers treat longer words as unknown.
_WORD_PATTERN = re.compile(r"[^\W_]+|[^\w\s]|_")
QUANTIZATION_STEPS = 127
MAX_TEXT_WORDS = 400  # The rest of a text is ignored.
VOCABULARY_FILE = "pieces.vocab"  # One piece per line.


def split_words(text: str) -> list[str]:
    """Return the words and symbols of a text in lower case, without accents."""
    plain = unicodedata.normalize("NFD", text.lower())
    if not plain.isascii():
        plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    return _WORD_PATTERN.findall(plain)


def split_word_pieces(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """Return the ids of the pieces that make up a word, or none if a part is unknown."""
    if len(word) > MAX_WORD_CHARACTERS:
        return []
    return (
        list(_match_longest_pieces(word, vocabulary))
        if word not in vocabulary
        else [vocabulary[word]]
    )


def _match_longest_pieces(word: str, vocabulary: Mapping[str, int]) -> Iterator[int]:
    """Split a word from left to right, each time at the longest known piece.

    Yields nothing if any part of the word is unknown, like the tokenizer of BERT.
    """
    start = 0
    piece_ids = []
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece_id = vocabulary.get(prefix + word[start:end])
            if piece_id is not None:
                piece_ids.append(piece_id)
                start = end
                break
        else:
            return
    yield from piece_ids


def quantize_vectors(vectors: NDArray[np.float32]) -> list[bytes]:
    """Convert vectors to bytes, one byte for each dimension.

    Each vector is scaled separately. The scale is lost, because only directions are compared.
    """
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    rows = np.rint(vectors / largest * QUANTIZATION_STEPS).astype(np.int8)
    return [row.tobytes() for row in rows]


def dequantize_vectors(rows: Sequence[bytes]) -> NDArray[np.float32]:
    """Convert bytes to vectors of length 1."""
    size = len(rows[0]) if rows else 0
    table = np.frombuffer(b"".join(rows), np.int8).reshape(len(rows), size).astype(np.float32)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    vectors: NDArray[np.float32] = table / np.maximum(lengths, 1e-9)
    return vectors


class StaticVectors:
    """The table of static vectors in memory."""

    def __init__(self) -> None:
        data = files("paddock.docsearch") / "data" / "vectors"
        vocabulary = (data / VOCABULARY_FILE).read_text("utf-8").splitlines()
        self._piece_ids = {piece: number for number, piece in enumerate(vocabulary)}
        shards = sorted(file.name for file in data.iterdir() if file.name.endswith(".i1"))
        parts = [
            np.frombuffer((data / name).read_bytes(), np.int8).reshape(len(vocabulary), -1)
            for name in shards
        ]
        self._vector_table = np.concatenate(parts, axis=1)
        self.dimensions = self._vector_table.shape[1]
        # Splitting words is the slow part of embedding, and the same words occur again and again.
        self._get_piece_ids = lru_cache(maxsize=50_000)(self._split_word)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts as rows. A text without known words has a vector of zeros."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            piece_ids = [
                piece_id
                for word in split_words(text)[:MAX_TEXT_WORDS]
                for piece_id in self._get_piece_ids(word)
            ]
            if piece_ids:
                vectors[row] = self._vector_table[piece_ids].sum(axis=0, dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, np.float32(1e-9))
        return vectors

    def _split_word(self, word: str) -> tuple[int, ...]:
        return tuple(split_word_pieces(word, self._piece_ids))
