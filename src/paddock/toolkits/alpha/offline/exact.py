"""Formulas without variables, worked out exactly: fractions, of a size that people can read."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.formulas import FormulaName, FormulaNumber

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.formulas import Formula

MAX_FRACTION_BITS = 3000
"""Of numerator and denominator: some nine hundred digits."""
MAX_FACTORIAL_ARGUMENT = 400


class InexactValueError(ValueError):
    """The value of a formula is no fraction, or too large."""


class UndefinedValueError(ValueError):
    """A formula has no value."""


def compute_fraction(formula: Formula) -> Fraction:
    """The value of a formula.

    Raises:
        NotExactError: when it is no fraction, or one that is too large.
        UndefinedError: when there is none.
    """
    if isinstance(formula, FormulaNumber):
        return _check_size(formula.value)
    if isinstance(formula, FormulaName):
        raise InexactValueError(formula.name)
    values = [compute_fraction(arg) for arg in formula.arguments]
    work = _EXACT_FUNCTIONS.get(formula.head)
    if work is None:
        raise InexactValueError(formula.head)
    return _check_size(work(values))


def _check_size(found: Fraction) -> Fraction:
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > MAX_FRACTION_BITS:
        raise InexactValueError("too large")
    return found


def _multiply(values: list[Fraction]) -> Fraction:
    found = Fraction(1)
    for one in values:
        found = _check_size(found * one)
    return found


def _exponentiate(values: list[Fraction]) -> Fraction:
    below, above = values
    if above.denominator != 1:
        if above == Fraction(1, 2):
            return _compute_square_root([below])
        raise InexactValueError("a root")
    if below == 0 and above <= 0:
        raise UndefinedValueError("division by zero, or zero to the power of zero")
    size = max(below.numerator.bit_length(), below.denominator.bit_length())
    if size > 1 and abs(above) * size > 2 * MAX_FRACTION_BITS:
        raise InexactValueError("too large")
    return below ** int(above)


def _compute_square_root(values: list[Fraction]) -> Fraction:
    top, bottom = values[0].numerator, values[0].denominator
    if top < 0:
        raise UndefinedValueError("the root of a negative number")
    if math.isqrt(top) ** 2 != top or math.isqrt(bottom) ** 2 != bottom:
        raise InexactValueError("a root")
    return Fraction(math.isqrt(top), math.isqrt(bottom))


def _compute_factorial(values: list[Fraction]) -> Fraction:
    if values[0].denominator != 1 or values[0] < 0:
        raise UndefinedValueError("the factorial of what is no natural number")
    if values[0] > MAX_FACTORIAL_ARGUMENT:
        raise InexactValueError("too large")
    return Fraction(math.factorial(int(values[0])))


_EXACT_FUNCTIONS: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "Plus": lambda values: sum(values, Fraction(0)),
    "Times": _multiply,
    "Power": _exponentiate,
    "Sqrt": _compute_square_root,
    "Factorial": _compute_factorial,
    "Abs": lambda values: abs(values[0]),
}
