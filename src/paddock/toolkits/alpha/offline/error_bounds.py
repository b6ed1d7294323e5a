"""Decimal values of formulas without variables, with error bounds, so that all digits are certain.

Each value has a bound for its error that includes every rounding. Cancellation, as in
`sqrt(10^30+1)-10^15`, and points near a discontinuity show as a large error.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.alpha.offline.exact import InexactValueError, compute_fraction
from paddock.toolkits.alpha.offline.formulas import CONSTANT_VALUES, FormulaCall, FormulaName

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.formulas import Formula

ROUNDING_ERROR = 2 * sys.float_info.epsilon
"""Twice the error of one floating-point operation, to cover library functions too."""
SHOWN_DIGITS = 10
"""The number of digits to show, all of them certain."""


class UncertainValueError(ValueError):
    """The value is not real, not finite, or not known well enough."""


class BoundedValue(NamedTuple):
    """A value and a bound for its error."""

    value: float
    error: float


def evaluate_with_bounds(formula: Formula) -> BoundedValue:
    """Evaluate a formula with an error bound.

    Parts that are fractions are computed exactly first, so that only the final conversion to
    floating point is rounded.

    Raises:
        UndefinedValueError: The formula has no value.
        UncertainValueError: The value is not real, too large, or of an unknown function.
    """
    try:
        return _add_rounding_error(float(compute_fraction(formula)), 0.0)
    except InexactValueError:
        pass
    except OverflowError:
        raise UncertainValueError("too large") from None
    if isinstance(formula, FormulaName):
        if formula.name not in CONSTANT_VALUES:
            raise UncertainValueError(formula.name)
        return _add_rounding_error(CONSTANT_VALUES[formula.name], 0.0)
    if not isinstance(formula, FormulaCall):  # a number beyond the size of exact values
        raise UncertainValueError("too large")
    compute = _BOUNDED_FUNCTIONS.get(formula.head)
    if compute is None:
        raise UncertainValueError(formula.head)
    try:
        value = compute([evaluate_with_bounds(arg) for arg in formula.arguments])
    except (ArithmeticError, ValueError) as error:
        raise UncertainValueError(str(error)) from None
    if not (math.isfinite(value.value) and math.isfinite(value.error)):
        raise UncertainValueError("not finite")
    return value


def is_certain(bounded: BoundedValue) -> bool:
    """Return True if all digits to show are certain."""
    return bounded.error < abs(bounded.value) * 10.0 ** -(SHOWN_DIGITS + 1)


def format_value(bounded: BoundedValue) -> str:
    """Format a certain value with all digits on which both ends of its interval agree."""
    ends = (bounded.value - bounded.error, bounded.value + bounded.error)
    text = next(
        first
        for digits in range(SHOWN_DIGITS, 0, -1)
        for first, last in [[f"{end:.{digits}g}" for end in ends]]
        if first == last
    )
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}\u00d710^{int(exponent)}" if exponent else text


def _add_rounding_error(value: float, error: float) -> BoundedValue:
    """Return a value whose error bound includes the rounding of one operation."""
    return BoundedValue(value, error + abs(value) * ROUNDING_ERROR)


def _add(values: list[BoundedValue]) -> BoundedValue:
    total = BoundedValue(0.0, 0.0)
    for term in values:
        total = _add_rounding_error(total.value + term.value, total.error + term.error)
    return total


def _multiply(values: list[BoundedValue]) -> BoundedValue:
    """Return a product. Its error has a term for the error of each factor, and one for both."""
    product = BoundedValue(1.0, 0.0)
    for factor in values:
        error = (
            abs(product.value) * factor.error
            + abs(factor.value) * product.error
            + product.error * factor.error
        )
        product = _add_rounding_error(product.value * factor.value, error)
    return product


def _exponentiate(values: list[BoundedValue]) -> BoundedValue:
    """Return a power by way of the logarithm of its base.

    Bases that may be zero or negative are rejected, except for reciprocals.
    """
    base, exponent = values
    if exponent == (-1.0, exponent.error):
        return _invert(base)
    if base.value - base.error <= 0:
        raise UncertainValueError("the base may not be positive")
    logarithm = _multiply([_compute_logarithm([base]), exponent])
    return _compute_exponential([logarithm])


def _invert(divisor: BoundedValue) -> BoundedValue:
    """Return the reciprocal. The divisor must not be zero anywhere in its interval."""
    min_magnitude = abs(divisor.value) - divisor.error
    if min_magnitude <= 0:
        raise UncertainValueError("the divisor may be zero")
    return _add_rounding_error(
        1 / divisor.value, divisor.error / (min_magnitude * abs(divisor.value))
    )


def _compute_exponential(values: list[BoundedValue]) -> BoundedValue:
    exponential = math.exp(values[0].value)
    return _add_rounding_error(exponential, exponential * math.expm1(values[0].error))


def _compute_logarithm(values: list[BoundedValue]) -> BoundedValue:
    min_value = values[0].value - values[0].error
    if min_value <= 0:
        raise UncertainValueError("the argument of the logarithm may not be positive")
    return _add_rounding_error(math.log(values[0].value), values[0].error / min_value)


def _create_scaled_logarithm(factor: float) -> Callable[[list[BoundedValue]], BoundedValue]:
    return lambda values: _multiply([_compute_logarithm(values), _add_rounding_error(factor, 0.0)])


def _compute_square_root(values: list[BoundedValue]) -> BoundedValue:
    min_value = values[0].value - values[0].error
    if min_value <= 0:
        raise UncertainValueError("the argument of the root may not be positive")
    return _add_rounding_error(math.sqrt(values[0].value), values[0].error / math.sqrt(min_value))


def _wrap_lipschitz_function(
    compute: Callable[[float], float],
) -> Callable[[list[BoundedValue]], BoundedValue]:
    """Wrap a function whose slope is at most one, so that errors do not grow."""
    return lambda values: _add_rounding_error(compute(values[0].value), values[0].error)


def _compute_tangent(values: list[BoundedValue]) -> BoundedValue:
    return _multiply(
        [
            _wrap_lipschitz_function(math.sin)(values),
            _invert(_wrap_lipschitz_function(math.cos)(values)),
        ]
    )


def _create_hyperbolic(sign: float) -> Callable[[list[BoundedValue]], BoundedValue]:
    """Create half the sum or difference of two exponentials."""

    def compute(values: list[BoundedValue]) -> BoundedValue:
        falling = _compute_exponential([BoundedValue(-values[0].value, values[0].error)])
        other = BoundedValue(sign * falling.value, falling.error)
        return _multiply([_add([_compute_exponential(values), other]), BoundedValue(0.5, 0.0)])

    return compute


def _wrap_inverse_sine(
    compute: Callable[[float], float],
) -> Callable[[list[BoundedValue]], BoundedValue]:
    """Wrap the inverse sine or cosine with an error bound."""

    def compute_with_bounds(values: list[BoundedValue]) -> BoundedValue:
        # The slope 1/sqrt(1-x^2) is unbounded at the ends of the domain.
        min_radicand = 1 - (abs(values[0].value) + values[0].error) ** 2
        if min_radicand <= 0:
            raise UncertainValueError("the argument is too close to the end of the domain")
        return _add_rounding_error(
            compute(values[0].value), values[0].error / math.sqrt(min_radicand)
        )

    return compute_with_bounds


_BOUNDED_FUNCTIONS: dict[str, Callable[[list[BoundedValue]], BoundedValue]] = {
    "Plus": _add,
    "Times": _multiply,
    "Power": _exponentiate,
    "Sqrt": _compute_square_root,
    "Exp": _compute_exponential,
    "Log": _compute_logarithm,
    "Log2": _create_scaled_logarithm(1 / math.log(2)),
    "Log10": _create_scaled_logarithm(1 / math.log(10)),
    "Sin": _wrap_lipschitz_function(math.sin),
    "Cos": _wrap_lipschitz_function(math.cos),
    "Tan": _compute_tangent,
    "Cot": lambda values: _invert(_compute_tangent(values)),
    "Sec": lambda values: _invert(_wrap_lipschitz_function(math.cos)(values)),
    "Csc": lambda values: _invert(_wrap_lipschitz_function(math.sin)(values)),
    "ArcTan": _wrap_lipschitz_function(math.atan),
    "ArcSin": _wrap_inverse_sine(math.asin),
    "ArcCos": _wrap_inverse_sine(math.acos),
    "Sinh": _create_hyperbolic(-1.0),
    "Cosh": _create_hyperbolic(1.0),
    "Tanh": _wrap_lipschitz_function(math.tanh),
    "Abs": lambda values: BoundedValue(abs(values[0].value), values[0].error),
}
