"""Percentages, in the phrases that have one meaning: not `100 + 10%`, nor `5% 3`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.answer import OfflineAnswer
from paddock.toolkits.alpha.offline.numbers import format_fraction

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBER_PATTERN = r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_PERCENT_PATTERN = r" ?(?:%|percent|per cent)"


def answer_percentage(text: str) -> OfflineAnswer | None:
    """The answer to a question about percentages."""
    for pattern, work, wording in _PERCENTAGE_PHRASES:
        found = pattern.fullmatch(text)
        if found:
            first, second = (Fraction(one.replace(",", "")) for one in found.groups())
            try:
                result = work(first, second)
            except ZeroDivisionError:
                return None
            unit = "%" if wording.endswith("?") else ""
            asked = wording.format(*(one.replace(",", "") for one in found.groups()))
            return OfflineAnswer(asked, format_fraction(result, as_decimal=True) + unit)
    return None


def _compile_phrase(
    pattern: str, work: Callable[[Fraction, Fraction], Fraction], wording: str
) -> tuple[re.Pattern[str], Callable[[Fraction, Fraction], Fraction], str]:
    text = pattern.replace("N", NUMBER_PATTERN).replace("%", _PERCENT_PATTERN)
    return re.compile(text, re.IGNORECASE), work, wording


_PERCENTAGE_PHRASES = (
    _compile_phrase("N% of N", lambda part, whole: part * whole / 100, "{0}% of {1}"),
    _compile_phrase(
        "what% of N is N", lambda whole, part: part / whole * 100, "{1} is what percent of {0}?"
    ),
    _compile_phrase(
        "N is what% of N", lambda part, whole: part / whole * 100, "{0} is what percent of {1}?"
    ),
    _compile_phrase("N as a percentage of N", lambda part, whole: part / whole * 100, "{0} of {1}, in %?"),
    _compile_phrase("increase N by N%", lambda one, by: one * (100 + by) / 100, "{0} increased by {1}%"),
    _compile_phrase("decrease N by N%", lambda one, by: one * (100 - by) / 100, "{0} decreased by {1}%"),
    _compile_phrase("N increased by N%", lambda one, by: one * (100 + by) / 100, "{0} increased by {1}%"),
    _compile_phrase("N decreased by N%", lambda one, by: one * (100 - by) / 100, "{0} decreased by {1}%"),
    _compile_phrase("percent change from N to N", lambda a, b: (b - a) / a * 100, "change, {0} to {1}?"),
)
