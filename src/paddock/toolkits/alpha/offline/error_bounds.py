"""Decimal values of formulas without variables, with error bounds that make all digits certain.

Each value has an error bound that accounts for every rounding. Cancellation, as in
`sqrt(10^30+1)-10^15`, and points near a discontinuity show up as a large error.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.alpha.offline.exact import InexactValueError, compute_fraction
from paddock.toolkits.alpha.offline.formulas import CONSTANT_VALUES, FormulaCall, FormulaName
from paddock.toolkits.alpha.offline.offline_answer import UncertainAnswerError

if TYPE_CHECKING:
    from paddock.toolkits.alpha.offline.formulas import Formula

ROUNDING_ERROR = 2 * sys.float_info.epsilon
"""Twice the error of one floating-point operation, to also cover library functions."""
SHOWN_DIGITS = 10
"""The number of digits to show, all of them certain."""


class BoundedValue(NamedTuple):
    """A value and a bound on its error."""

    value: float
    error: float


BoundedFunction = Callable[..., BoundedValue]
"""A function of one or more bounded values."""


def evaluate_with_bounds(formula: Formula) -> BoundedValue:
    """Evaluate a formula in floating point, with a bound on the error of the value.

    The true value lies between `value - error` and `value + error`. Parts with rational values
    are computed exactly, so only their conversion to floating point is rounded.

    Raises:
        UncertainAnswerError: The value is undefined, not real or too large.
    """
    try:
        return _add_rounding_error(float(compute_fraction(formula)), 0.0)
    except InexactValueError:
        pass
    except OverflowError:
        raise UncertainAnswerError("too large") from None
    if isinstance(formula, FormulaName):
        if formula.name not in CONSTANT_VALUES:
            raise UncertainAnswerError(f"{formula.name} has no value")
        return _add_rounding_error(CONSTANT_VALUES[formula.name], 0.0)
    if not isinstance(formula, FormulaCall):  # a number beyond the size of exact values
        raise UncertainAnswerError("too large")
    return _evaluate_call(formula)


def _evaluate_call(formula: FormulaCall) -> BoundedValue:
    """Evaluate the arguments of a function with error bounds, and then the function."""
    compute = _BOUNDED_FUNCTIONS.get(formula.head)
    if compute is None:
        raise UncertainAnswerError(f"{formula.head} has no error bound")
    try:
        value = compute(*map(evaluate_with_bounds, formula.arguments))
    except (ArithmeticError, ValueError) as error:
        raise UncertainAnswerError(str(error)) from None
    if not (math.isfinite(value.value) and math.isfinite(value.error)):
        raise UncertainAnswerError("not finite")
    return value


def is_certain(bounded: BoundedValue) -> bool:
    """Return True if all digits that will be shown are certain."""
    return bounded.error < abs(bounded.value) * 10.0 ** -(SHOWN_DIGITS + 1)


def format_value(bounded: BoundedValue) -> str:
    """Format a value with as many digits as its error bound makes certain.

    The value must pass `is_certain`, which ensures that at least one digit is certain.
    """
    lowest, highest = bounded.value - bounded.error, bounded.value + bounded.error
    for digits in range(SHOWN_DIGITS, 0, -1):
        text = f"{lowest:.{digits}g}"
        if text == f"{highest:.{digits}g}":
            mantissa, _, exponent = text.partition("e")
            return f"{mantissa}\u00d710^{int(exponent)}" if exponent else text
    raise UncertainAnswerError("no digit is certain")


def _add_rounding_error(value: float, error: float) -> BoundedValue:
    """Return a value whose error bound includes one operation's rounding error."""
    return BoundedValue(value, error + abs(value) * ROUNDING_ERROR)


def _add(*values: BoundedValue) -> BoundedValue:
    total = BoundedValue(0.0, 0.0)
    for term in values:
        total = _add_rounding_error(total.value + term.value, total.error + term.error)
    return total


def _multiply(*values: BoundedValue) -> BoundedValue:
    """Return the product of values.

    The error of `a b` is at most `|a| error(b) + |b| error(a) + error(a) error(b)`.
    """
    product = BoundedValue(1.0, 0.0)
    for factor in values:
        error = (
            abs(product.value) * factor.error
            + abs(factor.value) * product.error
            + product.error * factor.error
        )
        product = _add_rounding_error(product.value * factor.value, error)
    return product


def _exponentiate(base: BoundedValue, exponent: BoundedValue) -> BoundedValue:
    """Return a power as `exp(exponent * log(base))`.

    Bases that may be zero or negative are rejected, except for the exponent -1.
    """
    if exponent.value == -1.0:  # A division is represented by this exponent, which is exact.
        return _invert(base)
    return _compute_exponential(_multiply(_compute_logarithm(base), exponent))


