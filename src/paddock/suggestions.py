"""Which of the words that there are somebody may have meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_LIKENESS = 0.7
"""How like a word has to be, from 0 to 1."""


def find_similar(
    word: str, known: Iterable[str], *, most: int = 3, likeness: float = MIN_LIKENESS
) -> list[str]:
    """The known words that are most like one, compared without case."""
    lower = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), lower, n=most, cutoff=likeness)
    return [lower[name] for name in found]


def did_you_mean(
    word: str, known: Iterable[str], *, most: int = 3, likeness: float = MIN_LIKENESS
) -> str | None:
    """A hint that offers the nearest words, when there are any."""
    found = find_similar(word, known, most=most, likeness=likeness)
    return f"did you mean {' or '.join(found)}?" if found else None
