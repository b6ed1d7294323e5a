"""Exact arithmetic: values of formulas without variables, and polynomials in one variable."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from paddock.toolkits.alpha.offline.formulas import (
    FormulaCall,
    FormulaName,
    FormulaNumber,
    find_variables,
)
from paddock.toolkits.alpha.offline.offline_answer import UncertainAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.toolkits.alpha.offline.formulas import Formula


NumberT = TypeVar("NumberT", Fraction, complex)
MAX_FRACTION_BITS = 3000  # About 900 digits, more than anyone can read.
MAX_FACTORIAL_ARGUMENT = 400
MAX_POLYNOMIAL_DEGREE = 12
MAX_SEARCHED_COEFFICIENT = 10**6  # The search for rational roots tries all divisors.


class InexactValueError(UncertainAnswerError):
    """The value of a formula is not a fraction, or too large."""


def compute_fraction(formula: Formula) -> Fraction:
    """Return the exact value of a formula without variables.

    Raises:
        InexactValueError: The value is not a fraction, or too large.
        UncertainAnswerError: The formula has no value.
    """
    if isinstance(formula, FormulaNumber):
        return _check_size(formula.value)
    if isinstance(formula, FormulaName):
        raise InexactValueError(formula.name)
    values = [compute_fraction(arg) for arg in formula.arguments]
    compute = _EXACT_FUNCTIONS.get(formula.head)
    if compute is None:
        raise InexactValueError(formula.head)
    return _check_size(compute(*values))


def _check_size(value: Fraction) -> Fraction:
    """Return a value, or raise an error if it has too many digits to be useful."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_FRACTION_BITS:
        raise InexactValueError("too large")
    return value


def _multiply(*values: Fraction) -> Fraction:
    product = Fraction(1)
    for factor in values:
        product = _check_size(product * factor)
    return product


def _exponentiate(base: Fraction, exponent: Fraction) -> Fraction:
    """Return a power with an integer exponent, or a rational square root.

    Raises:
        InexactValueError: The power is not a fraction, or is too large. The size is estimated
            first, so a huge power is never computed.
        UncertainAnswerError: The power is undefined.
    """
    if exponent.denominator != 1:
        if exponent == Fraction(1, 2):
            return _compute_square_root(base)
        raise InexactValueError("a root other than the square root")
    if base == 0 and exponent <= 0:
        raise UncertainAnswerError("division by zero, or zero to the power of zero")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    # Powers of 0, 1 and -1, which have one bit, are never large. For other bases, the estimate may
    # be twice the size. The exact size is checked after the computation.
    if bits > 1 and abs(exponent) * bits > 2 * MAX_FRACTION_BITS:
        raise InexactValueError("too large")
    return base ** int(exponent)


def _compute_square_root(value: Fraction) -> Fraction:
    if value < 0:
        raise UncertainAnswerError("the square root of a negative number")
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    if root**2 != value:
        raise InexactValueError("an irrational root")
    return root


def _compute_factorial(value: Fraction) -> Fraction:
    if value.denominator != 1 or value < 0:
        raise UncertainAnswerError("the factorial of a number that is not a natural number")
    if value > MAX_FACTORIAL_ARGUMENT:
        raise InexactValueError("too large")
    return Fraction(math.factorial(int(value)))


_EXACT_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "Plus": lambda *values: sum(values, Fraction(0)),
    "Times": _multiply,
    "Power": _exponentiate,
    "Sqrt": _compute_square_root,
    "Factorial": _compute_factorial,
    "Abs": abs,
}


def get_coefficients(formula: Formula, name: str) -> list[Fraction]:
    """Return the coefficients of a polynomial in a variable, starting with the highest power.

    For example, `x^2 - 1` has the coefficients `[1, 0, -1]`. The zero polynomial has none.

    Raises:
        UncertainAnswerError: The formula is not a polynomial.
    """
    coefficients = _get_ascending_coefficients(formula, name)
    while coefficients and coefficients[-1] == 0:
        coefficients.pop()
    return coefficients[::-1]


