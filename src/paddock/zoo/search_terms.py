"""The words of a text, as they are indexed and searched for.

Split here and not by a database, so that all databases find the same. What comes out is plain ASCII
that no tokenizer divides further: other letters are written as the hexadecimal of their UTF-8.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_WORD_CHARACTERS = 40
"""Longer words are cut: nobody types them, and an index has to end somewhere."""

# Chinese and Japanese put no spaces between words: each of their signs counts as one.
_WORD_PATTERN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_COMBINING_MARKS = re.compile(r"[\u0300-\u036f]")


def fold_text(text: str) -> str:
    """A text without regard to case and accents."""
    return _COMBINING_MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def extract_words(text: str) -> list[str]:
    """The words in their order, each once."""
    return list(
        dict.fromkeys(word[:MAX_WORD_CHARACTERS] for word in _WORD_PATTERN.findall(fold_text(text)))
    )


def encode_index_word(word: str) -> str:
    """A word as it stands in an index; the beginning of a word gives the beginning of that."""
    return word if word.isascii() else f"_{word.encode().hex()}"


def make_index_text(texts: Iterable[str]) -> str:
    """What is indexed of some texts."""
    return " ".join(map(encode_index_word, extract_words(" ".join(texts))))


def make_snippet(content: str, words: Iterable[str], most: int = 160) -> str:
    """The part of a text that begins shortly before the first of the words, on one line."""
    flat = " ".join(content.split())
    if len(flat) <= most:
        return flat
    lower = flat.casefold()
    places = [place for word in words if (place := lower.find(word)) >= 0]
    start = max(0, min(places, default=0) - most // 4)
    start = flat.rfind(" ", 0, start + 1) + 1 if start else 0
    end = start + most
    if end < len(flat):
        end = flat.rfind(" ", start, end + 1) if " " in flat[start:end] else end
    return ("… " if start else "") + flat[start:end].rstrip() + (" …" if end < len(flat) else "")
