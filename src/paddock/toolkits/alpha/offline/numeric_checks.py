"""Whether what an engine says about a formula is true, found out with numbers.

An engine can be wrong, so each kind of answer is checked by another way than the engine's: a
derivative by differences, an integral by quadrature, roots by all roots of the polynomial.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.formulas import NoValueError, evaluate_formula

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from paddock.toolkits.alpha.offline.formulas import Formula

SAMPLE_POINTS = (0.3718, 0.8127, 1.4339, 2.2961, 3.7193, -0.6311, -1.7159, -2.8437)
MIN_COMPARED_POINTS = 3
"""Where both sides must have values, for a comparison to say something."""
TOLERANCE = 1e-6
_DIFFERENCE_STEP = 1e-4
_QUADRATURE_LEVELS = (7, 8, 9)
"""Steps of quadrature, as powers of two; all have to agree."""
_QUADRATURE_WIDTH = 3.2
_MAX_ROOT_ITERATIONS = 500
_CONVERGENCE_TOLERANCE = 1e-9


def have_equal_values(one: Formula, other: Formula, name: str) -> bool:
    """Whether two formulas of one variable have the same values."""
    return _agree_at_samples(
        lambda x: evaluate_formula(one, {name: x}), lambda x: evaluate_formula(other, {name: x})
    )


def is_derivative(derivative: Formula, of: Formula, name: str) -> bool:
    """Whether one formula is the derivative of another, at many points."""
    return _agree_at_samples(
        lambda x: evaluate_formula(derivative, {name: x}),
        lambda x: _estimate_derivative(of, name, x),
    )


def estimate_integral(formula: Formula, name: str, start: float, end: float) -> float | None:
    """The integral of a formula between limits, or nothing when it is not sure."""
    estimates = []
    for level in _QUADRATURE_LEVELS:
        try:
            estimates.append(
                _integrate_double_exponential(formula, name, (start, end), 2.0**-level)
            )
        except NoValueError:
            return None
    best = estimates[-1]
    spread = max(abs(one - best) for one in estimates)
    return best if spread < _CONVERGENCE_TOLERANCE * max(1.0, abs(best)) else None


def is_close(one: complex, other: complex, tolerance: float = TOLERANCE) -> bool:
    """Whether two numbers are the same but for rounding."""
    return abs(one - other) <= tolerance * max(1.0, abs(one), abs(other))


def find_polynomial_roots(coefficients: Sequence[Fraction]) -> list[complex] | None:
    """All roots of a polynomial whose roots are simple, from the highest coefficient on.

    Nothing when they are not found well enough (Durand and Kerner's method).
    """
    monic = [float(one / coefficients[0]) for one in coefficients]
    degree = len(monic) - 1
    bound = 1 + max((abs(one) for one in monic[1:]), default=0.0)
    found = [bound * (0.4 + 0.9j) ** power for power in range(degree)]
    for _ in range(_MAX_ROOT_ITERATIONS):
        for place, root in enumerate(found):
            others = math.prod(root - other for at, other in enumerate(found) if at != place)
            if others == 0 or not math.isfinite(abs(root)):
                return None
            found[place] = root - evaluate_polynomial(monic, root) / others
    scale = [max(1.0, abs(root)) ** degree * bound for root in found]
    residues = (abs(evaluate_polynomial(monic, root)) for root in found)
    is_good = all(
        one < _CONVERGENCE_TOLERANCE * size for one, size in zip(residues, scale, strict=True)
    )
    return found if is_good else None


def evaluate_polynomial(coefficients: Sequence[float], x: complex) -> complex:
    """The value of a polynomial, given from the highest coefficient on."""
    found: complex = 0
    for one in coefficients:
        found = found * x + one
    return found


def approaches_limit(formula: Formula, name: str, points: Sequence[float], limit: float) -> bool:
    """Whether a formula comes nearer and nearer to a limit at points, and near at the last."""
    distances = []
    for point in points:
        try:
            distances.append(abs(evaluate_formula(formula, {name: point}) - limit))
        except NoValueError:
            return False
    is_falling = all(b <= a + _CONVERGENCE_TOLERANCE for a, b in itertools.pairwise(distances))
    return is_falling and distances[-1] <= 1e-4 * max(1.0, abs(limit))


def _agree_at_samples(one: Callable[[float], complex], other: Callable[[float], complex]) -> bool:
    compared = 0
    for point in SAMPLE_POINTS:
        try:
            first, second = one(point), other(point)
        except NoValueError:
            continue
        if not is_close(first, second):
            return False
        compared += 1
    return compared >= MIN_COMPARED_POINTS


def _estimate_derivative(formula: Formula, name: str, x: float) -> complex:
    """The derivative by differences, with the first two errors taken out."""

    def difference(step: float) -> complex:
        above, below = (
            evaluate_formula(formula, {name: x + step}),
            evaluate_formula(formula, {name: x - step}),
        )
        return (above - below) / (2 * step)

    return (4 * difference(_DIFFERENCE_STEP) - difference(2 * _DIFFERENCE_STEP)) / 3


def _integrate_double_exponential(
    formula: Formula, name: str, limits: tuple[float, float], step: float
) -> float:
    """The integral by the double exponential rule, which takes ends without values."""
    total = 0.0
    for x, weight in _generate_nodes(limits, step):
        found = evaluate_formula(formula, {name: x})
        if abs(found.imag) > _CONVERGENCE_TOLERANCE * max(1.0, abs(found)):
            raise NoValueError("not real")
        total += found.real * weight
    return total * step


def _generate_nodes(limits: tuple[float, float], step: float) -> Iterator[tuple[float, float]]:
    """Points and weights between limits, of which either may be infinite."""
    start, end = limits
    count = round(_QUADRATURE_WIDTH / step)
    for place in range(-count, count + 1):
        # A little aside, so that no point is in the very middle, where odd functions have poles.
        t = (place + 0.137) * step
        inner, slope = math.pi / 2 * math.sinh(t), math.pi / 2 * math.cosh(t)
        if math.isinf(start) and math.isinf(end):
            x, weight = math.sinh(inner), slope * math.cosh(inner)
        elif math.isinf(end):
            x, weight = start + math.exp(inner), slope * math.exp(inner)
        elif math.isinf(start):
            x, weight = end - math.exp(inner), slope * math.exp(inner)
        else:
            half = (end - start) / 2
            x, weight = start + half * (1 + math.tanh(inner)), half * slope / math.cosh(inner) ** 2
            if not start < x < end:
                continue
        yield x, weight
