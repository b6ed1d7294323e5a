"""The word vectors that Paddock brings: a text means the weighted mean of its pieces.

They were made once from a sentence model by `external/static_vectors.py`; the table is in `data`,
in several files of which each holds some of the dimensions as one byte for each piece.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from paddock.docsearch.meaning.wordpieces import split_word_pieces, split_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
            numbers = [n for word in split_words(text)[:MAX_TEXT_WORDS] for n in self._get_piece_ids(word)]
            if numbers:
                found[row] = self._vector_table[numbers].sum(axis=0, dtype=np.float32)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.maximum(lengths, np.float32(1e-9))
        return found

    def _split_word(self, word: str) -> tuple[int, ...]:
        return tuple(split_word_pieces(word, self._piece_ids))
