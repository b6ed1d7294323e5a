"""Formulas without variables, worked out exactly: fractions, of a size that people can read."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.formulas import Name, Number

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.formulas import Formula

MOST_BITS = 3000
"""Of numerator and denominator: some nine hundred digits."""
MOST_FACTORIAL = 400


class NotExactError(ValueError):
    """The value of a formula is no fraction, or too large."""


class UndefinedError(ValueError):
    """A formula has no value."""


def exact(formula: Formula) -> Fraction:
    """The value of a formula.

    Raises:
        NotExactError: when it is no fraction, or one that is too large.
        UndefinedError: when there is none.
    """
    if isinstance(formula, Number):
        return _sized(formula.value)
    if isinstance(formula, Name):
        raise NotExactError(formula.name)
    values = [exact(arg) for arg in formula.args]
    work = _FUNCTIONS.get(formula.head)
    if work is None:
        raise NotExactError(formula.head)
    return _sized(work(values))


def _sized(found: Fraction) -> Fraction:
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > MOST_BITS:
        raise NotExactError("too large")
    return found


def _product(values: list[Fraction]) -> Fraction:
    found = Fraction(1)
    for one in values:
        found = _sized(found * one)
    return found


def _power(values: list[Fraction]) -> Fraction:
    below, above = values
    if above.denominator != 1:
        if above == Fraction(1, 2):
            return _root([below])
        raise NotExactError("a root")
    if below == 0 and above <= 0:
        raise UndefinedError("division by zero, or zero to the power of zero")
    size = max(below.numerator.bit_length(), below.denominator.bit_length())
    if size > 1 and abs(above) * size > 2 * MOST_BITS:
        raise NotExactError("too large")
    return below ** int(above)


def _root(values: list[Fraction]) -> Fraction:
    top, bottom = values[0].numerator, values[0].denominator
    if top < 0:
        raise UndefinedError("the root of a negative number")
    if math.isqrt(top) ** 2 != top or math.isqrt(bottom) ** 2 != bottom:
        raise NotExactError("a root")
    return Fraction(math.isqrt(top), math.isqrt(bottom))


def _factorial(values: list[Fraction]) -> Fraction:
    if values[0].denominator != 1 or values[0] < 0:
        raise UndefinedError("the factorial of what is no natural number")
    if values[0] > MOST_FACTORIAL:
        raise NotExactError("too large")
    return Fraction(math.factorial(int(values[0])))


_FUNCTIONS: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "Plus": lambda values: sum(values, Fraction(0)),
    "Times": _product,
    "Power": _power,
    "Sqrt": _root,
    "Factorial": _factorial,
    "Abs": lambda values: abs(values[0]),
}
