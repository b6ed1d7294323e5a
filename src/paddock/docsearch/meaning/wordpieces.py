"""Text as word pieces, the way that BERT models with lower-case vocabularies were taught to read.

Needs nothing but the interpreter. A vocabulary is a mapping from pieces to numbers, in which `##`
begins a piece that goes on with a word.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    return list(_match_longest_pieces(word, vocabulary)) if word not in vocabulary else [vocabulary[word]]


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
