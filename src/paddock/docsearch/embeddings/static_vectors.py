"""Text as word pieces, the way that BERT models with lower-case vocabularies were taught to read.

Needs nothing but the interpreter. A vocabulary is a mapping from pieces to numbers, in which `##`
begins a piece that goes on with a word.

Vectors of length 1 as bytes, one for each dimension.

The word vectors that Paddock brings: a text means the weighted mean of its pieces.

They were made once from a sentence model by `external/static_vectors.py`; the table is in `data`,
in several files of which each holds some of the dimensions as one byte for each piece.
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


MAX_WORD_CHARACTERS = 100
"""Characters; longer words are unknown to the models."""
_WORD_PATTERN = re.compile(r"[^\W_]+|[^\w\s]|_")


def split_words(text: str) -> list[str]:
    """The words and signs of a text in lower case, without accents."""
    plain = unicodedata.normalize("NFD", text.lower())
    if not plain.isascii():
        plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    return _WORD_PATTERN.findall(plain)


def split_word_pieces(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The numbers of the longest pieces that make up a word; none when it has unknown parts."""
    if len(word) > MAX_WORD_CHARACTERS:
        return []
    return (
        list(_match_longest_pieces(word, vocabulary))
        if word not in vocabulary
        else [vocabulary[word]]
    )


def _match_longest_pieces(word: str, vocabulary: Mapping[str, int]) -> Iterator[int]:
    start = 0
    found = []
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            number = vocabulary.get(prefix + word[start:end])
            if number is not None:
                found.append(number)
                start = end
                break
        else:
            return
    yield from found


QUANTIZATION_STEPS = 127


def quantize_vectors(vectors: NDArray[np.float32]) -> list[bytes]:
    """Rows as bytes; the scale is left out, as only directions count."""
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    rows = np.rint(vectors / largest * QUANTIZATION_STEPS).astype(np.int8)
    return [row.tobytes() for row in rows]


def dequantize_vectors(rows: Sequence[bytes]) -> NDArray[np.float32]:
    """The rows again, of length 1."""
    size = len(rows[0]) if rows else 0
    table = np.frombuffer(b"".join(rows), np.int8).reshape(len(rows), size).astype(np.float32)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    vectors: NDArray[np.float32] = table / np.maximum(lengths, 1e-9)
    return vectors


MAX_TEXT_WORDS = 400
"""Of one text; the rest is not read."""
VOCABULARY_FILE = "pieces.txt"
"""In `data`: the vocabulary, a piece on each line."""


class StaticVectors:
    """The table in memory."""

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
        self._get_piece_ids = lru_cache(maxsize=50_000)(self._split_word)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The meaning of texts, a row for each; zeros where a text says nothing."""
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            numbers = [
                n for word in split_words(text)[:MAX_TEXT_WORDS] for n in self._get_piece_ids(word)
            ]
            if numbers:
                found[row] = self._vector_table[numbers].sum(axis=0, dtype=np.float32)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.maximum(lengths, np.float32(1e-9))
        return found

    def _split_word(self, word: str) -> tuple[int, ...]:
        return tuple(split_word_pieces(word, self._piece_ids))
