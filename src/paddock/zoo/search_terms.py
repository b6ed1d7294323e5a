"""Word extraction, index encoding and snippets for full-text search.

Text is split here rather than in the database, so that SQLite and PostgreSQL find the same entries.
Words are encoded as plain ASCII, which no tokenizer splits further.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Longer words are truncated. They are data rather than words, and would bloat the index.
MAX_WORD_CHARACTERS = 40

# Chinese and Japanese have no spaces between words, so each character counts as a word.
_WORD_PATTERN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_COMBINING_MARKS = re.compile(r"[\u0300-\u036f]")


def fold_text(text: str) -> str:
    """Remove case and accents from a text for comparison."""
    # NFKD separates letters from their accents, which can then be removed.
    return _COMBINING_MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def extract_words(text: str) -> list[str]:
    """Return the distinct words of a text, in order."""
    return list(
        dict.fromkeys(word[:MAX_WORD_CHARACTERS] for word in _WORD_PATTERN.findall(fold_text(text)))
    )


def encode_index_word(word: str) -> str:
    """Encode a word as ASCII for the index.

    Words with other characters are written as hexadecimal UTF-8: `日` becomes `_e697a5`. An encoded
    prefix is also a prefix of the encoded word, which prefix searches rely on.
    """
    return word if word.isascii() else f"_{word.encode().hex()}"


def make_index_text(texts: Iterable[str]) -> str:
    """Return the encoded words of some texts, as the index stores them."""
    return " ".join(map(encode_index_word, extract_words(" ".join(texts))))


def make_snippet(content: str, words: Iterable[str], max_characters: int = 160) -> str:
    """Return a one-line excerpt of a text for a search result: `… the red fox jumps …`.

    It starts at a word boundary, shortly before the first occurrence of any of the words.

    Args:
        content: The text.
        words: The query words, as returned by `extract_words`.
        max_characters: The maximum length of the excerpt.
    """
    text = " ".join(content.split())
    if len(text) <= max_characters:
        return text
    folded_text = text.casefold()
    positions = [position for word in words if (position := folded_text.find(word)) >= 0]
    # Some preceding text gives the word context.
    start = max(0, min(positions, default=0) - max_characters // 4)
    if start:
        start = text.rfind(" ", 0, start + 1) + 1
    end = start + max_characters
    if end < len(text) and " " in text[start:end]:
        end = text.rfind(" ", start, end + 1)
    prefix = "… " if start else ""
    suffix = " …" if end < len(text) else ""
    return f"{prefix}{text[start:end].rstrip()}{suffix}"
