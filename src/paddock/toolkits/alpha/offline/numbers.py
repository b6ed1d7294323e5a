"""Numbers as an answer writes them."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

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
