"""Numeric verification of what an engine returns for formulas.

An engine can be wrong, so each kind of result is checked by an independent method: derivatives by
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
# With fewer points at which both sides have values, a comparison proves too little.
MIN_COMPARED_POINTS = 3
TOLERANCE = 1e-6
_DIFFERENCE_STEP = 1e-4
# Binary exponents of the step. Estimates at all levels must agree.
_QUADRATURE_LEVELS = (7, 8, 9)
_QUADRATURE_WIDTH = 3.2
_MAX_ROOT_ITERATIONS = 500
_CONVERGENCE_TOLERANCE = 1e-9


def have_equal_values(first: Formula, second: Formula, name: str) -> bool:
    """Return True if two formulas of one variable agree at the sample points."""
    return _agree_at_samples(
        lambda x: evaluate_formula(first, {name: x}), lambda x: evaluate_formula(second, {name: x})
    )


def is_derivative(derivative: Formula, formula: Formula, name: str) -> bool:
    """Return True if a formula agrees with the numeric derivative of another one."""
    return _agree_at_samples(
        lambda x: evaluate_formula(derivative, {name: x}),
        lambda x: _estimate_derivative(formula, name, x),
    )


def estimate_integral(formula: Formula, name: str, start: float, end: float) -> float | None:
    """Return the integral of a formula between limits, or None if the estimates differ.

    The integral is estimated with several step sizes. Estimates that agree are evidence that it
    converges.
    """
    estimates = []
    for level in _QUADRATURE_LEVELS:
        try:
            estimates.append(
                _integrate_double_exponential(formula, name, (start, end), 2.0**-level)
            )
        except NoValueError:
            return None
    best = estimates[-1]
    spread = max(abs(estimate - best) for estimate in estimates)
    return best if spread < _CONVERGENCE_TOLERANCE * max(1.0, abs(best)) else None


def is_close(first: complex, second: complex, tolerance: float = TOLERANCE) -> bool:
    """Return True if two numbers are equal except for rounding."""
    return abs(first - second) <= tolerance * max(1.0, abs(first), abs(second))


def find_polynomial_roots(coefficients: Sequence[Fraction]) -> list[complex] | None:
    """Return all roots of a polynomial with simple roots, or None if they do not converge.

    Args:
        coefficients: The coefficients, from the highest power on.
    """
    monic = [complex(coefficient / coefficients[0]) for coefficient in coefficients]
    degree = len(monic) - 1
    bound = 1 + max((abs(coefficient) for coefficient in monic[1:]), default=0.0)
    # The Durand-Kerner method improves all roots at once. It needs distinct complex start values.
    roots = [bound * (0.4 + 0.9j) ** power for power in range(degree)]
    for _ in range(_MAX_ROOT_ITERATIONS):
        for index, root in enumerate(roots):
            product = math.prod(root - other for at, other in enumerate(roots) if at != index)
            if product == 0 or not math.isfinite(abs(root)):
                return None
            roots[index] = root - evaluate_polynomial(monic, root) / product
    scales = [max(1.0, abs(root)) ** degree * bound for root in roots]
    residues = (abs(evaluate_polynomial(monic, root)) for root in roots)
    has_converged = all(
        residue < _CONVERGENCE_TOLERANCE * scale
        for residue, scale in zip(residues, scales, strict=True)
    )
    return roots if has_converged else None


def approaches_limit(formula: Formula, name: str, points: Sequence[float], limit: float) -> bool:
    """Return True if a formula approaches a limit at successive points.

    The distance to the limit must not grow from point to point and must be small at the last one.
    """
    distances = []
    for point in points:
        try:
            distances.append(abs(evaluate_formula(formula, {name: point}) - limit))
        except NoValueError:
            return False
    is_falling = all(b <= a + _CONVERGENCE_TOLERANCE for a, b in itertools.pairwise(distances))
    return is_falling and distances[-1] <= 1e-4 * max(1.0, abs(limit))


def _agree_at_samples(
    first: Callable[[float], complex], second: Callable[[float], complex]
) -> bool:
    """Return True if two functions agree at all sample points at which both have a value.

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


def _estimate_derivative(formula: Formula, name: str, x: float) -> complex:
    """Estimate a derivative by differences with two steps, which cancels the first error term."""

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
    """Integrate by the double exponential rule, which never evaluates the limits themselves.

    The integrand may therefore be singular at the limits.
    """
    total = 0.0
    for x, weight in _generate_nodes(limits, step):
        value = evaluate_formula(formula, {name: x})
        if abs(value.imag) > _CONVERGENCE_TOLERANCE * max(1.0, abs(value)):
            raise NoValueError("not real")
        total += value.real * weight
    return total * step


def _generate_nodes(limits: tuple[float, float], step: float) -> Iterator[tuple[float, float]]:
    """Yield points and weights between limits, either of which may be infinite."""
    start, end = limits
    count = round(_QUADRATURE_WIDTH / step)
    for index in range(-count, count + 1):
        # The offset avoids the exact middle, where odd functions can have poles.
        t = (index + 0.137) * step
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
