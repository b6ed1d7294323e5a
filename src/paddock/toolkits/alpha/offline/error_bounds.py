"""Formulas without variables as decimals whose error is known, so that no wrong digit is told.

Each value carries how far it can be from the true one, with every rounding counted; what cancels,
as in `sqrt(10^30+1)-10^15`, or is near a place where a function jumps, shows as a large error.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.alpha.offline.exact import InexactValueError, compute_fraction
from paddock.toolkits.alpha.offline.formulas import CONSTANT_VALUES, FormulaName

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.formulas import Formula

ROUNDING_ERROR = 2 * sys.float_info.epsilon
"""Twice what one operation of the machine can be wrong by, for its functions too."""
SHOWN_DIGITS = 10
"""That are told, all of them certain."""


class UncertainValueError(ValueError):
    """The value is not real, not finite, or not known well enough."""


class BoundedValue(NamedTuple):
    """A value, and how far it can be from the true one."""

    value: float
    error: float


def evaluate_with_bounds(formula: Formula) -> BoundedValue:
    """The value of a formula.

    Raises:
        UndefinedError: when there is none.
        UncertainError: when there is no real one, or it is too large.
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
    work = _BOUNDED_FUNCTIONS.get(formula.head)  # type: ignore[union-attr]  # a number is exact
    if work is None:
        raise UncertainValueError(formula.head)  # type: ignore[union-attr]  # likewise
    try:
        found = work([evaluate_with_bounds(arg) for arg in formula.arguments])  # type: ignore[union-attr]  # likewise
    except (ArithmeticError, ValueError) as error:
        raise UncertainValueError(str(error)) from None
    if not (math.isfinite(found.value) and math.isfinite(found.error)):
        raise UncertainValueError("not finite")
    return found


def is_certain(found: BoundedValue) -> bool:
    """Whether all digits that are told are certain."""
    return found.error < abs(found.value) * 10.0 ** -(SHOWN_DIGITS + 1)


def format_value(found: BoundedValue) -> str:
    """A certain value with as many digits as are told; fewer where the last could be rounded up."""
    ends = (found.value - found.error, found.value + found.error)
    text = next(
        first
        for digits in range(SHOWN_DIGITS, 0, -1)
        for first, last in [[f"{end:.{digits}g}" for end in ends]]
        if first == last
    )
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}\u00d710^{int(exponent)}" if exponent else text


def _add_rounding_error(value: float, error: float) -> BoundedValue:
    return BoundedValue(value, error + abs(value) * ROUNDING_ERROR)


def _add(values: list[BoundedValue]) -> BoundedValue:
    found = BoundedValue(0.0, 0.0)
    for one in values:
        found = _add_rounding_error(found.value + one.value, found.error + one.error)
    return found


def _multiply(values: list[BoundedValue]) -> BoundedValue:
    found = BoundedValue(1.0, 0.0)
    for one in values:
        error = (
            abs(found.value) * one.error + abs(one.value) * found.error + found.error * one.error
        )
        found = _add_rounding_error(found.value * one.value, error)
    return found


def _exponentiate(values: list[BoundedValue]) -> BoundedValue:
    below, above = values
    if above == (-1.0, above.error):
        return _invert(below)
    if below.value - below.error <= 0:
        raise UncertainValueError("a power of what is not positive")
    exponent = _multiply([_compute_logarithm([below]), above])
    return _compute_exponential([exponent])


def _invert(one: BoundedValue) -> BoundedValue:
    least = abs(one.value) - one.error
    if least <= 0:
        raise UncertainValueError("division by what may be zero")
    return _add_rounding_error(1 / one.value, one.error / (least * abs(one.value)))


def _compute_exponential(values: list[BoundedValue]) -> BoundedValue:
    found = math.exp(values[0].value)
    return _add_rounding_error(found, found * math.expm1(values[0].error))


def _compute_logarithm(values: list[BoundedValue]) -> BoundedValue:
    least = values[0].value - values[0].error
    if least <= 0:
        raise UncertainValueError("the logarithm of what is not positive")
    return _add_rounding_error(math.log(values[0].value), values[0].error / least)


def _create_scaled_logarithm(factor: float) -> Callable[[list[BoundedValue]], BoundedValue]:
    return lambda values: _multiply([_compute_logarithm(values), _add_rounding_error(factor, 0.0)])


def _compute_square_root(values: list[BoundedValue]) -> BoundedValue:
    least = values[0].value - values[0].error
    if least <= 0:
        raise UncertainValueError("the root of what is not positive")
    return _add_rounding_error(math.sqrt(values[0].value), values[0].error / math.sqrt(least))


def _wrap_lipschitz_function(
    work: Callable[[float], float],
) -> Callable[[list[BoundedValue]], BoundedValue]:
    """A function whose slope is never above one."""
    return lambda values: _add_rounding_error(work(values[0].value), values[0].error)


def _compute_tangent(values: list[BoundedValue]) -> BoundedValue:
    return _multiply(
        [
            _wrap_lipschitz_function(math.sin)(values),
            _invert(_wrap_lipschitz_function(math.cos)(values)),
        ]
    )


def _create_hyperbolic(sign: float) -> Callable[[list[BoundedValue]], BoundedValue]:
    """The sum or difference of two exponentials, divided by two."""

    def work(values: list[BoundedValue]) -> BoundedValue:
        falling = _compute_exponential([BoundedValue(-values[0].value, values[0].error)])
        other = BoundedValue(sign * falling.value, falling.error)
        return _multiply([_add([_compute_exponential(values), other]), BoundedValue(0.5, 0.0)])

    return work


def _wrap_inverse_sine(
    work: Callable[[float], float],
) -> Callable[[list[BoundedValue]], BoundedValue]:
    def steep(values: list[BoundedValue]) -> BoundedValue:
        least = 1 - (abs(values[0].value) + values[0].error) ** 2
        if least <= 0:
            raise UncertainValueError("near an end, where it is vertical")
        return _add_rounding_error(work(values[0].value), values[0].error / math.sqrt(least))

    return steep


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
