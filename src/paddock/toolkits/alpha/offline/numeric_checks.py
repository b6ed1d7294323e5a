"""Numeric verification of the results that engines return for formulas.

An engine can be wrong, so each kind of result is checked with an independent method: derivatives by
finite differences, integrals by quadrature, roots by finding all roots of the polynomial.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from paddock.toolkits.alpha.offline.exact import evaluate_polynomial
from paddock.toolkits.alpha.offline.formulas import NoValueError, evaluate_formula

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from paddock.toolkits.alpha.offline.formulas import Formula

SAMPLE_POINTS = (0.3718, 0.8127, 1.4339, 2.2961, 3.7193, -0.6311, -1.7159, -2.8437)
# With fewer points where both sides have values, a comparison proves too little.
MIN_COMPARED_POINTS = 3
TOLERANCE = 1e-6
_DIFFERENCE_STEP = 1e-4
# Binary exponents of the step. Estimates at all levels must agree.
_QUADRATURE_LEVELS = (7, 8, 9)
_QUADRATURE_WIDTH = 3.2
_NODE_OFFSET = 0.137
_MAX_ROOT_ITERATIONS = 500
_CONVERGENCE_TOLERANCE = 1e-9
# Values can approach a limit slowly, so the last point is not close to it.
_LIMIT_TOLERANCE = 1e-4


def have_equal_values(first: Formula, second: Formula, name: str) -> bool:
    """Return True if two formulas in one variable agree at the sample points."""
    return _agree_at_samples(
        lambda x: evaluate_formula(first, {name: x}), lambda x: evaluate_formula(second, {name: x})
    )


def is_derivative(derivative: Formula, formula: Formula, name: str) -> bool:
    """Return True if a formula agrees with the numeric derivative of another formula."""
    return _agree_at_samples(
        lambda x: evaluate_formula(derivative, {name: x}),
        lambda x: _estimate_derivative(formula, name, x),
    )


def estimate_integral(formula: Formula, name: str, start: float, end: float) -> float | None:
    """Estimate the integral of a formula from `start` to `end`, which may be infinite.

    Returns None if the integral does not seem to converge. It is estimated with multiple step
    sizes, and the estimates differ if the integral diverges.
    """
    estimates = []
    for level in _QUADRATURE_LEVELS:
        try:
            estimates.append(
                _integrate_double_exponential(formula, name, (start, end), 2.0**-level)
            )
        except NoValueError:
            return None
    best_estimate = estimates[-1]
    spread = max(abs(estimate - best_estimate) for estimate in estimates)
    has_converged = spread < _CONVERGENCE_TOLERANCE * max(1.0, abs(best_estimate))
    return best_estimate if has_converged else None


def is_close(first: complex, second: complex, tolerance: float = TOLERANCE) -> bool:
    """Return True if two numbers are equal except for rounding."""
    return abs(first - second) <= tolerance * max(1.0, abs(first), abs(second))


def find_polynomial_roots(coefficients: Sequence[Fraction]) -> list[complex] | None:
    """Return all complex roots of a polynomial, or None if the method does not converge.

    The polynomial must not have multiple roots.

    Args:
        coefficients: The coefficients, starting with the highest power.
    """
    # The first coefficient becomes 1, which does not change the roots.
    monic = [complex(coefficient / coefficients[0]) for coefficient in coefficients]
    degree = len(monic) - 1
    # No root has a larger absolute value (Cauchy's bound).
    root_bound = 1 + max((abs(coefficient) for coefficient in monic[1:]), default=0.0)
    # The Durand-Kerner method improves all roots at once. It needs distinct complex start values.
    roots = [root_bound * (0.4 + 0.9j) ** power for power in range(degree)]
    for _ in range(_MAX_ROOT_ITERATIONS):
        for i, root in enumerate(roots):
            product = math.prod(root - other for j, other in enumerate(roots) if j != i)
            if product == 0 or not math.isfinite(abs(root)):
                return None
            roots[i] = root - evaluate_polynomial(monic, root) / product
    # Rounding errors of the value at a root are proportional to the largest term.
    has_converged = all(
        abs(evaluate_polynomial(monic, root))
        < _CONVERGENCE_TOLERANCE * max(1.0, abs(root)) ** degree * root_bound
        for root in roots
    )
    return roots if has_converged else None


def approaches_limit(formula: Formula, name: str, points: Sequence[float], limit: float) -> bool:
    """Return True if the values of a formula at successive points approach a limit.

    Their distance to the limit must not grow from point to point, and it must be small at the last
    point.
    """
    distances = []
    for point in points:
        try:
            distances.append(abs(evaluate_formula(formula, {name: point}) - limit))
        except NoValueError:
            return False
    never_grows = all(
        following <= previous + _CONVERGENCE_TOLERANCE
        for previous, following in itertools.pairwise(distances)
    )
    return never_grows and distances[-1] <= _LIMIT_TOLERANCE * max(1.0, abs(limit))


def _agree_at_samples(
    first: Callable[[float], complex], second: Callable[[float], complex]
) -> bool:
    """Return True if two functions agree at all sample points where both have a value.

    Points outside the domain of either function are skipped, but enough points must remain.
    """
    compared_count = 0
    for point in SAMPLE_POINTS:
        try:
            values = first(point), second(point)
        except NoValueError:
            continue
        if not is_close(*values):
            return False
        compared_count += 1
    return compared_count >= MIN_COMPARED_POINTS


def _estimate_derivative(formula: Formula, name: str, point: float) -> complex:
    """Estimate the derivative of a formula at a point.

    Two central differences are combined so that their largest error terms cancel (Richardson
    extrapolation).
    """

    def compute_difference(step: float) -> complex:
        above = evaluate_formula(formula, {name: point + step})
        below = evaluate_formula(formula, {name: point - step})
        return (above - below) / (2 * step)

    return (4 * compute_difference(_DIFFERENCE_STEP) - compute_difference(2 * _DIFFERENCE_STEP)) / 3


def _integrate_double_exponential(
    formula: Formula, name: str, limits: tuple[float, float], step: float
) -> float:
    """Integrate numerically using the double exponential rule of Takahasi and Mori (1974).

    The formula is never evaluated at the limits of the interval, so it may be singular there.
    """
    total = 0.0
    for x, weight in _generate_nodes(limits, step):
        value = evaluate_formula(formula, {name: x})
        if abs(value.imag) > _CONVERGENCE_TOLERANCE * max(1.0, abs(value)):
            raise NoValueError("not real")
        total += value.real * weight
    return total * step


def _generate_nodes(limits: tuple[float, float], step: float) -> Iterator[tuple[float, float]]:
    """Yield the points of the double exponential rule between two limits, with their weights.

    Each point is `x(t)` for equidistant `t`, where `x` approaches the limits double-exponentially.
    Its weight is the derivative of `x`. Either limit may be infinite.
    """
    start, end = limits
    count = round(_QUADRATURE_WIDTH / step)
    for index in range(-count, count + 1):
        # The offset avoids the exact middle, where odd functions can have poles.
        t = (index + _NODE_OFFSET) * step
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
                continue  # The point was rounded to a limit.
        yield x, weight
