"""Formulas without variables, worked out exactly: fractions, of a size that people can read.

Formulas of one variable as polynomials, worked out exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.formulas import (
    FormulaCall,
    FormulaName,
    FormulaNumber,
    find_variables,
)

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


MAX_POLYNOMIAL_DEGREE = 12


class NotPolynomialError(ValueError):
    """A formula is no polynomial, or one of a high degree."""


def get_coefficients(formula: Formula, name: str) -> list[Fraction]:
    """The coefficients of a polynomial, from the highest on; of zero there are none.

    Raises:
        NoPolynomialError: when it is none.
    """
    found = _get_ascending_coefficients(formula, name)
    while found and found[-1] == 0:
        found.pop()
    return found[::-1]


def has_rational_root(polynomial: list[Fraction]) -> bool:
    """Whether a polynomial with small whole coefficients has a root that is a fraction.

    Raises:
        NoPolynomialError: when the coefficients are not whole or not small.
    """
    most = 10**6
    if any(one.denominator != 1 or abs(one) > most for one in polynomial):
        raise NotPolynomialError("large coefficients")
    if polynomial[-1] == 0:
        return True
    tops, bottoms = _list_divisors(int(polynomial[-1])), _list_divisors(int(polynomial[0]))
    candidates = (
        Fraction(sign * top, below) for top in tops for below in bottoms for sign in (1, -1)
    )
    return any(evaluate_polynomial(polynomial, one) == 0 for one in candidates)


def evaluate_polynomial(polynomial: list[Fraction], x: Fraction) -> Fraction:
    """The value of a polynomial, given from the highest coefficient on."""
    found = Fraction(0)
    for one in polynomial:
        found = found * x + one
    return found


def is_squarefree(polynomial: list[Fraction]) -> bool:
    """Whether all roots are simple: no common factor with the derivative."""
    degree = len(polynomial) - 1
    slope = [one * (degree - place) for place, one in enumerate(polynomial[:-1])]
    return len(_find_common_divisor(polynomial, slope)) == 1


def _get_ascending_coefficients(formula: Formula, name: str) -> list[Fraction]:
    if name not in find_variables(formula):
        try:
            return [compute_fraction(formula)]
        except (InexactValueError, UndefinedValueError):
            raise NotPolynomialError("a constant that is no fraction") from None
    if isinstance(formula, FormulaName):
        return [Fraction(0), Fraction(1)]
    if isinstance(formula, FormulaCall) and formula.head == "Plus":
        return _add_polynomials(
            [_get_ascending_coefficients(arg, name) for arg in formula.arguments]
        )
    if isinstance(formula, FormulaCall) and formula.head == "Times":
        return _multiply_polynomials(
            [_get_ascending_coefficients(arg, name) for arg in formula.arguments]
        )
    if (
        isinstance(formula, FormulaCall)
        and formula.head == "Power"
        and not find_variables(formula.arguments[1])
    ):
        below, above = formula.arguments
        exponent = _get_ascending_coefficients(above, name)[0]
        if exponent.denominator == 1 and 0 < exponent <= MAX_POLYNOMIAL_DEGREE:
            return _multiply_polynomials([_get_ascending_coefficients(below, name)] * int(exponent))
    raise NotPolynomialError("another function")


def _add_polynomials(parts: list[list[Fraction]]) -> list[Fraction]:
    length = max(map(len, parts))
    return [
        sum((part[at] for part in parts if at < len(part)), Fraction(0)) for at in range(length)
    ]


def _multiply_polynomials(parts: list[list[Fraction]]) -> list[Fraction]:
    found = [Fraction(1)]
    for part in parts:
        if len(found) + len(part) > MAX_POLYNOMIAL_DEGREE + 2:
            raise NotPolynomialError("a high degree")
        new = [Fraction(0)] * (len(found) + len(part) - 1)
        for at, one in enumerate(found):
            for beside, other in enumerate(part):
                new[at + beside] += one * other
        found = new
    return found


def _find_common_divisor(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    """Euclid's algorithm, from the highest coefficient on."""
    while other:
        one, other = other, _compute_remainder(one, other)
    return one


def _compute_remainder(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    rest = list(one)
    while len(rest) >= len(other):
        factor = rest[0] / other[0]
        for at, coefficient in enumerate(other):
            rest[at] -= factor * coefficient
        rest.pop(0)
    while rest and rest[0] == 0:
        rest.pop(0)
    return rest


def _list_divisors(number: int) -> list[int]:
    number = abs(number)
    small = [one for one in range(1, int(number**0.5) + 1) if number % one == 0]
    return [*small, *(number // one for one in small)]