def has_rational_root(polynomial: list[Fraction]) -> bool:
    """Return True if a polynomial with small integer coefficients has a rational root.

    Args:
        polynomial: The coefficients, starting with the highest power. At least one is required.

    Raises:
        UncertainAnswerError: A coefficient is not an integer or not small.
    """
    if any(
        coefficient.denominator != 1 or abs(coefficient) > MAX_SEARCHED_COEFFICIENT
        for coefficient in polynomial
    ):
        raise UncertainAnswerError("a coefficient is not an integer or is too large")
    if polynomial[-1] == 0:
        return True
    # By the rational root theorem, the numerator of a root divides the last coefficient, and its
    # denominator divides the first one.
    numerators = _list_divisors(int(polynomial[-1]))
    denominators = _list_divisors(int(polynomial[0]))
    candidates = (
        Fraction(sign * numerator, denominator)
        for numerator in numerators
        for denominator in denominators
        for sign in (1, -1)
    )
    return any(evaluate_polynomial(polynomial, candidate) == 0 for candidate in candidates)


def evaluate_polynomial(polynomial: Sequence[NumberT], x: NumberT) -> NumberT:
    """Return the value of a polynomial whose coefficients start with the highest power."""
    return reduce(lambda value, coefficient: value * x + coefficient, polynomial)


def is_squarefree(polynomial: list[Fraction]) -> bool:
    """Return True if all roots are simple (no common divisor with the derivative)."""
    degree = len(polynomial) - 1
    derivative = [
        coefficient * (degree - index) for index, coefficient in enumerate(polynomial[:-1])
    ]
    return len(_find_common_divisor(polynomial, derivative)) == 1


def _get_ascending_coefficients(formula: Formula, name: str) -> list[Fraction]:
    """Return the coefficients of a polynomial in a variable, starting with the constant term.

    Raises:
        UncertainAnswerError: The formula is not a polynomial.
    """
    if name not in find_variables(formula):
        return [compute_fraction(formula)]
    if not isinstance(formula, FormulaCall):
        return [Fraction(0), Fraction(1)]  # the variable alone: 0 + 1 x
    arguments = formula.arguments
    if formula.head in ("Plus", "Times"):
        combine = _add_polynomials if formula.head == "Plus" else _multiply_polynomials
        return combine([_get_ascending_coefficients(argument, name) for argument in arguments])
    if formula.head == "Power" and not find_variables(arguments[1]):
        base, exponent = arguments[0], compute_fraction(arguments[1])
        # A power is multiplied out, so its exponent has to be small.
        if exponent.denominator == 1 and 0 < exponent <= MAX_POLYNOMIAL_DEGREE:
            return _multiply_polynomials([_get_ascending_coefficients(base, name)] * int(exponent))
    raise UncertainAnswerError("not a polynomial")


def _add_polynomials(parts: list[list[Fraction]]) -> list[Fraction]:
    return [sum(terms, Fraction(0)) for terms in zip_longest(*parts, fillvalue=Fraction(0))]


def _multiply_polynomials(factors: list[list[Fraction]]) -> list[Fraction]:
    """Return the product of polynomials, which are lists of coefficients.

    Raises:
        UncertainAnswerError: The degree of the product is too high.
    """
    product = [Fraction(1)]
    for factor in factors:
        degree = (len(product) - 1) + (len(factor) - 1)
        if degree > MAX_POLYNOMIAL_DEGREE:
            raise UncertainAnswerError("the degree of the product is too high")
        coefficients = [Fraction(0)] * (degree + 1)
        for i, left in enumerate(product):
            for j, right in enumerate(factor):
                coefficients[i + j] += left * right
        product = coefficients
    return product


def _find_common_divisor(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    """Apply Euclid's algorithm to polynomials whose coefficients start with the highest power."""
    while second:
        first, second = second, _compute_remainder(first, second)
    return first


def _compute_remainder(dividend: list[Fraction], divisor: list[Fraction]) -> list[Fraction]:
    """Return the remainder of a polynomial division, without leading zeros.

    Polynomials are lists of coefficients, starting with the highest power.
    """
    remainder = list(dividend)
    while len(remainder) >= len(divisor):
        factor = remainder[0] / divisor[0]
        for index, coefficient in enumerate(divisor):
            remainder[index] -= factor * coefficient
        remainder.pop(0)
    while remainder and remainder[0] == 0:
        remainder.pop(0)
    return remainder


def _list_divisors(number: int) -> list[int]:
    number = abs(number)
    small = [divisor for divisor in range(1, int(number**0.5) + 1) if number % divisor == 0]
    return [*small, *(number // divisor for divisor in small)]
