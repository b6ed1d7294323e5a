"""Offline answers: their parts, number formats, and answers about percentages.

Percentage questions are answered only if the phrase is unambiguous, unlike `100 + 10%` or `5% 3`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

ROUNDED_DIGITS = 12  # Significant digits of rounded results.
_MAX_DECIMAL_CHARACTERS = 30
NUMBER_PATTERN = r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_PERCENT_PATTERN = r" ?(?:%|percent|per cent)"


class UncertainAnswerError(ValueError):
    """A question has no certain answer: it is ambiguous, or the result could not be verified."""


class EngineResult(NamedTuple):
    """The result of evaluating Wolfram Language code with an engine."""

    text: str
    """The result as Wolfram Language code."""
    engine: str
    """The name of the engine, which the answer mentions."""
    notes: tuple[str, ...] = ()
    """Remarks for the user, such as that the constant of integration is omitted."""


EvaluateCode = Callable[[str], EngineResult | None]
"""Evaluates Wolfram Language code. Returns None if there is no engine or no result."""


class OfflineAnswer(NamedTuple):
    """An answer that Paddock computed with certainty, without asking Wolfram|Alpha."""

    interpretation: str
    """The question as it was understood."""
    result: str
    notes: tuple[str, ...] = ()
    """Remarks for the user, such as an assumption behind the answer."""
    computed_by: str = "Paddock"
    """The program or engine that computed the result."""

    @property
    def attribution(self) -> str:
        """The first line of the answer, which names the source of the result for the model."""
        return f"Offline: computed by {self.computed_by}, not by Wolfram|Alpha."

    @property
    def markdown_pieces(self) -> tuple[str, ...]:
        """The answer as Markdown texts, with the same headings as Wolfram|Alpha results."""
        parts = ["# Input interpretation", self.interpretation, "# Result", self.result]
        if self.notes:
            parts += ["# Notes", *self.notes]
        return tuple(parts)


def format_fraction(value: Fraction, *, as_decimal: bool = False) -> str:
    """Format a fraction such as `7`, `3/4 = 0.75` or `1/3 \u2248 0.333333333333`.

    Args:
        value: The fraction.
        as_decimal: Whether to show only the decimal, because the question contains decimals.
    """
    if value.denominator == 1:
        return str(value.numerator)
    if is_finite_decimal(value):
        exact_decimal = format_finite_decimal(value)
        if len(exact_decimal) <= _MAX_DECIMAL_CHARACTERS:
            return exact_decimal if as_decimal else f"{value} = {exact_decimal}"
    rounded_decimal = f"\u2248 {round_fraction(value)}"
    return rounded_decimal if as_decimal else f"{value} {rounded_decimal}"


def round_fraction(value: Fraction, digits: int = ROUNDED_DIGITS) -> str:
    """Format a fraction as a decimal, rounded to a number of significant digits.

    Very large and very small values use scientific notation, with a power of ten.
    """
    context = Context(prec=digits)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    rounded = quotient.normalize(context)
    _, decimal_digits, exponent = rounded.as_tuple()
    digits_before_point = len(decimal_digits) + int(exponent)
    is_readable_in_full = -5 < digits_before_point <= digits + 3
    if is_readable_in_full:
        return f"{rounded:f}"
    mantissa, _, power = f"{rounded:e}".partition("e")
    return f"{mantissa}\u00d710^{int(power)}"


def is_finite_decimal(value: Fraction) -> bool:
    """Return True if a fraction has a finite decimal expansion."""
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1


def format_finite_decimal(value: Fraction) -> str:
    """Format a fraction with a finite decimal expansion without rounding."""
    context = Context(prec=4000)
    decimal = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{decimal.normalize(context):f}"


Phrases = Sequence[tuple[str, Callable[..., OfflineAnswer | None]]]
"""Question patterns, each with a function that answers the question from the pattern's groups."""


def answer_by_phrase(phrases: Phrases, text: str) -> OfflineAnswer | None:
    """Return the answer for the first phrase that matches the whole question, or None."""
    for pattern, answer in phrases:
        match = re.fullmatch(pattern, text, re.IGNORECASE)
        if match:
            return answer(*match.groups())
    return None


def answer_percentage(text: str) -> OfflineAnswer | None:
    """Answer a question such as "15% of 80" or "3 is what percent of 12", or return None."""
    for pattern, compute, wording in _PERCENTAGE_PHRASES:
        match = re.fullmatch(pattern, text, re.IGNORECASE)
        if match:
            first, second = (group.replace(",", "") for group in match.groups())
            try:
                result = compute(Fraction(first), Fraction(second))
            except ZeroDivisionError:
                return None
            # The phrases that are worded as questions ask for a percentage.
            unit = "%" if wording.endswith("?") else ""
            return OfflineAnswer(
                wording.format(first, second), format_fraction(result, as_decimal=True) + unit
            )
    return None


def _increase(number: Fraction, percent: Fraction) -> Fraction:
    return number * (100 + percent) / 100


def _decrease(number: Fraction, percent: Fraction) -> Fraction:
    return number * (100 - percent) / 100


def _compute_percentage(part: Fraction, whole: Fraction) -> Fraction:
    return part / whole * 100


_N, _P = NUMBER_PATTERN, _PERCENT_PATTERN
_PERCENTAGE_PHRASES: Sequence[tuple[str, Callable[[Fraction, Fraction], Fraction], str]] = (
    (f"{_N}{_P} of {_N}", lambda part, whole: part * whole / 100, "{0}% of {1}"),
    (
        f"what{_P} of {_N} is {_N}",
        lambda whole, part: _compute_percentage(part, whole),
        "{1} is what percent of {0}?",
    ),
    (f"{_N} is what{_P} of {_N}", _compute_percentage, "{0} is what percent of {1}?"),
    (f"{_N} as a percentage of {_N}", _compute_percentage, "{0} of {1}, in %?"),
    (f"increase {_N} by {_N}{_P}", _increase, "{0} increased by {1}%"),
    (f"decrease {_N} by {_N}{_P}", _decrease, "{0} decreased by {1}%"),
    (f"{_N} increased by {_N}{_P}", _increase, "{0} increased by {1}%"),
    (f"{_N} decreased by {_N}{_P}", _decrease, "{0} decreased by {1}%"),
    (
        f"percent change from {_N} to {_N}",
        lambda before, after: (after - before) / before * 100,
        "change, {0} to {1}?",
    ),
)
"""Patterns, the functions of both numbers to compute, and the question as understood."""
