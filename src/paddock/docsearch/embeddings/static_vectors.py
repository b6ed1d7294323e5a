"""Static word vectors: a text is represented by the weighted mean of its word pieces.

Texts are split as in BERT models with lower-case vocabularies. In a vocabulary, `##` marks a piece
that continues a word. `external/static_vectors.py` derived the vectors from a sentence model. The
table in `data` is split by dimension, with one byte for each piece and dimension.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    FloatArray = NDArray[np.float32]

MAX_WORD_CHARACTERS = 100  # BERT tokenizers treat longer words as unknown.
_WORD_PATTERN = re.compile(r"[^\W_]+|[^\w\s]|_")
QUANTIZATION_STEPS = 127
MAX_TEXT_WORDS = 400  # The rest of a text is ignored.
VOCABULARY_FILE = "pieces.vocab"  # One piece per line.


def split_words(text: str) -> list[str]:
    """Split a text into words and symbols, in lower case and without accents."""
    plain = unicodedata.normalize("NFD", text.lower())
    if not plain.isascii():
        plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    return _WORD_PATTERN.findall(plain)


def split_word_pieces(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """Split a word into vocabulary pieces, as the BERT tokenizer does.

    From left to right, the longest known piece is taken each time. Pieces that continue a word
    begin with `##` in the vocabulary.

    Returns:
        The ids of the pieces. The list is empty if any part of the word is unknown.
    """
    if len(word) > MAX_WORD_CHARACTERS:
        return []
    piece_ids = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece_id = vocabulary.get(prefix + word[start:end])
            if piece_id is not None:
                piece_ids.append(piece_id)
                start = end
                break
        else:
            return []
    return piece_ids


def quantize_vectors(vectors: FloatArray) -> list[bytes]:
    """Compress vectors to one signed byte per dimension for storage in the index.

    Each vector is scaled separately. The scale is not kept, because only directions are compared.
    """
    # The lower bound avoids a division by zero if a text has no known words.
    largest_components = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    rows = np.rint(vectors / largest_components * QUANTIZATION_STEPS).astype(np.int8)
    return [row.tobytes() for row in rows]


def dequantize_vectors(rows: Sequence[bytes]) -> FloatArray:
    """Convert bytes back to vectors of length 1."""
    size = len(rows[0]) if rows else 0
    table = np.frombuffer(b"".join(rows), np.int8).reshape(len(rows), size).astype(np.float32)
    return _normalize_rows(table)


def _normalize_rows(vectors: FloatArray) -> FloatArray:
    """Scale the vectors to length 1, leaving zero vectors unchanged."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    normalized: FloatArray = vectors / np.maximum(lengths, np.float32(1e-9))
    return normalized


class EmbeddingModel(ABC):
    """A model that converts texts to vectors whose directions express the texts' meaning."""

    dimensions: int

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors of texts as rows of length 1.

        A text without known words has a vector of zeros.
        """

    def find_similar_rows(self, query: str, rows: FloatArray, limit: int) -> list[int]:
        """Return the indices of the rows that are most similar to a query, best first."""
        similarities = rows @ self.embed([query])[0]
        best_rows = np.argsort(-similarities)[:limit]
        return [int(row) for row in best_rows if similarities[row] > 0]

    def encode_texts(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of texts as bytes to store in the index."""
        return quantize_vectors(self.embed(texts))

    def decode_vectors(self, vectors: Sequence[bytes]) -> FloatArray:
        """Convert vectors stored in the index to rows."""
        return dequantize_vectors(vectors)


class StaticVectors(EmbeddingModel):
    """An embedding that represents a text as the sum of its word pieces' vectors.

    The vectors do not depend on a word's context, so embedding a text is fast. The vector table
    comes with Paddock and is loaded into memory.
    """

    def __init__(self) -> None:
        """Load the vocabulary and the table of word piece vectors."""
        directory = files("paddock.docsearch") / "data" / "vectors"
        vocabulary = (directory / VOCABULARY_FILE).read_text("utf-8").splitlines()
        self._piece_ids = {piece: piece_id for piece_id, piece in enumerate(vocabulary)}
        # The table is split by dimension into multiple files.
        shard_names = sorted(file.name for file in directory.iterdir() if file.name.endswith(".i1"))
        shards = [
            np.frombuffer((directory / name).read_bytes(), np.int8).reshape(len(vocabulary), -1)
            for name in shard_names
        ]
        self._vector_table = np.concatenate(shards, axis=1)
        self.dimensions = self._vector_table.shape[1]
        # Splitting words is the slow part of embedding, and the same words occur repeatedly.
        self._get_piece_ids = lru_cache(maxsize=50_000)(self._split_word)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the vectors of texts as rows of length 1.

        A text's vector is the sum of its word pieces' vectors. A text without known words has a
        zero vector.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            piece_ids = [
                piece_id
                for word in split_words(text)[:MAX_TEXT_WORDS]
                for piece_id in self._get_piece_ids(word)
            ]
            if piece_ids:
                vectors[row] = self._vector_table[piece_ids].sum(axis=0, dtype=np.float32)
        return _normalize_rows(vectors)

    def _split_word(self, word: str) -> tuple[int, ...]:
        return tuple(split_word_pieces(word, self._piece_ids))
