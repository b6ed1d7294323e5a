"""Formulas of one variable as polynomials, worked out exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.exact import InexactValueError, UndefinedValueError, compute_fraction
from paddock.toolkits.alpha.offline.formulas import FormulaCall, FormulaName, find_variables

if TYPE_CHECKING:
    from paddock.toolkits.alpha.offline.formulas import Formula

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
        return _add_polynomials([_get_ascending_coefficients(arg, name) for arg in formula.arguments])
    if isinstance(formula, FormulaCall) and formula.head == "Times":
        return _multiply_polynomials([_get_ascending_coefficients(arg, name) for arg in formula.arguments])
    if isinstance(formula, FormulaCall) and formula.head == "Power" and not find_variables(formula.arguments[1]):
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