def _invert(divisor: BoundedValue) -> BoundedValue:
    """Return the reciprocal of a value, which must not be zero anywhere in its interval."""
    min_magnitude = abs(divisor.value) - divisor.error
    if min_magnitude <= 0:
        raise UncertainAnswerError("the divisor may be zero")
    return _add_rounding_error(
        1 / divisor.value, divisor.error / (min_magnitude * abs(divisor.value))
    )


def _compute_exponential(exponent: BoundedValue) -> BoundedValue:
    exponential = math.exp(exponent.value)
    return _add_rounding_error(exponential, exponential * math.expm1(exponent.error))


def _get_positive_minimum(argument: BoundedValue) -> float:
    """Return the lower end of an interval. It must be positive, as for a logarithm or root."""
    minimum = argument.value - argument.error
    if minimum <= 0:
        raise UncertainAnswerError("the argument may not be positive")
    return minimum


def _compute_logarithm(argument: BoundedValue) -> BoundedValue:
    minimum = _get_positive_minimum(argument)
    return _add_rounding_error(math.log(argument.value), argument.error / minimum)


def _compute_square_root(argument: BoundedValue) -> BoundedValue:
    minimum = _get_positive_minimum(argument)
    return _add_rounding_error(math.sqrt(argument.value), argument.error / math.sqrt(minimum))


def _create_logarithm(base: float) -> BoundedFunction:
    """Create the logarithm for a base."""
    factor = _add_rounding_error(1 / math.log(base), 0.0)
    return lambda argument: _multiply(_compute_logarithm(argument), factor)


def _bound_lipschitz_function(compute: Callable[[float], float]) -> BoundedFunction:
    """Add error bounds to a function whose slope is at most one, so errors do not grow."""
    return lambda argument: _add_rounding_error(compute(argument.value), argument.error)


_compute_sine = _bound_lipschitz_function(math.sin)
_compute_cosine = _bound_lipschitz_function(math.cos)


def _compute_tangent(angle: BoundedValue) -> BoundedValue:
    return _multiply(_compute_sine(angle), _invert(_compute_cosine(angle)))


def _create_hyperbolic(sign: float) -> BoundedFunction:
    """Return the hyperbolic cosine (sign 1) or sine (sign -1), with error bounds.

    It is half the sum or difference of the exponentials of `x` and `-x`.
    """

    def compute_with_bounds(argument: BoundedValue) -> BoundedValue:
        exponential = _compute_exponential(argument)
        reciprocal = _compute_exponential(BoundedValue(-argument.value, argument.error))
        signed_reciprocal = BoundedValue(sign * reciprocal.value, reciprocal.error)
        return _multiply(_add(exponential, signed_reciprocal), BoundedValue(0.5, 0.0))

    return compute_with_bounds


def _bound_inverse_sine(compute: Callable[[float], float]) -> BoundedFunction:
    """Return the inverse sine or cosine with error bounds.

    The error is at most the error of the argument times the largest slope in its interval.

    Args:
        compute: `math.asin` or `math.acos`.
    """

    def compute_with_bounds(argument: BoundedValue) -> BoundedValue:
        # The slope 1/sqrt(1-x^2) is unbounded at the ends of the domain.
        min_radicand = 1 - (abs(argument.value) + argument.error) ** 2
        if min_radicand <= 0:
            raise UncertainAnswerError("the argument is too close to the end of the domain")
        return _add_rounding_error(
            compute(argument.value), argument.error / math.sqrt(min_radicand)
        )

    return compute_with_bounds


_BOUNDED_FUNCTIONS: dict[str, BoundedFunction] = {
    "Plus": _add,
    "Times": _multiply,
    "Power": _exponentiate,
    "Sqrt": _compute_square_root,
    "Exp": _compute_exponential,
    "Log": _compute_logarithm,
    "Log2": _create_logarithm(2),
    "Log10": _create_logarithm(10),
    "Sin": _compute_sine,
    "Cos": _compute_cosine,
    "Tan": _compute_tangent,
    "Cot": lambda angle: _invert(_compute_tangent(angle)),
    "Sec": lambda angle: _invert(_compute_cosine(angle)),
    "Csc": lambda angle: _invert(_compute_sine(angle)),
    "ArcTan": _bound_lipschitz_function(math.atan),
    "ArcSin": _bound_inverse_sine(math.asin),
    "ArcCos": _bound_inverse_sine(math.acos),
    "Sinh": _create_hyperbolic(-1.0),
    "Cosh": _create_hyperbolic(1.0),
    "Tanh": _bound_lipschitz_function(math.tanh),
    "Abs": lambda argument: BoundedValue(abs(argument.value), argument.error),
}
