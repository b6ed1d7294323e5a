"""Formulas without variables as decimals whose error is known, so that no wrong digit is told.

Each value carries how far it can be from the true one, with every rounding counted; what cancels,
as in `sqrt(10^30+1)-10^15`, or is near a place where a function jumps, shows as a large error.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.alpha.offline.exact import NotExactError, exact
from paddock.toolkits.alpha.offline.formulas import CONSTANTS, Name

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.alpha.offline.formulas import Formula

ROUNDING = 2 * sys.float_info.epsilon
"""Twice what one operation of the machine can be wrong by, for its functions too."""
DIGITS = 10
"""That are told, all of them certain."""


class UncertainError(ValueError):
    """The value is not real, not finite, or not known well enough."""


class Bounded(NamedTuple):
    """A value, and how far it can be from the true one."""

    value: float
    error: float


def bounded(formula: Formula) -> Bounded:
    """The value of a formula.

    Raises:
        UndefinedError: when there is none.
        UncertainError: when there is no real one, or it is too large.
    """
    try:
        return _rounded(float(exact(formula)), 0.0)
    except NotExactError:
        pass
    except OverflowError:
        raise UncertainError("too large") from None
    if isinstance(formula, Name):
        if formula.name not in CONSTANTS:
            raise UncertainError(formula.name)
        return _rounded(CONSTANTS[formula.name], 0.0)
    work = _FUNCTIONS.get(formula.head)  # type: ignore[union-attr]  # a number is exact
    if work is None:
        raise UncertainError(formula.head)  # type: ignore[union-attr]  # likewise
    try:
        found = work([bounded(arg) for arg in formula.args])  # type: ignore[union-attr]  # likewise
    except (ArithmeticError, ValueError) as error:
        raise UncertainError(str(error)) from None
    if not (math.isfinite(found.value) and math.isfinite(found.error)):
        raise UncertainError("not finite")
    return found


def is_certain(found: Bounded) -> bool:
    """Whether all digits that are told are certain."""
    return found.error < abs(found.value) * 10.0 ** -(DIGITS + 1)


def shown(found: Bounded) -> str:
    """A certain value with as many digits as are told; fewer where the last could be rounded up."""
    ends = (found.value - found.error, found.value + found.error)
    text = next(
        first
        for digits in range(DIGITS, 0, -1)
        for first, last in [[f"{end:.{digits}g}" for end in ends]]
        if first == last
    )
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}\u00d710^{int(exponent)}" if exponent else text


def _rounded(value: float, error: float) -> Bounded:
    return Bounded(value, error + abs(value) * ROUNDING)


def _sum(values: list[Bounded]) -> Bounded:
    found = Bounded(0.0, 0.0)
    for one in values:
        found = _rounded(found.value + one.value, found.error + one.error)
    return found


def _product(values: list[Bounded]) -> Bounded:
    found = Bounded(1.0, 0.0)
    for one in values:
        error = (
            abs(found.value) * one.error + abs(one.value) * found.error + found.error * one.error
        )
        found = _rounded(found.value * one.value, error)
    return found


def _power(values: list[Bounded]) -> Bounded:
    below, above = values
    if above == (-1.0, above.error):
        return _inverse(below)
    if below.value - below.error <= 0:
        raise UncertainError("a power of what is not positive")
    exponent = _product([_log([below]), above])
    return _exp([exponent])


def _inverse(one: Bounded) -> Bounded:
    least = abs(one.value) - one.error
    if least <= 0:
        raise UncertainError("division by what may be zero")
    return _rounded(1 / one.value, one.error / (least * abs(one.value)))


def _exp(values: list[Bounded]) -> Bounded:
    found = math.exp(values[0].value)
    return _rounded(found, found * math.expm1(values[0].error))


def _log(values: list[Bounded]) -> Bounded:
    least = values[0].value - values[0].error
    if least <= 0:
        raise UncertainError("the logarithm of what is not positive")
    return _rounded(math.log(values[0].value), values[0].error / least)


def _scaled_log(factor: float) -> Callable[[list[Bounded]], Bounded]:
    return lambda values: _product([_log(values), _rounded(factor, 0.0)])


def _root(values: list[Bounded]) -> Bounded:
    least = values[0].value - values[0].error
    if least <= 0:
        raise UncertainError("the root of what is not positive")
    return _rounded(math.sqrt(values[0].value), values[0].error / math.sqrt(least))


def _gentle(work: Callable[[float], float]) -> Callable[[list[Bounded]], Bounded]:
    """A function whose slope is never above one."""
    return lambda values: _rounded(work(values[0].value), values[0].error)


def _tangent(values: list[Bounded]) -> Bounded:
    return _product([_gentle(math.sin)(values), _inverse(_gentle(math.cos)(values))])


def _hyperbolic(sign: float) -> Callable[[list[Bounded]], Bounded]:
    """The sum or difference of two exponentials, divided by two."""

    def work(values: list[Bounded]) -> Bounded:
        falling = _exp([Bounded(-values[0].value, values[0].error)])
        other = Bounded(sign * falling.value, falling.error)
        return _product([_sum([_exp(values), other]), Bounded(0.5, 0.0)])

    return work


def _of_arc(work: Callable[[float], float]) -> Callable[[list[Bounded]], Bounded]:
    def steep(values: list[Bounded]) -> Bounded:
        least = 1 - (abs(values[0].value) + values[0].error) ** 2
        if least <= 0:
            raise UncertainError("near an end, where it is vertical")
        return _rounded(work(values[0].value), values[0].error / math.sqrt(least))

    return steep


_FUNCTIONS: dict[str, Callable[[list[Bounded]], Bounded]] = {
    "Plus": _sum,
    "Times": _product,
    "Power": _power,
    "Sqrt": _root,
    "Exp": _exp,
    "Log": _log,
    "Log2": _scaled_log(1 / math.log(2)),
    "Log10": _scaled_log(1 / math.log(10)),
    "Sin": _gentle(math.sin),
    "Cos": _gentle(math.cos),
    "Tan": _tangent,
    "Cot": lambda values: _inverse(_tangent(values)),
    "Sec": lambda values: _inverse(_gentle(math.cos)(values)),
    "Csc": lambda values: _inverse(_gentle(math.sin)(values)),
    "ArcTan": _gentle(math.atan),
    "ArcSin": _of_arc(math.asin),
    "ArcCos": _of_arc(math.acos),
    "Sinh": _hyperbolic(-1.0),
    "Cosh": _hyperbolic(1.0),
    "Tanh": _gentle(math.tanh),
    "Abs": lambda values: Bounded(abs(values[0].value), values[0].error),
}
