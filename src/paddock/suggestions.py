"""Suggestions for misspelled names."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_LIKENESS = 0.7
"""Lowest `difflib` similarity ratio (0 to 1) of a suggested word."""


def find_similar(
    word: str, known: Iterable[str], *, most: int = 3, likeness: float = MIN_LIKENESS
) -> list[str]:
    """Return up to `most` known words similar to `word`, best first, ignoring case."""
    names_by_casefold = {name.casefold(): name for name in known}
    matches = get_close_matches(word.casefold(), names_by_casefold, n=most, cutoff=likeness)
    return [names_by_casefold[match] for match in matches]


def did_you_mean(
    word: str, known: Iterable[str], *, most: int = 3, likeness: float = MIN_LIKENESS
) -> str | None:
    """Return a "did you mean …?" hint, or None if no known word is similar."""
    similar_words = find_similar(word, known, most=most, likeness=likeness)
    return f"did you mean {' or '.join(similar_words)}?" if similar_words else None
