"""What an offline answer is made of.

Numbers as an answer writes them.

Percentages, in the phrases that have one meaning: not `100 + 10%`, nor `5% 3`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple


class EngineResult(NamedTuple):
    """The value of Wolfram Language code."""

    text: str
    engine: str
    """Who evaluated it."""


EvaluateCode = Callable[[str], EngineResult | None]
"""Evaluates Wolfram Language code; gives nothing when there is no engine, or it cannot."""


class OfflineAnswer(NamedTuple):
    """An answer that is sure."""

    interpretation: str
    """The question as it was understood."""
    result: str
    notes: tuple[str, ...] = ()
    """What was taken for granted."""
    computed_by: str = "Paddock"
    """Who worked it out."""

    @property
    def attribution(self) -> str:
        """What it begins with, so that nobody takes it for an answer of Wolfram|Alpha."""
        return f"Offline: worked out by {self.computed_by}, not by Wolfram|Alpha."

    @property
    def markdown_pieces(self) -> tuple[str, ...]:
        """The answer in Markdown, in the form that those of Wolfram|Alpha have."""
        parts = ["# Input interpretation", self.interpretation, "# Result", self.result]
        if self.notes:
            parts += ["# Notes", *self.notes]
        return tuple(parts)


ROUNDED_DIGITS = 12
"""Of what is rounded."""
_MAX_DECIMAL_CHARACTERS = 30


def format_fraction(value: Fraction, *, as_decimal: bool = False) -> str:
    """A fraction as an integer, a finite decimal, or a fraction with its rounded value."""
    if value.denominator == 1:
        return str(value.numerator)
    decimal = round_fraction(value)
    if is_finite_decimal(value):
        whole = format_finite_decimal(value)
        if len(whole) <= _MAX_DECIMAL_CHARACTERS:
            return whole if as_decimal else f"{value} = {whole}"
    return f"\u2248 {decimal}" if as_decimal else f"{value} \u2248 {decimal}"


def round_fraction(value: Fraction, digits: int = ROUNDED_DIGITS) -> str:
    """A fraction as a rounded decimal."""
    context = Context(prec=digits)
    found = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    _, numerals, exponent = found.as_tuple()
    size = len(numerals) + int(exponent)
    if -5 < size <= digits + 3:
        return f"{found:f}"
    mantissa, _, power = f"{found:e}".partition("e")
    return f"{mantissa}\u00d710^{int(power)}"


def is_finite_decimal(value: Fraction) -> bool:
    """Whether a fraction can be written as a decimal without rounding."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def format_finite_decimal(value: Fraction) -> str:
    """Such a fraction as a decimal."""
    context = Context(prec=4000)
    found = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{found.normalize(context):f}"


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
    _compile_phrase(
        "N as a percentage of N", lambda part, whole: part / whole * 100, "{0} of {1}, in %?"
    ),
    _compile_phrase(
        "increase N by N%", lambda one, by: one * (100 + by) / 100, "{0} increased by {1}%"
    ),
    _compile_phrase(
        "decrease N by N%", lambda one, by: one * (100 - by) / 100, "{0} decreased by {1}%"
    ),
    _compile_phrase(
        "N increased by N%", lambda one, by: one * (100 + by) / 100, "{0} increased by {1}%"
    ),
    _compile_phrase(
        "N decreased by N%", lambda one, by: one * (100 - by) / 100, "{0} decreased by {1}%"
    ),
    _compile_phrase(
        "percent change from N to N", lambda a, b: (b - a) / a * 100, "change, {0} to {1}?"
    ),
)
