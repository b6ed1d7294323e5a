"""Percentages, in the phrases that have one meaning: not `100 + 10%`, nor `5% 3`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.answer import OfflineAnswer
from paddock.toolkits.alpha.offline.numbers import shown

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBER = r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_SIGN = r" ?(?:%|percent|per cent)"


def answer_percentage(text: str) -> OfflineAnswer | None:
    """The answer to a question about percentages."""
    for pattern, work, wording in _PHRASES:
        found = pattern.fullmatch(text)
        if found:
            first, second = (Fraction(one.replace(",", "")) for one in found.groups())
            try:
                result = work(first, second)
            except ZeroDivisionError:
                return None
            unit = "%" if wording.endswith("?") else ""
            asked = wording.format(*(one.replace(",", "") for one in found.groups()))
            return OfflineAnswer(asked, shown(result, as_decimal=True) + unit)
    return None


def _phrase(
    pattern: str, work: Callable[[Fraction, Fraction], Fraction], wording: str
) -> tuple[re.Pattern[str], Callable[[Fraction, Fraction], Fraction], str]:
    text = pattern.replace("N", NUMBER).replace("%", _SIGN)
    return re.compile(text, re.IGNORECASE), work, wording


_PHRASES = (
    _phrase("N% of N", lambda part, whole: part * whole / 100, "{0}% of {1}"),
    _phrase(
        "what% of N is N", lambda whole, part: part / whole * 100, "{1} is what percent of {0}?"
    ),
    _phrase(
        "N is what% of N", lambda part, whole: part / whole * 100, "{0} is what percent of {1}?"
    ),
    _phrase("N as a percentage of N", lambda part, whole: part / whole * 100, "{0} of {1}, in %?"),
    _phrase("increase N by N%", lambda one, by: one * (100 + by) / 100, "{0} increased by {1}%"),
    _phrase("decrease N by N%", lambda one, by: one * (100 - by) / 100, "{0} decreased by {1}%"),
    _phrase("N increased by N%", lambda one, by: one * (100 + by) / 100, "{0} increased by {1}%"),
    _phrase("N decreased by N%", lambda one, by: one * (100 - by) / 100, "{0} decreased by {1}%"),
    _phrase("percent change from N to N", lambda a, b: (b - a) / a * 100, "change, {0} to {1}?"),
)
